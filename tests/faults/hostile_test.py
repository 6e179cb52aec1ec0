"""Files that are cut off, damaged or something else, to every command that reads one: a result, or one line that says what is wrong.
Usage: hostile_test.py (ZEROSTALL_PROGRAM names the program)"""
import random
import unittest

from commands import CHECK, MANY, SEEDS, Folder, expect_orderly
from fault_count import FaultCount

PARTS = 64 if MANY else 8
# What is read, its sound bytes, and the command that reads it.
READERS = {
    "native": (SEEDS / "native/steps.zstall", ["stat", "{0}", "--json"]),
    "kineto": (SEEDS / "kineto/old.json", ["stat", "{0}", "--json"]),
    "gzip": (SEEDS / "gzip/one.json.gz", ["stat", "{0}", "--json"]),
    "nsys": (SEEDS / "nsys/training.sqlite", ["stat", "{0}", "--json"]),
    "policy": (SEEDS / "policy/example.toml", [*CHECK[:2], "--policy", "{0}"]),
    "baseline": ("old.baseline.json", [*CHECK, "--baseline", "{0}"]),
    "baseline_update": ("old.baseline.json", ["baseline", "update", "run.zstall", "-o", "{0}"]),
    "history": ("old.sqlite", ["history", "show", "--db", "{0}"]),
    "history_add": ("old.sqlite", ["history", "add", "run.zstall", "--commit", "new", "--db", "{0}"]),
}
# Every command that takes a trace.
TRACE_COMMANDS = [["stat", "{0}"], ["stat", "{0}", "--stacks"], ["diff", "{0}", "run.zstall"], ["diff", "run.zstall", "{0}"],
                  ["report", "{0}", "-o", "x"], ["check", "{0}", "--max", "waits=99"], ["check", "run.zstall", "--max", "waits=9", "--baseline", "{0}"],
                  ["baseline", "update", "{0}", "-o", "x"], ["baseline", "show", "{0}"], ["history", "add", "{0}", "--commit", "b", "--db", "x"],
                  ["init", "{0}", "-o", "x"], *(["export", "{0}", "--format", name, "-o", "x"] for name in ("perfetto", "chrome", "csv", "json"))]


def sound(here, source):
    return (here.path / source).read_bytes() if isinstance(source, str) else source.read_bytes()


class Damaged(unittest.TestCase):
    def each(self, kind, damage):
        """damage(bytes, part of PARTS): other bytes."""
        with Folder() as here, FaultCount(kind, self.id()) as faults:
            for reader, (source, argv) in READERS.items():
                whole = sound(here, source)
                for part in range(PARTS):
                    with faults.input(f"{reader} {part}/{PARTS}"):
                        (here.path / "bad").write_bytes(damage(whole, part))
                        expect_orderly(here.run([text.replace("{0}", "bad") for text in argv]))
                        assert not list((here.path / "tmp").iterdir()), "temporary files are left"
                        assert not [name for name in here.files() if name.startswith("bad.")], "temporary files are left"

    def test_cut_off(self):
        self.each("file_cut", lambda whole, part: whole[:len(whole) * part // PARTS])

    def test_flipped_bits(self):
        def damage(whole, part):
            chance, changed = random.Random(f"{len(whole)} {part}"), bytearray(whole)
            for _ in range(1 + part % 8):
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            return bytes(changed)
        self.each("file_flipped", damage)

    def test_other_bytes(self):
        """A page of it lost, repeated, zeroed, or noise in its place."""
        def damage(whole, part):
            chance, at = random.Random(f"{len(whole)} {part}"), len(whole) * part // PARTS
            size = max(len(whole) // PARTS, 1)
            middle = [b"", whole[at:at + size] * 2, b"\0" * size, chance.randbytes(size)][part % 4]
            return whole[:at] + middle + whole[at + size:]
        self.each("file_other_bytes", damage)


class NoTrace(unittest.TestCase):
    def test_what_is_no_trace_is_refused_by_every_command(self):
        with Folder() as here, FaultCount("file_no_trace", self.id()) as faults:
            (here.path / "empty").write_bytes(b"")
            (here.path / "text").write_bytes(b"hello\n" * 100)
            (here.path / "noise").write_bytes(random.Random(1).randbytes(20_000))
            (here.path / "zeros").write_bytes(b"\0" * 100_000)
            (here.path / "deep").write_bytes(b"[" * 200_000)
            (here.path / "folder").mkdir()
            (here.path / "loop").symlink_to("loop")
            (here.path / "bomb").write_bytes((SEEDS / "gzip/bomb.gz").read_bytes())
            names = ["empty", "text", "noise", "zeros", "deep", "folder", "loop", "missing", "bomb", "/dev/null", "/proc/self/mem"]
            for argv in TRACE_COMMANDS if MANY else TRACE_COMMANDS[::3]:
                for name in names:
                    with faults.input(f"{argv} {name}"):
                        expect_orderly(here.run([text.replace("{0}", name) for text in argv]), (2, 3))
                        assert not (here.path / "x").exists(), "something was written"

    def test_damaged_traces_by_every_command(self):
        with Folder() as here, FaultCount("file_damaged_trace", self.id()) as faults:
            for name in ("native/steps.zstall", "kineto/old.json", "nsys/training.sqlite"):
                whole = (SEEDS / name).read_bytes()
                (here.path / "bad").write_bytes(whole[:len(whole) * 2 // 3])
                for argv in TRACE_COMMANDS:
                    with faults.input(f"{argv} {name}"):
                        expect_orderly(here.run([text.replace("{0}", "bad") for text in argv]))
                        (here.path / "x").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main(verbosity=0)
