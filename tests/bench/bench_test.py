"""bench.py and bench_table.py on made-up figures and programs: verdicts, exponents, tables, failing parts. Measures nothing."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest
from unittest import mock

import bench
import bench_table as table
from figures import GOALS, Table, load_goals

LESS = {"id": "a.time", "limit": 10, "unit": "ns", "source": "a call takes at most 10 ns"}
MORE = {"id": "a.rate", "limit": 0.7, "unit": "x", "better": "more", "source": "at 0.7 or more", "known_miss": {"bound": 0.5, "why": "it is hard"}}
NONE = {"id": "a.lost", "limit": 0, "unit": "calls", "source": "none is lost"}
AWAY = {"id": "b.build", "limit": 5, "unit": "s", "source": "it builds", "elsewhere": "make"}


def goals(*some):
    return {goal["id"]: goal for goal in some}


def figure(id, value, **more):
    return {"part": id.split(".")[0], "id": id, "what": f"what {id} is", "value": value, "unit": "ns", **more}


def data(*figures, failures=()):
    return {"machine": {"cpu": "a CPU", "cores": 2, "memory_gib": 8}, "versions": {"Python": "3.11"}, "figures": list(figures),
            "parts": {"a": {"date": "2026-12-01T10:00:00", "commit": "abc", "state": "s", "seconds": 1.0, "failures": list(failures)}}}


class Verdicts(unittest.TestCase):
    def test_a_limit_itself_holds(self):
        for goal, value, verdict in ((LESS, 10, "holds"), (LESS, 10.1, "missed"), (MORE, 0.7, "holds"), (MORE, 0.69, "known miss"),
                                     (MORE, 0.5, "known miss"), (MORE, 0.49, "beyond its bound"), (NONE, 0, "holds"), (NONE, 1, "missed"),
                                     (LESS, None, "not measured"), (MORE, None, "not measured"), (AWAY, None, "elsewhere"), (AWAY, 6, "missed")):
            self.assertEqual(table.judge(goal, value), verdict, (goal["id"], value))

    def test_only_known_misses_and_what_is_measured_elsewhere_may_stay(self):
        lines, good = table.check_text(goals(LESS, MORE, AWAY), [figure("a.time", 3), figure("a.rate", 0.6)])
        self.assertTrue(good, lines)
        self.assertIn("3 goals: 1 holds, 1 known miss, 1 elsewhere", lines[-1])
        self.assertIn("0.60 x, limit 0.7, 17 % over", lines[0])
        self.assertIn("it is hard", lines[0])
        for figures in ([figure("a.rate", 0.6)], [figure("a.time", 11), figure("a.rate", 0.6)], [figure("a.time", 3), figure("a.rate", 0.4)]):
            lines, good = table.check_text(goals(LESS, MORE), figures)
            self.assertFalse(good, lines)

    def test_the_real_goals_are_whole(self):
        known = load_goals()
        self.assertGreater(len(known), 50)
        self.assertEqual(len(known), len(json.loads(GOALS.read_text())["goals"]), "an id stands twice")
        for goal in known.values():
            self.assertLessEqual(goal.keys(), {"id", "limit", "unit", "better", "source", "known_miss", "elsewhere"})
            self.assertIn(goal.get("better", "more"), ("less", "more"))
            self.assertTrue(goal["source"])
            if miss := goal.get("known_miss"):
                self.assertTrue(miss["why"])
                self.assertEqual(table.judge(goal, miss["bound"]), "known miss", f"the bound of {goal['id']} is on the wrong side of its limit")

    def test_each_goal_is_of_a_part_that_measures_it(self):
        parts = bench.parts_of("build")
        for id, goal in load_goals().items():
            self.assertTrue("elsewhere" in goal or id.startswith("exponent: ") or id.split(".")[0] in parts, id)


class Curves(unittest.TestCase):
    def test_the_exponent_is_that_of_the_total(self):
        for power in (0.5, 1, 2):
            points = [(x, x ** power / x) for x in (10, 100, 1000)]
            self.assertAlmostEqual(table.exponent(points), power)

    def test_fixed_cost_below_the_last_two_decades_does_not_count(self):
        self.assertAlmostEqual(table.exponent([(1, 1e9), (10, 5), (100, 5), (1000, 5)]), 1)

    def test_one_point_tells_nothing(self):
        self.assertIsNone(table.exponent([(10, 1)]))
        goal = {"id": "exponent: events: x", "limit": 1.1, "unit": "", "source": "linear"}
        one = figure("a.1", 3, curve={"name": "events: x", "x": 10})
        self.assertEqual(table.verdicts(goals(goal), [one])[0][2], "not measured")
        more = figure("a.2", 6, curve={"name": "events: x", "x": 100})
        self.assertEqual(table.verdicts(goals(goal), [one, more])[0][2], "missed")


class Tables(unittest.TestCase):
    def test_rows_say_limit_ratio_and_verdict(self):
        text = "\n".join(table.table_of(data(figure("a.time", 5), figure("a.plain", 7)), goals(LESS), True))
        self.assertIn("| what a.time is | 5.00 ns | 10 ns | 0.50 | yes |", text)
        self.assertIn("| what a.plain is | 7.00 ns |  |  |  |", text)
        self.assertIn("`./dev bench a`", text)
        self.assertNotIn("a.plain", "\n".join(table.table_of(data(figure("a.time", 5), figure("a.plain", 7)), goals(LESS), False)))

    def test_a_peer_is_told_with_how_many_times_ours_it_takes(self):
        row = table.table_of(data(figure("a.hta", 15, peer={"name": "zerostall stat", "value": 0.2, "ratio": 75})), {}, True)[-1]
        self.assertEqual(row, "| what a.hta is | 15.0 ns | zerostall stat: 0.20 ns | 75.0 x |  |")

    def test_a_part_that_failed_and_what_was_not_measured_are_named(self):
        lines = table.whole_lines(data(failures=["a.py failed (signal 9): oh"]), goals(LESS))
        self.assertIn("| a.py failed (signal 9): oh | | | | not measured |", lines)
        self.assertIn("- Not measured: a call takes at most 10 ns.", lines)

    def test_marks_of_the_readme(self):
        text = f"before\n{table.MARK}\nold\n{table.END}\nafter\n"
        self.assertEqual(table.put_between_marks(text, ["new", "lines"]), f"before\n{table.MARK}\nnew\nlines\n{table.END}\nafter\n")
        for broken in ("before\n", f"{table.MARK}\nold\n", f"{table.END}\n{table.MARK}\n", text + text):
            with self.assertRaises(ValueError):
                table.put_between_marks(broken, [])

    def test_the_readme_has_its_marks(self):
        table.put_between_marks((bench.ROOT / "README.md").read_text(), [])


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measure(self, *programs):
        with contextlib.redirect_stdout(io.StringIO()):
            return bench.measure("a", [[sys.executable, "-S", "-c", program] for program in programs], self.folder)

    def test_a_crash_is_named_and_the_rest_runs(self):
        tell = "import os; open(os.environ['ZEROSTALL_BENCH_FIGURES'], 'a').write('{\"id\": \"a.time\", \"value\": 1}\\n')"
        known, figures = self.measure(tell, "import os; print('before the end', flush=True); os.abort()", "import sys; sys.exit('bad')", tell)
        self.assertEqual([f["id"] for f in figures], ["a.time", "a.time"])
        self.assertEqual(figures[0]["command"], "./dev bench a")
        self.assertEqual(len(known["failures"]), 2)
        self.assertIn("signal 6", known["failures"][0])
        self.assertIn("exit code 1): bad", known["failures"][1])

    def test_a_skipped_program_says_why(self):
        known, _ = self.measure("import sys; print('no Chromium'); sys.exit(77)")
        self.assertIn("was skipped: no Chromium", known["failures"][0])

    def test_what_hangs_is_ended_with_what_it_started(self):
        with mock.patch.object(bench, "LIMIT_S", 0.3):
            known, _ = self.measure("import subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True); import time; time.sleep(60)")
        self.assertIn("took longer than 0.3 s and was ended", known["failures"][0])
        child = int((self.folder / "a.log").read_text())
        for _ in range(100):  # until init has taken it away
            if not pathlib.Path(f"/proc/{child}").exists() or "Z" in pathlib.Path(f"/proc/{child}/stat").read_text().split()[2]:
                return
            time.sleep(0.05)
        self.fail("its child lives on")

    def test_a_program_that_is_missing(self):
        with contextlib.redirect_stdout(io.StringIO()):
            known, _ = bench.measure("a", [[str(self.folder / "none")]], self.folder)
        self.assertIn("none could not be started: No such file", known["failures"][0])

    def test_figures_of_an_earlier_run_of_the_part_are_gone(self):
        (self.folder / "a.jsonl").write_text('{"id": "a.old"}\n')
        self.assertEqual(self.measure("pass")[1], [])

    def test_stale_is_what_failed_is_missing_or_of_other_sources(self):
        with mock.patch.object(bench, "state", return_value="now"):
            known = {name: {"state": s, "failures": f} for name, s, f in (("fresh", "now", []), ("old", "then", []), ("failed", "now", ["x"]))}
            self.assertEqual(bench.stale_parts({"parts": known}, ["fresh", "old", "failed", "missing"]), ["old", "failed", "missing"])

    def test_what_another_machine_measured_is_not_taken(self):
        path = self.folder / "bench.json"
        self.assertEqual(bench.load(path)["figures"], [])
        bench.write(path, json.dumps({**bench.load(path), "figures": [1]}))
        self.assertEqual(bench.load(path)["figures"], [1])
        bench.write(path, json.dumps({**bench.load(path), "machine": {"cpu": "another"}, "figures": [1]}))
        self.assertEqual(bench.load(path)["figures"], [])
        path.write_text("cut off {")
        self.assertEqual(bench.load(path)["figures"], [])


class Telling(unittest.TestCase):
    def test_one_line_each_with_its_ratio(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, ZEROSTALL_BENCH_FIGURES=f"{folder}/f"):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                told = Table(goals(LESS, MORE, NONE))
                told.figure("a.time", "time", 5, "ns")
                told.figure("a.rate", "rate", 1.4, "x", "fast", curve=("c", 10))
                told.figure("a.lost", "lost", 0, "calls")
                told.figure("a.hta", "another", 8, "s", peer=("ours", 2))
            lines = [json.loads(line) for line in pathlib.Path(folder, "f").read_text().splitlines()]
        self.assertEqual([line.get("ratio") for line in lines], [0.5, 0.5, None, None])
        self.assertEqual([line.get("holds") for line in lines], [True, True, True, None])
        self.assertEqual(lines[1]["curve"], {"name": "c", "x": 10})
        self.assertEqual(lines[3]["peer"], {"name": "ours", "value": 2, "ratio": 4})
        self.assertIn("0.50 of at least 0.7 x", out.getvalue())


if __name__ == "__main__":
    unittest.main()
