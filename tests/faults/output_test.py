"""Places that take no output: full disks, readers that have gone, folders that may not be written. Standard output and files,
every command that has them. Usage: output_test.py (ZEROSTALL_PROGRAM names the program)"""
import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import unittest

import commands
from commands import PRINTING, WRITING, Folder, expect_clear_error
from fault_count import FaultCount


@contextlib.contextmanager
def mounted(folder, options):
    """A file system of its own for `folder`; the test is skipped where it may not be mounted."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "zerostall-test", folder], stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        raise unittest.SkipTest("mounting a small disk needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def arguments_of(name, target):
    file, argv = WRITING[name]
    return [text.replace("{0}", os.path.join(target, file)) for text in argv], file


class StandardOutput(unittest.TestCase):
    def test_full(self):
        with Folder() as here, open("/dev/full", "wb") as full, FaultCount("stdout_full", self.id()) as faults:
            for name, argv in PRINTING.items():
                with faults.input(name):
                    ended = here.run(argv, stdout=full)
                    expect_clear_error(ended, (4,))
                    assert "cannot write to standard output: No space left on device" in ended.err, ended

    def test_reader_has_gone(self):
        """As `| head -1` does it; without SIGPIPE it is an error like another."""
        with Folder() as here, FaultCount("stdout_gone", self.id()) as faults:
            for name, argv in PRINTING.items():
                for ignore in ((), (signal.SIGPIPE,)):
                    with faults.input(f"{name} {ignore}"):
                        reading, writing = os.pipe()
                        os.close(reading)
                        process = here.start(argv, stdout=writing, ignore=ignore)
                        os.close(writing)
                        err = process.communicate(timeout=commands.ENOUGH_S)[1].decode()
                        if ignore:
                            expect_clear_error(commands.Ended(process.returncode, b"", err), (4,))
                        else:
                            assert process.returncode == -signal.SIGPIPE, f"{process.returncode} {err}"
                            assert "zerostall:" not in err.replace("zerostall: simulated ", ""), err
                assert not list((here.path / "tmp").iterdir()), "temporary files are left"


class Files(unittest.TestCase):
    def check(self, faults, name, here, ended, target, before):
        """Refused in one line; the place holds what it held, nothing half-written."""
        expect_clear_error(ended, (2, 4))
        after = {path.name: path.read_bytes() for path in pathlib.Path(target).iterdir() if path.is_file()}
        if name == "history_add" and after.get("history.sqlite") == b"":
            del after["history.sqlite"]  # empty: another one that adds may have it open, so it is not removed
        assert after == before, f"{sorted(after)} is left, not {sorted(before)}: {ended}"
        assert not list((here.path / "tmp").iterdir()), "temporary files are left"

    def test_disk_full(self):
        with Folder() as here, FaultCount("file_disk_full", self.id()) as faults:
            disk = here.path / "disk"
            disk.mkdir()
            with mounted(disk, "size=64k"):
                (disk / "filled").write_bytes(b"x" * 65536)
                for name in WRITING:
                    for old in (None, b""):  # an empty file needs no block
                        with faults.input(f"{name}, {'new' if old is None else 'replaced'}"):
                            argv, file = arguments_of(name, str(disk))
                            if old is not None:
                                if name == "history_add":
                                    continue  # an empty file is a database to fill
                                (disk / file).write_bytes(old)
                            before = {path.name: path.read_bytes() for path in disk.iterdir()}
                            self.check(faults, name, here, here.run(argv), disk, before)

    def test_file_size_limit(self):
        """ulimit -f: a write fails in the middle."""
        with Folder() as here, FaultCount("file_size_limit", self.id()) as faults:
            place = here.path / "place"
            place.mkdir()
            for name in WRITING:
                argv, file = arguments_of(name, "place")
                here.run(argv)
                whole = place / file
                size = whole.stat().st_size
                old = whole.read_bytes() if name == "history_add" else b"the old one"
                for limit in (0, 100, size // 2, size - 1):
                    if name == "history_add" and limit > size // 2:
                        continue  # it grows in pages: what it needs is not its size
                    with faults.input(f"{name}, {limit} of {size} bytes"):
                        whole.write_bytes(old)
                        if name in ("init", "baseline_update"):
                            whole.unlink()  # what is there is read
                        before = {path.name: path.read_bytes() for path in place.iterdir()}
                        ended = here.run(argv, limits={resource.RLIMIT_FSIZE: limit}, ignore=(signal.SIGXFSZ,))
                        self.check(faults, name, here, ended, place, before)
                whole.unlink(missing_ok=True)

    def test_read_only(self):
        with Folder() as here, FaultCount("file_read_only", self.id()) as faults:
            place = here.path / "place"
            place.mkdir()
            with contextlib.ExitStack() as stack:
                if os.geteuid() == 0:
                    stack.enter_context(mounted(place, "ro"))
                else:
                    place.chmod(0o555)
                    stack.callback(place.chmod, 0o755)
                for name in WRITING:
                    with faults.input(name):
                        argv, _ = arguments_of(name, str(place))
                        self.check(faults, name, here, here.run(argv), place, {})

    def test_no_regular_file(self):
        with Folder() as here, FaultCount("file_not_regular", self.id()) as faults:
            (here.path / "folder").mkdir()
            os.mkfifo(here.path / "pipe")
            for name, (_, argv) in WRITING.items():
                for target in ("/dev/full", "folder", "pipe", "run.zstall/x", ""):
                    with faults.input(f"{name} to {target}"):
                        before = here.files() if target != "pipe" else None
                        ended = here.run([text.replace("{0}", target) for text in argv])
                        expect_clear_error(ended, (2, 4))
                        assert before is None or here.files() == before, "something was written"


if __name__ == "__main__":
    unittest.main(verbosity=0)
