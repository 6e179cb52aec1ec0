"""Records small programs under valgrind's memcheck: no invalid access, nothing lost, in the tracer or the simulated GPU, up to the
end of the process: check_valgrind.py BUILD SUBJECT MODE... Exit code 77 (skipped) without valgrind."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED, FOUND = 77, 9


def check(build, command, folder):
    """What valgrind found, as text."""
    log = folder / "valgrind.log"
    # What is kept to the end of the process on purpose is reachable, and counts as no leak.
    valgrind = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
                f"--error-exitcode={FOUND}", "--num-callers=30", "--trace-children=no", f"--log-file={log}"]
    # Valgrind shadows all that is mapped: the simulated GPU's addresses are to be few.
    done = subprocess.run(["env", "ZEROSTALL_SIM_ADDRESS_BITS=32", f"{build}/bin/zerostall", "record", "--device", "sim", "-o",
                           folder / "run.zstall", "--", *valgrind, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=600)
    found = log.read_text() if log.exists() else "valgrind wrote no log\n"
    if done.returncode != 0 and not found:
        found = done.stdout + f"exit code {done.returncode}\n"
    if not (folder / "run.zstall").exists():
        found += "no trace was written\n"
    return found


def main():
    build, subject, *modes = sys.argv[1:]
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    failed = False
    for mode in modes:
        with tempfile.TemporaryDirectory() as folder:
            found = check(build, [subject, mode], pathlib.Path(folder))
        print(f"{mode}: {found or 'clean'}")
        failed |= bool(found)
    sys.exit(1 if failed else 0)


main()
