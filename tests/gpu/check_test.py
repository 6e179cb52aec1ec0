"""The parts of check.sh, with recorded outputs: the table of real against simulated, the ratios, and what it says without a GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import compare_counts
import overhead
import run_both

HERE = pathlib.Path(__file__).resolve().parent


def stat(waits=3, drains=2, launches=100):
    spread = {"min": 1, "median": 1, "p95": 1, "max": 1}
    return {"schema": "zerostall/stat/1", "lost": 0, "steps": [{"judged": True}, {"judged": False}],
            "totals": {"waits": waits, "drains": drains, "blocked_ns": 123}, "outside": {"waits": 1, "blocked_ns": 4},
            "per_step": {"waits": dict(spread), "drains": dict(spread), "blocked_ns": dict(spread)},
            "calls": {"cudaLaunchKernel": {"count": launches}, "cudaEventQuery": {"count": 7}},
            "gpu_work": {"kernels": launches, "copies": 2, "memsets": 0}}


def verify(waits=3):
    spread = {"min": 0, "median": waits, "p95": waits, "max": waits}
    return {"schema": "zerostall/verify/1", "verdict": "pass",
            "runs": [{"fixes": [], "steps": {"judged": 10}, "regions": {"train": {"per_step": {"waits": spread}}}},
                     {"fixes": ["a", "b"], "steps": {"judged": 10}, "regions": {"train": {"per_step": {"waits": spread}}}}]}


def by_count(rows):
    return {row[1]: row[2:] for row in rows}


class Table(unittest.TestCase):
    def test_alike(self):
        rows = compare_counts.compare({"p": stat()}, {"p": stat()})
        self.assertTrue(all(row[4] == "ok" for row in rows))
        self.assertEqual(by_count(rows)["calls: cudaLaunchKernel"], (100, 100, "ok"))
        self.assertEqual(by_count(rows)["per step: waits"], ("1/1/1", "1/1/1", "ok"))
        self.assertFalse(any("_ns" in row[1] for row in rows), "times are no counts")

    def test_a_count_differs(self):
        rows = by_count(compare_counts.compare({"p": stat(waits=4)}, {"p": stat()}))
        self.assertEqual(rows["total: waits"], (4, 3, "DIFF"))
        self.assertEqual(rows["total: drains"], (2, 2, "ok"))

    def test_what_depends_on_time_is_told_apart(self):
        rows = by_count(compare_counts.compare({"p": stat(drains=1)}, {"p": stat()}))
        self.assertEqual(rows["total: drains"], (1, 2, "time"))

    def test_a_step_that_differs_is_seen_where_the_usual_one_does_not(self):
        other = stat()
        other["per_step"]["waits"]["max"] = 2
        rows = by_count(compare_counts.compare({"p": other}, {"p": stat()}))
        self.assertEqual(rows["per step: waits"], ("1/1/2", "1/1/1", "DIFF"))

    def test_a_call_of_one_side_counts_zero_on_the_other(self):
        other = stat()
        other["calls"]["cudaMalloc"] = {"count": 5}
        self.assertEqual(by_count(compare_counts.compare({"p": stat()}, {"p": other}))["calls: cudaMalloc"], (0, 5, "DIFF"))

    def test_waits_between_steps_may_move_into_one_as_long_as_none_is_lost(self):
        other = stat()
        other["outside"]["waits"] = 2
        self.assertEqual(by_count(compare_counts.compare({"p": other}, {"p": stat()}))["outside steps: waits"], (2, 1, "time"))
        other["totals"]["waits"] = 4
        self.assertEqual(by_count(compare_counts.compare({"p": other}, {"p": stat()}))["outside steps: waits"], (2, 1, "DIFF"))

    def test_implicit_calls_differ_by_time_where_they_are_pinned_memory(self):
        one, other = stat(), stat()
        one["totals"]["implicit"], other["totals"]["implicit"] = 5, 7
        self.assertEqual(by_count(compare_counts.compare({"p": one}, {"p": other}))["total: implicit"], (5, 7, "DIFF"))
        one["calls"]["cudaHostAlloc"], other["calls"]["cudaHostAlloc"] = {"count": 3}, {"count": 5}
        rows = by_count(compare_counts.compare({"p": one}, {"p": other}))
        self.assertEqual(rows["total: implicit"], (5, 7, "time"))
        self.assertEqual(rows["calls: cudaHostAlloc"], (3, 5, "time"))

    def test_verify_gives_a_row_for_each_setting(self):
        rows = by_count(compare_counts.compare({"flux2": verify()}, {"flux2": verify(2)}))
        self.assertEqual(rows["no fix: train: waits"], ("0/3/3", "0/2/2", "DIFF"))
        self.assertEqual(rows["a + b: steps judged"], (10, 10, "ok"))
        self.assertEqual(rows["verdict"], ("pass", "pass", "ok"))

    def test_a_program_that_ran_on_one_side_only_differs(self):
        rows = compare_counts.compare({"p": stat(), "q": None}, {"p": stat(), "q": stat()})
        self.assertIn(("q", "whole run", "no run", "ran", "DIFF"), rows)

    def test_a_document_of_another_kind_is_refused(self):
        with self.assertRaises(ValueError):
            compare_counts.counts_of({"schema": "something/1"})

    def test_as_a_program(self):
        for second, code, word in ((stat(), 0, "0 differ"), (stat(waits=9), 1, "1 differ")):
            with tempfile.TemporaryDirectory() as folder:
                for side, document in (("real", stat()), ("simulated", second)):
                    pathlib.Path(folder, side).mkdir()
                    pathlib.Path(folder, side, "p.json").write_text(json.dumps(document))
                pathlib.Path(folder, "real", "cut.json").write_text("{")
                pathlib.Path(folder, "simulated", "cut.json").write_text("{")
                done = subprocess.run([sys.executable, "-B", HERE / "compare_counts.py", f"{folder}/real", f"{folder}/simulated"],
                                      stdout=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1, "the cut one ran on neither side")
                pathlib.Path(folder, "real", "cut.json").unlink()
                pathlib.Path(folder, "simulated", "cut.json").unlink()
                done = subprocess.run([sys.executable, "-B", HERE / "compare_counts.py", f"{folder}/real", f"{folder}/simulated"],
                                      stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, code)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0].split(), ["program", "count", "real", "simulated", "verdict"])
            self.assertIn(word, lines[-1])


class Ratios(unittest.TestCase):
    def test_the_median_of_pairs_not_the_ratio_of_medians(self):
        without, with_it, ratio, low, high = overhead.ratios([(10, 11), (20, 21), (30, 36)])
        self.assertEqual((without, with_it), (20, 21))
        self.assertAlmostEqual(ratio, 1.1)
        self.assertAlmostEqual(low, 1.05)
        self.assertAlmostEqual(high, 1.2)

    def test_the_line(self):
        self.assertEqual(overhead.line_of("counts only", [(10.0, 10.5)]),
                         "counts only: 10.50 ms a step, 10.00 ms without: +5.0 % (1 pair, +5.0 to +5.0 %)")
        self.assertEqual(overhead.line_of("counts only", []), "counts only: not measured")

    def test_step_times_are_found_among_other_output(self):
        text = 'hello\n{"step_ms": [50, 40, 30, 2, 1]}\nzerostall: run.zstall\n'
        self.assertEqual(overhead.step_times(text), [2, 1], "the first steps are warm-up")
        with self.assertRaises(ValueError):
            overhead.step_times("hello\n")

    def test_the_untraced_run_uses_the_same_device(self):
        options = mock.Mock(build="b", python="py", device="gpu", steps=5, out=pathlib.Path("o"))
        self.assertEqual(overhead.commands(options)[0][0], "py")
        options.device = "sim"
        without, ways = overhead.commands(options)
        self.assertIn("--no-tracer", without)
        self.assertEqual(set(ways), set(overhead.WAYS))


class Programs(unittest.TestCase):
    def test_options_of_the_simulated_gpu_are_left_out_on_a_real_one(self):
        header = mock.Mock(options=["--sim-values", "x.json", "--quiet", "--gpus", "2"])
        self.assertEqual(run_both.options_for("gpu", header), ["--quiet"])
        self.assertEqual(run_both.options_for("sim", header), header.options)


class Script(unittest.TestCase):
    def run_script(self, **environment):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(["bash", HERE / "check.sh", folder], env={**os.environ, **environment}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_without_a_gpu_it_says_so_in_one_line(self):
        done = self.run_script(CHECK_BUILD=BUILD, CHECK_DEVICE="gpu")
        if "no GPU at hand" not in done.stderr and done.returncode != 4:
            self.skipTest("there is a GPU here")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Acheck.sh: no GPU at hand: .*\n\Z")

    def test_without_a_build_it_says_what_to_do(self):
        done = self.run_script(CHECK_BUILD="/nonexistent")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"\Acheck.sh: .* is not built: run ./dev build\n\Z")

    def test_shellcheck(self):
        try:
            done = subprocess.run(["shellcheck", HERE / "check.sh"], stdout=subprocess.PIPE, text=True)
        except FileNotFoundError:
            self.skipTest("no shellcheck")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    sys.path.insert(0, str(HERE))
    unittest.main()
