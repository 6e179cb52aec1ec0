"""What `zerostall stat --json` says of a trace, as plain objects. Counts are per training step unless they say otherwise,
times are whole nanoseconds, and None is: not known."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._program import program

Counters = Mapping[str, Optional[int]]
TABLES = ("steps", "sites", "waits", "copies")


@dataclass(frozen=True)
class Spread:
    """A counter over the judged steps; percentiles by nearest rank. Prints as `3`, or `1..3` where it varies."""

    min: int
    median: int
    p95: int
    max: int

    def __str__(self) -> str:
        return str(self.min) if self.min == self.max else f"{self.min}..{self.max}"


def _spread(value: Optional[Mapping[str, int]]) -> Optional[Spread]:
    return None if value is None else Spread(**value)


@dataclass(frozen=True)
class Step:
    """One training step. `judged`: not part of the warm-up. `unsteady`: code was loaded or device memory grew in it.

    `counters` has every counter by its name in reports/schemas.md, `waits`, `stream_syncs` ... among them; `host_waits` says
    of each wait what it was made of: "cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize".
    """

    index: int
    begin_ns: int
    end_ns: int
    judged: bool
    unsteady: bool
    counters: Counters
    host_waits: Tuple[str, ...]

    @property
    def waits(self) -> Optional[int]:
        """How often the host waited in this step."""
        return self.counters["waits"]


@dataclass(frozen=True)
class Site:
    """A place in the program where the host waits, and why.

    `place` is for people: "train.py:12 in step"; `file`, `line`, `function` are None where not known. `cause` is a name for
    `zerostall explain`. `waits`: in the whole run. `advice`: what to write instead. `during`: of a thread without lines
    (autograd's), what the step's thread was doing.
    """

    place: str
    id: str
    file: Optional[str]
    line: Optional[int]
    function: Optional[str]
    source: Optional[str]
    what: str
    cause: str
    confidence: str
    evidence: Optional[str]
    advice: Optional[str]
    waits: int
    waits_per_step: Optional[Spread]
    drains: Optional[int]
    blocked_ns: Optional[int]
    avoidable_idle_ns: Optional[int]
    during: Optional[str]


@dataclass(frozen=True)
class WaitKind:
    """Waits that are made of the same calls and bytes, wherever they come from. `count`: in the whole run."""

    what: str
    count: int
    waits_per_step: Optional[Spread]


@dataclass(frozen=True)
class Copy:
    """Copies of one direction, kind of host memory, function and size. `count`: in the whole run."""

    direction: str
    host_memory: str
    api: str
    bytes: int
    count: int
    per_step: Optional[Spread]


@dataclass(frozen=True)
class Check:
    """What `zerostall check` says. `verdict`: pass, violation or cannot-tell; `text` as for a terminal; `data` is
    zerostall/check/1."""

    verdict: str
    text: str
    data: Dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        """Only a pass is true: what cannot be told is none."""
        return self.verdict == "pass"


@dataclass(frozen=True)
class Run:
    """A recorded run, of one process. Made by `record` and `load`.

    `clock`: "modelled" (simulated GPU: counts are exact, times a model's), "measured" or None. `steps_from`: marks, profiler,
    none, or inferred: anchor, period. `per_step`: counters over the judged steps; `regions` the same by region. `outside`:
    counters of what lies in no step, `background`: of other threads during steps, `totals`: of everything. `processes`: of
    a run of several processes all of them, as in zerostall/stat/1. `data`: all of it, zerostall/stat/1.
    """

    path: Path
    device: Optional[str]
    clock: Optional[str]
    complete: bool
    steps_from: str
    warmup: int
    steps: Tuple[Step, ...]
    sites: Tuple[Site, ...]
    waits: Tuple[WaitKind, ...]
    copies: Tuple[Copy, ...]
    per_step: Mapping[str, Optional[Spread]]
    regions: Mapping[str, Mapping[str, Optional[Spread]]]
    outside: Counters
    background: Counters
    totals: Counters
    processes: Tuple[Mapping[str, Any], ...]
    data: Dict[str, Any] = field(repr=False, compare=False)
    stdout: Optional[str] = field(default=None, repr=False, compare=False)  # of the program, where `record` kept it
    stderr: Optional[str] = field(default=None, repr=False, compare=False)
    options: Tuple[str, ...] = field(default=(), repr=False, compare=False)  # of `stat`, for the other commands
    _folder: Any = field(default=None, repr=False, compare=False)  # deletes a temporary trace with this object

    @property
    def judged(self) -> Tuple[Step, ...]:
        """The steps behind the warm-up."""
        return tuple(step for step in self.steps if step.judged)

    @property
    def waits_per_step(self) -> Optional[Spread]:
        """Host waits per judged step; None without any."""
        return self.per_step.get("waits")

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        from ._html import html_of
        return html_of(self)

    def _tool(self, command: str, *arguments: str, fine: Sequence[int] = (0,)) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run([program(), command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in fine:
            raise RuntimeError(f"zerostall {command}: {done.stderr.strip() or done.stdout.strip()}")
        return done

    def table(self) -> str:
        """What `zerostall stat` prints of it: figures per step, and each place that waits with its cause and advice."""
        return self._tool("stat", "--color", "never", *self.options, str(self.path), fine=(0, 3)).stdout

    def report(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the HTML page of `zerostall report`: one file that opens offline. Returns its path."""
        self._tool("report", *self.options, "-o", os.fspath(path), str(self.path))
        return Path(path)

    def check(self, policy: Union[None, str, "os.PathLike[str]"] = None, *, limits: Sequence[str] = (),
              allow: Optional[Mapping[str, int]] = None) -> Check:
        """Judges the run as `zerostall check` does, by a policy file, or by `limits` like "waits=0", "train.h2d_stalls=4".

        `allow`: waits per step that are let pass, by the function that they are in ("log_metrics"), or by "file:function" as
        the site of [[allow]] in a policy. Raises RuntimeError for a policy or limits that cannot be read.
        """
        with tempfile.TemporaryDirectory(prefix="zerostall-") as folder:
            texts, data = os.path.join(folder, "check.txt"), os.path.join(folder, "check.json")
            words = [] if policy is None else ["--policy", os.fspath(policy)]
            if allow:
                if policy is not None:
                    raise ValueError("give either a policy or `allow`: a policy has [[allow]] of its own")
                words = ["--policy", self._policy(folder, allow)]
            for limit in limits:
                words += ["--max", limit]
            self._tool("check", *self._without_rank(), *words, "--out", f"text={texts}", "--out", f"json={data}",
                       str(self.path), fine=(0, 1, 3))
            found = json.loads(Path(data).read_text())
            return Check(found["verdict"], Path(texts).read_text(), found)

    def assert_waits_per_step(self, at_most: int = 0, *, allow: Optional[Mapping[str, int]] = None) -> None:
        """Raises AssertionError, with the places that wait, unless every judged step waits at most so often for the GPU.

        `allow` as in `check`; blocks of `zerostall.allow_waits` are let pass as well. What cannot be told (too few steps, a
        trace that is cut off) fails too.
        """
        __tracebackhide__ = True
        found = self.check(limits=[f"waits={int(at_most)}"], allow=allow)
        if not found:
            raise AssertionError(f"at most {at_most} {'wait' if at_most == 1 else 'waits'} for the GPU per step expected\n"
                                 f"{found.text.rstrip()}\n\n{self.table().rstrip()}")

    def _without_rank(self) -> List[str]:
        """Options of `stat` that `check`, which judges all processes, knows as well."""
        words = list(self.options)
        if "--rank" in words:
            del words[words.index("--rank"):words.index("--rank") + 2]
        return words

    def _policy(self, folder: str, allow: Mapping[str, int]) -> str:
        entries = []
        for key, count in allow.items():
            for site in _sites_called(key, self.sites):
                entries.append(f"[[allow]]\nsite = {json.dumps(site, ensure_ascii=False)}\nwaits_per_step = {int(count)}\n"
                               f"reason = \"allow={{...}} of the caller\"\n")
        path = os.path.join(folder, "allow.toml")
        Path(path).write_text("\n".join(entries))
        return path

    def rows(self, table: str = "steps") -> List[Dict[str, Any]]:
        """One table as plain dictionaries: steps, sites, waits or copies; a spread stands as its maximum."""
        if table not in TABLES:
            raise ValueError(f"no table {table!r}: {', '.join(TABLES)}")
        return [_row(item) for item in getattr(self, table)]

    def to_numpy(self, table: str = "steps") -> Dict[str, Any]:
        """One table as a NumPy array for each column. What is not known is NaN in a column of numbers. Needs numpy."""
        import numpy
        rows = self.rows(table)
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        return {name: _array(numpy, values) for name, values in columns.items()}

    def to_pandas(self, table: str = "steps") -> Any:
        """One table as a pandas DataFrame; counts are Int64, <NA> where not known. Needs pandas."""
        import pandas
        return pandas.DataFrame(self.rows(table)).convert_dtypes()


def _array(numpy: Any, values: Sequence[Any]) -> Any:
    is_number = all(value is None or isinstance(value, (int, float)) for value in values)
    if is_number and None in values:
        return numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
    return numpy.array(values) if is_number else numpy.array(values, dtype=object)


def _row(item: Any) -> Dict[str, Any]:
    row: Dict[str, Any] = {}
    for name in item.__dataclass_fields__:
        value = getattr(item, name)
        if name == "counters":
            row.update(value)
        elif name == "host_waits":
            row[name] = "; ".join(value)
        else:
            row[name] = value.max if isinstance(value, Spread) else value
    return row


def _sites_called(key: str, sites: Sequence[Site]) -> List[str]:
    """Globs of a policy for a function's plain name; anything with a colon or a file is one already."""
    if ":" in key or "*" in key or key.endswith(".py"):
        return [key]
    found = {f"{site.file}:{site.function}" for site in sites
             if site.file and site.function and key in (site.function, site.function.rsplit(".", 1)[-1])}
    return sorted(found) or [f"*:{key}"]


def from_json(path: Path, data: Dict[str, Any], **more: Any) -> Run:
    """The object for what `zerostall stat --json` printed."""
    def spreads(of: Mapping[str, Any]) -> Dict[str, Optional[Spread]]:
        return {name: _spread(value) for name, value in of.items()}

    known = {"index", "begin_ns", "end_ns", "judged", "unsteady", "host_waits"}
    steps = tuple(Step(s["index"], s["begin_ns"], s["end_ns"], s["judged"], s["unsteady"],
                       {k: v for k, v in s.items() if k not in known}, tuple(s["host_waits"])) for s in data["steps"])
    fields = [name for name in Site.__dataclass_fields__ if name not in ("place", "waits_per_step")]
    sites = tuple(Site(place=s["site"], waits_per_step=_spread(s["waits_per_step"]), **{f: s[f] for f in fields})
                  for s in data["sites"])
    copies = tuple(Copy(c["direction"], c["host_memory"], c["api"], c["bytes"], c["count"], _spread(c["per_step"]))
                   for c in data["copies"] or ())
    return Run(path, data["device"]["name"], data["source"]["clock"], data["complete"], data["steps_from"], data["warmup"],
               steps, sites, tuple(WaitKind(w["what"], w["count"], _spread(w["per_step"])) for w in data["waits"]), copies,
               spreads(data["per_step"]), {name: spreads(r["per_step"]) for name, r in data["regions"].items()},
               data["outside"], data["background"], data["totals"], tuple(data.get("processes") or ()), data, **more)
