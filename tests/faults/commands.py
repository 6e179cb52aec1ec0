"""The program from outside: folders with inputs, every command, and what each must keep to whatever happens to it."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
SEEDS = TESTS / "fuzz" / "corpus"
ENOUGH_S = 120
ZEROSTALL = os.environ.get("ZEROSTALL_PROGRAM", "")
MANY = bool(os.environ.get("ZEROSTALL_TEST_MANY"))  # label full: more of everything
SANITIZED = bool(os.environ.get("ZEROSTALL_TEST_SANITIZED"))

OUT_FORMATS = ("text", "md", "github", "gitlab", "junit", "sarif", "json", "bencher", "html")
CHECK = ["check", "run.zstall", "--max", "waits=99"]
# Commands that print, by name. Each runs in a folder made by `Folder`.
PRINTING = {
    "help": ["--help"],
    "version": ["--version"],
    "stat": ["stat", "run.zstall"],
    "stat_json": ["stat", "run.zstall", "--json"],
    "stat_csv": ["stat", "run.zstall", "--by", "cause", "--csv"],
    "stat_big": ["stat", "big.json", "--json"],
    "diff": ["diff", "run.zstall", "run.zstall"],
    "diff_json": ["diff", "run.zstall", "big.json", "--json"],
    "report": ["report", "run.zstall", "-o", "-"],
    "explain": ["explain"],
    "explain_cause": ["explain", "scalar-read"],
    "baseline_show": ["baseline", "show", "old.baseline.json"],
    "history_show": ["history", "show", "--db", "old.sqlite"],
    "history_plot": ["history", "plot", "--db", "old.sqlite"],
    "init": ["init", "run.zstall", "-o", "-"],
    "doctor": ["doctor", "--device", "sim"],
    "check_schema": ["check", "--schema"],
    "export_schema": ["export", "--schema"],
    "verify_list": ["verify", "--list"],
    **{f"check_{name}": [*CHECK, "--out", f"{name}=-"] for name in OUT_FORMATS},
    **{f"export_{name}": ["export", "big.json", "--format", name] for name in ("perfetto", "chrome", "csv", "json")},
}
# Commands that write a file: its name, and their arguments. {0} stands for that name.
WRITING = {
    "report": ("page.html", ["report", "big.json", "-o", "{0}"]),
    "report_two": ("two.html", ["report", "run.zstall", "big.json", "-o", "{0}"]),
    **{f"export_{name}": (f"out.{name}", ["export", "big.json", "--format", name, "-o", "{0}"])
       for name in ("perfetto", "chrome", "csv", "json")},
    **{f"check_{name}": (f"check.{name}", [*CHECK, "--out", f"{name}={{0}}"]) for name in OUT_FORMATS},
    "baseline_update": ("new.baseline.json", ["baseline", "update", "run.zstall", "-o", "{0}"]),
    "init": ("zerostall.toml", ["init", "run.zstall", "--force", "-o", "{0}"]),
    "history_add": ("history.sqlite", ["history", "add", "run.zstall", "--commit", "a", "--db", "{0}"]),
}


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}, said {self.err[-300:]!r}"


def big_trace(steps):
    """A trace of PyTorch's profiler with so many steps."""
    events, at, correlation = [], 1000, 0
    for step in range(steps):
        begin = at
        for call in range(20):
            correlation += 1
            name = "cudaStreamSynchronize" if call % 5 == 4 else "cudaLaunchKernel"
            events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 3,
                           "args": {"correlation": correlation, "cbid": 131}})
            if name == "cudaLaunchKernel":
                events.append({"ph": "X", "cat": "kernel", "name": f"kernel_{call}", "pid": 0, "tid": 7, "ts": at + 4, "dur": 5,
                               "args": {"correlation": correlation, "device": 0, "stream": 7}})
            at += 10
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": begin,
                       "dur": at - begin})
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


class Folder:
    """A folder with traces and what else the commands read; removed when it is left."""
    made = None  # bytes by name, made once

    def __init__(self, parent=None):
        self.temporary = tempfile.TemporaryDirectory(prefix="zerostall-faults-", dir=parent)
        self.path = pathlib.Path(self.temporary.name)
        (self.path / "tmp").mkdir()
        for name, content in self.inputs().items():
            (self.path / name).write_bytes(content)

    @classmethod
    def inputs(cls):
        if cls.made is None:
            cls.made = {"run.zstall": (SEEDS / "native" / "edges.zstall").read_bytes(), "big.json": big_trace(200).encode()}
            with cls() as here:
                for name, argv in (("old.baseline.json", ["baseline", "update", "run.zstall", "-o", "old.baseline.json"]),
                                   ("old.sqlite", ["history", "add", "run.zstall", "--commit", "z", "--db", "old.sqlite"])):
                    ended = here.run(argv)
                    assert ended.code == 0, ended
                    cls.made[name] = (here.path / name).read_bytes()
        return cls.made

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def files(self):
        """What lies there, by name: hidden ones and those in tmp included."""
        return {str(path.relative_to(self.path)): path.read_bytes() for path in self.path.rglob("*") if path.is_file()}

    def start(self, argv, stdout=subprocess.PIPE, limits=None, ignore=()):
        """limits: {resource: bytes}; ignore: signals that it ignores, as `trap ''` in a shell does."""
        def prepare():
            for what, most in (limits or {}).items():
                resource.setrlimit(what, (most, most))
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, its children should not
                signal.signal(number, signal.SIG_IGN if number in ignore else signal.SIG_DFL)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))}
        environment |= {"TMPDIR": str(self.path / "tmp"), "GIT_CEILING_DIRECTORIES": str(self.path.parent)}
        return subprocess.Popen([ZEROSTALL, *argv], cwd=self.path, env=environment, stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.PIPE, preexec_fn=prepare)

    def run(self, argv, **more):
        process = self.start(argv, **more)
        try:
            out, err = process.communicate(timeout=ENOUGH_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b" HANGS"
        return Ended(process.returncode, out or b"", err.decode(errors="replace"))


def expect_clear_error(ended, codes):
    """One line that begins with the program's name, one of these exit codes; never a crash."""
    assert ended.code in codes, f"{ended}, not one of {codes}"
    lines = [line for line in ended.err.splitlines() if not line.startswith("zerostall: simulated ")]
    assert len(lines) == 1 and lines[0].startswith("zerostall: "), f"not one line: {ended}"
    assert "internal problem" not in ended.err, ended


def expect_orderly(ended, codes=(0, 1, 2, 3, 4)):
    """As it should end whatever it reads: with a result (of `check` also that it cannot tell), or with one line."""
    if ended.code in (0, 1) or ended.code == 3 and ended.out and not ended.err:
        assert ended.code in codes, ended
        assert "internal problem" not in ended.err, ended
    else:
        expect_clear_error(ended, codes)
