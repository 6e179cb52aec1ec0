"""The pytest plugin, in test sessions of its own."""
import pytest

STEP = """
import os, torch, zerostall
x = torch.ones(2, device="cuda")
for _ in zerostall.steps(range(int(os.environ.get("ZEROSTALL_STEPS", 5)))):
    x = x + 1
    {line}
"""


@pytest.fixture
def session(pytester):
    def run(test, *arguments, line="pass"):
        pytester.makepyfile(train_step=STEP.format(line=line), test_it=test)
        return pytester.runpytest_subprocess("-p", "zerostall.pytest_plugin", *arguments)
    return run


JUDGES = """
def test_step(zerostall_run):
    zerostall_run("train_step.py", steps=6).assert_waits_per_step(0)
"""


def test_a_step_that_does_not_wait_passes(session):
    session(JUDGES).assert_outcomes(passed=1)


def test_a_step_that_waits_fails_with_its_line_and_a_page(session, pytester):
    result = session(JUDGES, line="x.sum().item()")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*at most 0 waits*", "*train_step.py:5*", "*page: *.html*"])
    assert list(pytester.path.glob(".zerostall/*.html"))


def test_allowed_waits_pass(session):
    test = JUDGES.replace("(0)", "(0, allow={'<module>': 1})")
    session(test, line="x.sum().item()").assert_outcomes(passed=1)


def test_functions_run_in_a_process_of_their_own(session):
    session("""
import sys, zerostall

def step():
    import torch
    x = torch.ones(2, device="cuda")
    for _ in zerostall.steps(range(6)):
        x = x + 1

def test_step(zerostall_run):
    assert str(zerostall_run(step).waits_per_step) == "0"
    assert "torch" not in sys.modules, "it ran elsewhere"
""").assert_outcomes(passed=1)


def test_too_few_steps_and_failing_programs_are_told(session):
    result = session("""
def test_few(zerostall_run):
    zerostall_run("train_step.py", steps=9, env={"ZEROSTALL_IGNORED": "1"})

def test_failing(zerostall_run, tmp_path):
    script = tmp_path / "broken.py"
    script.write_text("import torch; raise SystemExit('out of luck')")
    zerostall_run(script)

def test_missing(zerostall_run):
    zerostall_run("nothing.py")
""".replace('env={"ZEROSTALL_IGNORED": "1"}', 'device="sim"'), line="break")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*steps were marked, 9 are wanted*", "*out of luck*", "*no script nothing.py*"])


def test_a_gpu_that_is_not_there_skips_with_the_reason(session):
    if __import__("os").path.exists("/dev/nvidiactl"):
        pytest.skip("this machine has a GPU")
    result = session(JUDGES, "--zerostall-device", "gpu", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*gpu*"])


def test_in_parallel(session):
    pytest.importorskip("xdist")
    session(JUDGES + JUDGES.replace("test_step", "test_again"), "-n", "2").assert_outcomes(passed=2)
