"""Programs that are measured in short turns, one after the other, so that whatever slows the machine down meets all of
them: the figure is the median over the turns of the difference between two programs of one turn."""
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pytorch"))
from profiler_counts import environment  # noqa: E402

# What the tracer is told, by the name of a variant; "plain" has no tracer.
VARIANTS = {
    "plain": None,
    "callbacks": {"ZEROSTALL_TRACE_GPU": "off", "ZEROSTALL_TRACE_STACKS": "none"},
    "activity": {"ZEROSTALL_TRACE_GPU": "on", "ZEROSTALL_TRACE_STACKS": "none"},
    "stacks": {"ZEROSTALL_TRACE_GPU": "on", "ZEROSTALL_TRACE_STACKS": "waits"},
}


class Subject:
    """A child that answers each line with one line of numbers."""

    def __init__(self, command, build, variant, folder, **more):
        self.name = variant
        self.trace = f"{folder}/{variant}-{id(self)}.zstall" if VARIANTS.get(variant) else None
        env = environment(build, self.trace, **(VARIANTS.get(variant) or {}), **more)
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.name}: the program ended with exit code {self.process.wait()}")
        return [int(word) for word in answer.split()]

    def end(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{self.name}: exit code {self.process.returncode}")

    def memory_kib(self):
        """Resident memory by kind."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in text.splitlines())
        return {kind: int(fields[kind].split()[0]) for kind in ("RssAnon", "RssFile", "RssShmem")}


def in_turns(subjects, line, turns):
    """{name: [answer, ...]}, one answer per turn. The order changes from turn to turn."""
    answers = {s.name: [] for s in subjects}
    for turn in range(turns):
        first = turn % len(subjects)
        for s in subjects[first:] + subjects[:first]:
            answers[s.name].append(s.ask(line))
    return answers


def median_difference(values, others):
    return statistics.median(a - b for a, b in zip(values, others))


def new_folder():
    import tempfile
    return tempfile.TemporaryDirectory(prefix="zerostall-bench-", dir=os.environ.get("TMPDIR"))
