"""The wheel, installed into a clean virtual environment and used from another folder: test_wheel.py WHEEL_FOLDER PYTHON_WITH_TORCH."""
import pathlib
import subprocess
import sys
import tempfile
import venv

PROGRAM = """
import torch, zerostall
x = torch.ones(2, device="cuda")
for _ in zerostall.steps(range(5)):
    x.sum().item()
"""


def main():
    wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True)
        site = subprocess.run([sys.argv[2], "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
        packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout.strip()
        pathlib.Path(packages, "torch_of_the_tests.pth").write_text(site + "\n")
        work = folder / "elsewhere"
        work.mkdir()
        (work / "train.py").write_text(PROGRAM)
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}

        def tool(*words):
            done = subprocess.run([folder / "venv/bin/zerostall", *words], cwd=work, env=clean, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            assert done.returncode == 0, f"zerostall {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}"
            return done.stdout

        version = wheel.name.split("-")[1]
        assert version in tool("--version"), tool("--version")
        tool("record", "--device", "sim", "--", python, "train.py")
        assert "train.py:5" in tool("stat"), tool("stat")
        assert tool("check", "--max", "waits=1", "run.zstall")
        assert wheel.stat().st_size < 15_000_000
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed and used from another folder")


main()
