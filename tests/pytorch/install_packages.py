"""Installs requirements-programs.txt into a folder, for PYTHONPATH: install_packages.py FOLDER. Does nothing where it is up to date."""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def main():
    folder, requirements = pathlib.Path(sys.argv[1]), HERE / "requirements-programs.txt"
    stamp, wanted = folder / ".ready", requirements.read_text() + sys.version
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    install = ["install", "-q", "--disable-pip-version-check", "--no-deps", "--target", folder, "-r", requirements]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    stamp.write_text(wanted)


main()
