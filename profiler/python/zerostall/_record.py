"""Running a program recorded, and reading traces: by the program's own commands."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, List, Mapping, Optional, Sequence, Union

from ._program import program
from ._run import Run, from_json

StrPath = Union[str, "os.PathLike[str]"]
NO_CUDA = 3  # exit code of `record`: the program called neither CUDA nor NVTX


class RecordError(RuntimeError):
    """The program failed, or could not be recorded. `returncode`: its own, else that of `zerostall record`; `output`: what it
    printed, where that was captured."""

    def __init__(self, text: str, returncode: int, output: Optional[str]) -> None:
        super().__init__(text)
        self.returncode, self.output = returncode, output


def load(path: StrPath, *, warmup: int = 2, region: Optional[str] = None, rank: Optional[int] = None,
         step_pattern: Optional[str] = None) -> Run:
    """Reads a trace: .zstall, PyTorch profiler .json or .json.gz, Nsight Systems .sqlite, or a folder of the ranks of one job.

    `warmup`: first steps that are not judged. `region`: figures of this region of the steps only. `rank`: the process that
    is shown, of several (default: the one that waits most). `step_pattern`: names of NVTX ranges that are steps, where
    zerostall's own marks are missing.

    Raises FileNotFoundError, or ValueError for what is no trace or does not hold what was asked for.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"no trace {os.fspath(path)}")
    words: List[str] = ["--warmup", str(int(warmup))]
    for option, value in (("--region", region), ("--rank", rank), ("--step-pattern", step_pattern)):
        if value is not None:
            words += [option, str(value)]
    done = subprocess.run([program(), "stat", "--json", *words, os.fspath(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3) or not done.stdout.strip():
        raise ValueError(done.stderr.strip() or f"zerostall stat failed with exit code {done.returncode}")
    shared = [word for word in words if word not in ("--region", region)] if region is not None else words
    return from_json(Path(path), json.loads(done.stdout), options=tuple(shared))


def _command(argv: Sequence[StrPath], device: str, trace: StrPath, gpus: Optional[int], sim_values: Optional[StrPath],
             seed: Optional[int], options: Sequence[str]) -> List[str]:
    words = [program(), "record", "--quiet", "--device", device, "-o", os.fspath(trace)]
    for option, value in (("--gpus", gpus), ("--sim-values", sim_values), ("--seed", seed)):
        if value is not None:
            words += [option, str(value)]
    return [*words, *options, "--", *(os.fspath(word) for word in argv)]


def _run(command: List[str], timeout: Optional[float], **how: Any) -> "subprocess.CompletedProcess[str]":
    """As subprocess.run, but one that takes too long is asked to end first, so that the program's children end too."""
    with subprocess.Popen(command, text=True, errors="replace", **how) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            process.terminate()
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def record(argv: Sequence[StrPath], *, device: str = "auto", output: Optional[StrPath] = None, warmup: int = 2,
           gpus: Optional[int] = None, sim_values: Optional[StrPath] = None, seed: Optional[int] = None,
           env: Optional[Mapping[str, str]] = None, cwd: Optional[StrPath] = None, timeout: Optional[float] = None,
           capture: bool = False, check: bool = True, options: Sequence[str] = ()) -> Run:
    """Runs a program as `zerostall record` does, in a process of its own, and returns what it waited for.

    `argv`: the program and its arguments, e.g. [sys.executable, "train.py"]. `device`: auto (a GPU where there is one), gpu, sim or
    sim:MODEL. `output`: where the trace stays; without it it is deleted with the returned object. `gpus`, `sim_values` and
    `seed` are for the simulated GPU. `timeout`: seconds. `capture`: keep what it prints, in Run.stdout and Run.stderr.
    `check`: False returns the run of a program that failed, too. `options`: more of them, see `zerostall record --help`.

    Raises RecordError where the program fails, makes no CUDA call, or cannot be recorded; subprocess.TimeoutExpired;
    FileNotFoundError where this package has no program for this machine.
    """
    if isinstance(argv, (str, bytes)) or not argv:
        raise ValueError('argv is a list of words: [sys.executable, "train.py"]')
    folder = None
    if output is None:
        folder = tempfile.TemporaryDirectory(prefix="zerostall-")
        output = os.path.join(folder.name, "run.zstall")
    pipe = subprocess.PIPE if capture else None
    output = os.path.abspath(output)
    done = _run(_command(argv, device, output, gpus, sim_values, seed, options), timeout, env=env, cwd=cwd, stdout=pipe,
                stderr=pipe)
    if (done.returncode and check) or not os.path.exists(output):
        raise RecordError(_why(done), done.returncode, f"{done.stdout}{done.stderr}" if capture else None)
    run = load(output, warmup=warmup)
    for name, value in (("stdout", done.stdout), ("stderr", done.stderr), ("_folder", folder)):
        object.__setattr__(run, name, value)
    return run


def _why(done: "subprocess.CompletedProcess[str]") -> str:
    program_line = " ".join(done.args[done.args.index("--") + 1:])
    said = f":\n{done.stderr.strip()[-4000:]}" if done.stderr and done.stderr.strip() else ""
    if done.returncode == 0:
        return f"{program_line}: no trace was written{said}"
    if done.returncode == NO_CUDA and "CUDA call" in (done.stderr or "CUDA call"):
        return f"{program_line}: it made no CUDA call, so that there is nothing to count{said}"
    return f"{program_line}: exit code {done.returncode}{said}"
