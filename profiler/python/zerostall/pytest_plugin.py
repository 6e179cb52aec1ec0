"""pytest: the fixture `zerostall_run`, which runs a training step recorded, in a process of its own, and judges its waits.

    def test_step_does_not_wait(zerostall_run):
        run = zerostall_run("train_step.py", steps=10)
        run.assert_waits_per_step(0, allow={"log_metrics": 1})

--zerostall-device DEVICE    where it runs: sim (default), sim:MODEL, gpu or auto
--zerostall-reports FOLDER   where the pages of failed tests are written (default: .zerostall under pytest's root)
@pytest.mark.zerostall(device="sim:a100", timeout=60)   for one test
"""
from __future__ import annotations

import inspect
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Union

import pytest

from ._program import program
from ._record import NO_CUDA, RecordError, record
from ._run import Run

Subject = Union[str, "os.PathLike[str]", Callable[[], Any]]
_runs = pytest.StashKey[List[Run]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("zerostall", "waits for the GPU")
    group.addoption("--zerostall-device", default=None, metavar="DEVICE",
                    help="where zerostall_run runs programs: sim (default), sim:MODEL, gpu or auto")
    group.addoption("--zerostall-reports", default=None, metavar="FOLDER",
                    help="where HTML pages of failed tests are written (default: .zerostall)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "zerostall(device=None, timeout=300): settings of the fixture zerostall_run for this test")


def why_impossible(device: str = "sim") -> Optional[str]:
    """Why no program can be recorded here; None: it can."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return f"zerostall records on Linux on x86-64, not on {sys.platform} on {platform.machine()}"
    try:
        path = program()
    except FileNotFoundError as problem:
        return str(problem)
    if device == "gpu":
        done = subprocess.run([path, "doctor", "--json", "--device", "gpu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 4:
            return f"--zerostall-device gpu: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no working GPU'}"
    return None


def _needs_torch(script: Path) -> bool:
    return re.search(r"^\s*(import|from)\s+torch\b", script.read_text(errors="replace"), re.MULTILINE) is not None


def _has_torch() -> bool:
    from importlib.util import find_spec
    return "torch" in sys.modules or find_spec("torch") is not None


class ZerostallRun:
    """The fixture: call it with what is to run. It remembers its runs for the report of a test that fails."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        marker = request.node.get_closest_marker("zerostall")
        self._settings: Mapping[str, Any] = marker.kwargs if marker else {}
        self._request, self.runs = request, request.node.stash.setdefault(_runs, [])
        self.device = self._settings.get("device") or request.config.getoption("--zerostall-device") or "sim"

    def __call__(self, subject: Subject, *arguments: str, steps: Optional[int] = None, device: Optional[str] = None,
                 warmup: int = 2, timeout: Optional[float] = None, env: Optional[Mapping[str, str]] = None,
                 **how: Any) -> Run:
        """Runs a script, or a function of a module, recorded and in a new process; returns its `zerostall.Run`.

        `subject`: a script (relative to the test's file or the working folder), or a function without arguments that can be
        imported by its name, e.g. one at the top of the test's module. `arguments`: of the script. `steps`: passed on as
        $ZEROSTALL_STEPS, and how many judged and warm-up steps together there must be at least. `device`: goes before marker
        and option. `timeout`: seconds (default 300). `how`: more for `zerostall.record`.

        Skips the test where no program can be recorded. Fails it where the program fails, makes no CUDA call, or marks fewer
        steps.
        """
        __tracebackhide__ = True
        device = device or self.device
        if why := why_impossible(device):
            pytest.skip(why)
        child = dict(os.environ if env is None else env)
        if steps is not None:
            child["ZEROSTALL_STEPS"] = str(steps)
        command = [sys.executable, *self._words(subject), *arguments]
        limit = timeout or self._settings.get("timeout", 300)
        try:
            run = record(command, device=device, warmup=warmup, timeout=limit, capture=True, env=child, **how)
        except RecordError as problem:
            pytest.fail(str(problem) if problem.returncode != NO_CUDA else
                        f"{problem}\n(the simulated GPU needs a CUDA build of torch, and the program must use it)", pytrace=False)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{' '.join(map(str, command))}: not done after {limit} s", pytrace=False)
        self.runs.append(run)
        if steps is not None and len(run.steps) < steps:
            pytest.fail(f"{len(run.steps)} steps were marked, {steps} are wanted: mark each by `for batch in zerostall.steps(...)`, "
                        f"and take their number from $ZEROSTALL_STEPS\n\n{run}", pytrace=False)
        return run

    def _words(self, subject: Subject) -> List[str]:
        """What follows `python`."""
        __tracebackhide__ = True
        if callable(subject):
            return self._call(subject)
        beside = Path(self._request.path).parent / subject
        script = beside if beside.exists() else Path(subject)
        if not script.exists():
            pytest.fail(f"no script {subject}, neither beside {self._request.path} nor in {os.getcwd()}", pytrace=False)
        if _needs_torch(script) and not _has_torch():
            pytest.skip(f"{script.name} imports torch, which is not installed")
        return [str(script)]

    @staticmethod
    def _call(function: Callable[[], Any]) -> List[str]:
        __tracebackhide__ = True
        name = getattr(function, "__qualname__", "")
        if not name.isidentifier() or not function.__module__:
            pytest.fail(f"{function!r} cannot be called by its name in another process: give a function at the top of a module",
                        pytrace=False)
        file = Path(inspect.getfile(function)).resolve()
        return ["-m", "zerostall._call", str(file), name]


@pytest.fixture
def zerostall_run(request: pytest.FixtureRequest) -> ZerostallRun:
    """Runs a training script recorded, on the simulated GPU unless told otherwise: zerostall_run("train.py", steps=10)."""
    return ZerostallRun(request)


def _page(item: pytest.Item, run: Run, number: int) -> str:
    folder = Path(item.config.getoption("--zerostall-reports") or item.config.rootpath / ".zerostall")
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", item.nodeid).strip("-")[-120:]
    return str(run.report(folder / f"{name}{f'-{number}' if number else ''}.html"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    runs: Sequence[Run] = item.stash.get(_runs, [])
    if report.when != "call" or not report.failed:
        return
    for number, run in enumerate(runs):
        try:
            link = f"page: {_page(item, run, number)}"
        except (OSError, RuntimeError) as problem:  # the test's own failure matters more
            link = f"no page could be written: {problem}"
        report.sections.append(("zerostall", f"{_table(run)}\n{link}"))


def _table(run: Run) -> str:
    lines = [f"{run.waits_per_step if run.waits_per_step is not None else 'unknown'} host waits per step, {run.device}"]
    for site in run.sites[:20]:
        lines.append(f"  {site.place}: {site.waits_per_step} per step, {site.waits} in all ({site.cause})")
        if site.advice:
            lines.append(f"      {site.advice}")
    return "\n".join(lines)
