"""Too little memory (ulimit -v), at every size between nothing and enough: the program says so, in one line, and leaves nothing.
Usage: memory_test.py (ZEROSTALL_PROGRAM names the program)"""
import gzip
import resource
import unittest

import commands
from commands import MANY, Folder, expect_clear_error
from fault_count import FaultCount

SIZES = 40 if MANY else 5
COARSE = 1 << (20 if MANY else 23)
COMMANDS = [["stat", "big.json", "--json"], ["stat", "packed.json.gz"], *([] if not MANY else [["report", "big.json", "-o", "x"], ["export", "big.json", "--format", "perfetto", "-o", "x"],
            ["check", "big.json", "--max", "waits=0"], ["diff", "big.json", "run.zstall"],
            ["history", "add", "run.zstall", "--commit", "b", "--db", "x"]])]


class Memory(unittest.TestCase):
    @unittest.skipIf(commands.SANITIZED, "AddressSanitizer reserves 16 TB of addresses")
    def test_any_amount(self):
        with Folder() as here, FaultCount("memory", self.id()) as faults:
            (here.path / "big.json").write_text(commands.big_trace(3000))
            (here.path / "packed.json.gz").write_bytes(gzip.compress((here.path / "big.json").read_bytes(), 1))
            least = self.least(here, ["--version"])
            for argv in COMMANDS:
                most = max(self.least(here, argv), least + 1)
                for part in range(SIZES):
                    limit = least + (most - least) * part // SIZES
                    with faults.input(f"{argv} {limit >> 10} KiB"):
                        ended = here.run(argv, limits={resource.RLIMIT_AS: limit})
                        if ended.code not in (0, 1):  # less threads or smaller buffers may do
                            expect_clear_error(ended, (2, 3, 4))
                            assert not [name for name in here.files() if name == "x" or name.startswith(("x.", "tmp/"))], "files are left"
                        (here.path / "x").unlink(missing_ok=True)

    def least(self, here, argv):
        """Bytes with which it works, roughly."""
        low, high = 1 << 20, 1 << 30
        while high - low > COARSE:
            middle = (low + high) // 2
            worked = here.run(argv, limits={resource.RLIMIT_AS: middle}).code in (0, 1)
            low, high = (low, middle) if worked else (middle, high)
            (here.path / "x").unlink(missing_ok=True)
        return high


if __name__ == "__main__":
    unittest.main(verbosity=0)
