"""record, load and what a Run offers; marks, no_waits and allow_waits in a traced process. One recorded program for most of it."""
import json
import subprocess
import sys
import textwrap

import pytest

import zerostall

PROGRAM = textwrap.dedent("""
    import torch, zerostall
    x = torch.ones(4, device="cuda")
    def log_metrics(x):
        return x.sum().item()
    for i in zerostall.steps(range(6)):
        x = x * 2
        log_metrics(x)
        with zerostall.allow_waits("shown to the user"):
            x.max().item()
    with zerostall.region("validate"):
        x.min().item()
    with zerostall.no_waits():
        x = x + 1
    try:
        with zerostall.no_waits():
            with zerostall.allow_waits("let pass"):
                x.mean().item()
            x.sum().item()
    except zerostall.WaitError as error:
        print("REFUSED", error.count, error.calls[0].line.line, error.calls[0].name)
""")


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "train.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def run(script):
    return zerostall.record([sys.executable, script], device="sim", capture=True, timeout=120)


def test_steps_sites_and_regions(run):
    assert [step.index for step in run.steps] == list(range(6))
    assert [step.judged for step in run.steps] == [False] * 2 + [True] * 4
    assert str(run.waits_per_step) == "2"
    assert run.steps_from == "marks" and run.complete and run.clock == "modelled"
    places = {(site.function, site.line): site.waits_per_step.max for site in run.sites if site.waits_per_step.max}
    assert places == {("log_metrics", 5): 1, ("<module>", 10): 1}
    assert run.data["outside_regions"]["validate"]["waits"] == 1


def test_no_waits_names_the_line_and_lets_pass_what_is_allowed(run):
    assert f"REFUSED 1 {PROGRAM.splitlines().index('        x.sum().item()', 15) + 1} cuda" in run.stdout


THREADS = """
import threading, torch, zerostall
class Reads(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2
    @staticmethod
    def backward(context, gradient):
        gradient.sum().item()  # on autograd's thread
        return gradient
x = torch.ones(4, device="cuda", requires_grad=True)
try:
    with zerostall.no_waits():
        Reads.apply(x).sum().backward()
except zerostall.WaitError as error:
    print("REFUSED", error.count, error.calls[0].line.line, error.calls[0].own_thread)
with zerostall.no_waits():
    for _ in range(2):
        thread = threading.Thread(target=lambda: x.detach().sum().item())
        thread.start()
        thread.join()
print("PASSED")
"""


def test_no_waits_sees_autograd_and_leaves_threads_of_python_alone(tmp_path):
    program = tmp_path / "threads.py"
    program.write_text(THREADS)
    found = zerostall.record([sys.executable, program], device="sim", capture=True, timeout=120)
    line = THREADS.splitlines().index("        gradient.sum().item()  # on autograd's thread") + 1
    assert found.stdout.splitlines() == [f"REFUSED 1 {line} False", "PASSED"]


@pytest.mark.parametrize("module", ["_marks", "_watch"])
def test_examples_of_docstrings_run(module):
    import doctest
    import importlib
    failed, tried = doctest.testmod(importlib.import_module(f"zerostall.{module}"))
    assert tried > 0 and failed == 0


def test_allow_waits_is_honoured_by_check(run):
    run.assert_waits_per_step(1)
    found = run.check(limits=["waits=0"], allow={"log_metrics": 1})
    assert found, found.text
    assert "shown to the user" in found.text
    with pytest.raises(AssertionError, match="log_metrics"):
        run.assert_waits_per_step(0)


def test_tables(run):
    rows = run.rows("steps")
    assert [row["waits"] for row in rows] == [2] * 6
    numpy = pytest.importorskip("numpy")
    columns = run.to_numpy("steps")
    assert isinstance(columns["waits"], numpy.ndarray) and columns["waits"].sum() == 12
    with pytest.raises(ValueError, match="no table 'nothing'"):
        run.rows("nothing")
    assert "log_metrics" in str(run)


def test_html_of_a_notebook_is_escaped(run):
    from dataclasses import replace
    site = replace(run.sites[0], place="<script>alert(1)</script>")
    text = replace(run, sites=(site,))._repr_html_()
    assert "<script>" not in text and "&lt;script&gt;" in text and "<svg" in text


def test_load_reads_what_record_kept(script, tmp_path):
    kept = tmp_path / "kept.zstall"
    zerostall.record([sys.executable, script], device="sim", output=kept, capture=True)
    again = zerostall.load(kept, warmup=3)
    assert again.warmup == 3 and len(again.judged) == 3
    page = again.report(tmp_path / "page.html")
    assert page.read_text().startswith("<!doctype html>") or "<html" in page.read_text()[:200]


def test_errors_are_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no trace"):
        zerostall.load(tmp_path / "nothing.zstall")
    (tmp_path / "text.zstall").write_text("no trace")
    with pytest.raises(ValueError):
        zerostall.load(tmp_path / "text.zstall")
    with pytest.raises(zerostall.RecordError) as failed:
        zerostall.record([sys.executable, "-c", "raise SystemExit(7)"], device="sim", capture=True)
    assert failed.value.returncode in (3, 7)
    with pytest.raises(ValueError, match="list of words"):
        zerostall.record("python train.py")


def test_untraced_marks_do_nothing_and_no_waits_says_so_once():
    code = ("import warnings; warnings.simplefilter('always'); import zerostall\n"
            "assert list(zerostall.steps([1, 2])) == [1, 2] and not zerostall.is_traced()\n"
            "with warnings.catch_warnings(record=True) as said:\n"
            "    warnings.simplefilter('always')\n"
            "    for _ in range(3):\n"
            "        with zerostall.no_waits(): pass\n"
            "assert len(said) == 1 and 'checks nothing' in str(said[0].message), said\n"
            "import sys; assert 'json' not in sys.modules, 'marks alone import little'\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_integrations_mark_one_step_per_update(tmp_path):
    """The callbacks, driven as their frameworks drive them; the frameworks themselves are not installed here."""
    program = tmp_path / "callbacks.py"
    program.write_text(textwrap.dedent("""
        import sys, types, torch, zerostall
        fake = types.ModuleType("transformers"); fake.TrainerCallback = object; sys.modules["transformers"] = fake
        from zerostall import integrations
        callback, state = integrations.transformers(), types.SimpleNamespace(global_step=0)
        x = torch.ones(1, device="cuda")
        for update in range(5):
            callback.on_step_begin(None, state, None)
            (x * 2).sum().item()
            state.global_step += 1
            callback.on_step_end(None, state, None)
        callback.on_train_end(None, state, None)
    """))
    found = zerostall.record([sys.executable, program], device="sim", capture=True)
    assert [step.index for step in found.steps] == list(range(5))
    assert str(found.waits_per_step) == "1"


def test_data_is_what_the_program_prints(run):
    assert run.data["schema"] == "zerostall/stat/1"
    json.dumps(run.data)
