"""Signals at any moment to every command that writes, and several that write the same at once: what stood there stands there, or the
whole new one. Usage: interrupted_test.py (ZEROSTALL_PROGRAM names the program)"""
import random
import signal
import sqlite3
import time
import unittest

from commands import MANY, WRITING, Folder
from fault_count import FaultCount

ROUNDS = 10 if MANY else 2
NAMES = ["report", "export_perfetto", "export_json", "check_html", "check_sarif", "baseline_update", "history_add", "init"]


def arguments_of(name):
    file, argv = WRITING[name]
    return [text.replace("{0}", file) for text in argv], file


def database_problem(path):
    """"" = sound, with the tables and rows of whole runs only."""
    connection = sqlite3.connect(path)
    try:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return "damaged"
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('runs', 'counts')").fetchone()[0]
        if tables not in (0, 2):
            return "half a schema"
        if tables == 2:
            rows = connection.execute("SELECT count(*) FROM runs WHERE id NOT IN (SELECT run FROM counts)").fetchone()[0]
            return "a run without counts" if rows else ""
        return ""
    except sqlite3.DatabaseError as problem:
        return str(problem)
    finally:
        connection.close()


class Interrupted(unittest.TestCase):
    def each(self, kind, numbers):
        chance = random.Random(7)
        with Folder() as here, FaultCount(kind, self.id()) as faults:
            for name in NAMES:
                argv, file = arguments_of(name)
                target = here.path / file
                begin = time.monotonic()
                here.run(argv)
                takes_s = time.monotonic() - begin
                new, old = target.read_bytes(), b"the old one"
                for number in numbers:
                    for _ in range(ROUNDS):
                        with faults.input(f"{name}, {signal.Signals(number).name}"):
                            if name in ("baseline_update", "history_add", "init"):
                                target.unlink(missing_ok=True)
                                old = None
                            else:
                                target.write_bytes(old)
                            process = here.start(argv)
                            time.sleep(chance.uniform(0, 1.1 * takes_s))
                            process.send_signal(number)
                            process.communicate(timeout=100)
                            self.check(here, name, target, old, new, process.returncode, number)
                    here.run(argv)
                    assert target.exists(), f"{name}: does not work afterwards"

    def check(self, here, name, target, old, new, code, number):
        assert code in (0, 1, 3, 128 + number, -number), f"exit code {code}"
        if name == "history_add":
            assert not target.exists() or database_problem(target) == "", database_problem(target)
            return
        left = target.read_bytes() if target.exists() else None
        assert left in (old, new), f"{len(left or b'')} bytes are neither the old ones nor the {len(new)} new ones"
        temporary = [path for path in here.path.iterdir() if path.name.startswith(target.name + ".")]
        if number == signal.SIGKILL:  # nobody can remove them: they are no trap for the next one
            for path in temporary:
                path.unlink()
        else:
            assert not temporary and not list((here.path / "tmp").iterdir()), "temporary files are left"

    def test_stopped(self):
        self.each("command_stopped", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

    def test_killed(self):
        self.each("command_killed", (signal.SIGKILL,))


class AtOnce(unittest.TestCase):
    def test_several_write_the_same(self):
        with Folder() as here, FaultCount("at_once", self.id()) as faults:
            for name in NAMES:
                argv, file = arguments_of(name)
                here.run(argv)
                alone = (here.path / file).read_bytes()
                (here.path / file).unlink()
                for round_ in range(ROUNDS):
                    together = [[*argv[:-3], f"c{n}", *argv[-2:]] if name == "history_add" else argv for n in range(8)]
                    processes = [here.start(each) for each in together]
                    said = [process.communicate(timeout=200)[1].decode() for process in processes]
                    for process, err in zip(processes, said):
                        with faults.input(f"{name}, round {round_}"):
                            assert process.returncode in (0, 1, 3), f"exit code {process.returncode}: {err}"
                    if name == "history_add":
                        connection = sqlite3.connect(here.path / file)
                        commits = {row[0] for row in connection.execute("SELECT commit_id FROM runs")}
                        connection.close()
                        self.assertEqual(commits, {f"c{n}" for n in range(8)})
                    else:
                        self.assertEqual((here.path / file).read_bytes(), alone, name)
                    self.assertEqual([path for path in here.path.iterdir() if path.name.startswith(file + ".")], [])


if __name__ == "__main__":
    unittest.main(verbosity=0)
