"""Makes a virtual environment with the torch of the Python that runs this and what a file asks for: make_venv.py FOLDER REQUIREMENTS.
Does nothing where it is up to date."""
import pathlib
import subprocess
import sys
import sysconfig
import venv


def main():
    folder, requirements = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    stamp, wanted = folder / ".ready", requirements.read_text() + sys.prefix
    if stamp.exists() and stamp.read_text() == wanted:
        return
    venv.create(folder, clear=True, with_pip=True)
    python = folder / "bin/python"
    packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
    # At the end of sys.path: what is installed here goes first.
    pathlib.Path(packages, "torch_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = ["install", "-q", "--disable-pip-version-check", "--no-deps", "-r", requirements]
    subprocess.run([python, "-m", "pip", *install], check=True)
    stamp.write_text(wanted)


main()
