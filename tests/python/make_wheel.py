"""Packs what a build folder holds into a wheel: make_wheel.py BUILD [OUT], by a Python with scikit-build-core, auditwheel and pip. Its
tag says the oldest glibc that auditwheel finds it to run on. The wheel is the only one in OUT (default: BUILD/wheel)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 15_000_000


def tagged(wheel, out):
    """auditwheel only names it: all that the parts need lies in it already."""
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", out, wheel], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    out = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else build / "wheel"
    with tempfile.TemporaryDirectory() as folder:
        pack = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder,
                "-C", f"cmake.define.ZEROSTALL_BUILT={build}", "-C", f"build-dir={folder}/build", ROOT]
        subprocess.run(pack, check=True)
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        fresh = pathlib.Path(folder, "out")
        try:
            tagged(wheel, fresh)
        except subprocess.CalledProcessError as problem:
            sys.exit(f"auditwheel will not tag {wheel.name}:\n{problem.stderr}")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(fresh, out)
    wheel = next(out.glob("*.whl"))
    size = wheel.stat().st_size
    print(f"{wheel} ({size / 1e6:.1f} MB)")
    if size > MOST_BYTES:
        sys.exit(f"the wheel is larger than {MOST_BYTES / 1e6:.0f} MB")


main()
