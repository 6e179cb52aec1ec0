"""The table of faults from what tests wrote. Usage: table_test.py"""
import json
import os
import pathlib
import tempfile
import unittest

import fault_count
import table

KINDS = [{"kind": "a", "what": "fault a", "means": "fine"}, {"kind": "fuzz", "what": "fault b", "means": "well"}]


def begun(kind, test):
    return {"kind": kind, "test": test, "began": True}


def count(kind, test, tried, survived):
    return {"kind": kind, "test": test, "tried": tried, "survived": survived, "skipped": False}


class Table(unittest.TestCase):
    def test_counts_of_tests_are_added(self):
        rows = table.add_up([begun("a", "X.one"), begun("a", "X.two"), count("a", "X.two", 5, 5), count("a", "X.one", 3, 3)], KINDS)
        self.assertEqual((rows[0]["tried"], rows[0]["survived"], rows[0]["tests"]), (8, 8, ["X.two", "X.one"]))
        self.assertEqual([table.outcome(row) for row in rows], ["8 of 8", "not run here"])
        self.assertFalse(table.failed(rows))
        self.assertIn("| fault a | 8 of 8 | fine | `X` |", table.markdown(rows))
        self.assertIn("8 faults and 0 fuzzed inputs", table.markdown(rows))

    def test_what_was_not_survived_or_ended_half_way_fails(self):
        rows = table.add_up([begun("a", "X.one"), count("a", "X.one", 3, 2)], KINDS)
        self.assertEqual((table.outcome(rows[0]), table.failed(rows)), ("**2 of 3**", True))
        rows = table.add_up([begun("a", "X.one"), begun("a", "X.two"), count("a", "X.two", 1, 1)], KINDS)
        self.assertEqual((table.outcome(rows[0]), table.failed(rows)), ("**a test died** (X.one)", True))

    def test_a_skipped_test_counts_nothing(self):
        rows = table.add_up([begun("a", "X.one"), count("a", "X.one", 0, 0)], KINDS)
        self.assertEqual((table.outcome(rows[0]), rows[0]["tests"], table.failed(rows)), ("not run here (skipped)", [], False))

    def test_wrong_lines_are_refused(self):
        for lines in ([begun("b", "X.one")], [begun("a", "X"), count("a", "X", 1, 2)], [count("a", "X", 1, 1)]):
            self.assertRaises(ValueError, table.add_up, lines, KINDS)

    def test_the_readme_keeps_all_but_the_table(self):
        text = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
        once = table.put_between_markers(text, "new\n")
        self.assertEqual(once, f"before\n{table.BEGIN}\nnew\n{table.END}\nafter\n")
        self.assertEqual(table.put_between_markers(once, "new\n"), once)
        self.assertRaises(ValueError, table.put_between_markers, "nothing", "new")

    def test_kinds_are_known_once_and_said_whole(self):
        kinds = table.known_kinds()
        self.assertEqual(len({kind["kind"] for kind in kinds}), len(kinds))
        for kind in kinds:
            self.assertEqual(sorted(kind), ["kind", "means", "what"])
            self.assertNotIn("|", kind["what"] + kind["means"])

    def test_counts_in_python(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "counts")
            before = os.environ.get("ZEROSTALL_FAULTS")
            os.environ["ZEROSTALL_FAULTS"] = str(path)
            try:
                with self.assertRaisesRegex(AssertionError, "1 of 3 were not survived"):
                    with fault_count.FaultCount("a", "T") as faults:
                        for n in range(3):
                            with faults.input(n):
                                assert n != 1, "one"
            finally:
                os.environ.pop("ZEROSTALL_FAULTS")
                if before is not None:
                    os.environ["ZEROSTALL_FAULTS"] = before
            rows = table.add_up([json.loads(line) for line in path.read_text().splitlines()], KINDS)
        self.assertEqual(table.outcome(rows[0]), "**2 of 3**")


if __name__ == "__main__":
    unittest.main(verbosity=0)
