"""What the ready-made parts for CI systems do, run as those systems would: in a root of its own with the system's programs
and ours alone, where user namespaces are allowed (else in an empty folder), with an empty environment, and stand-ins for
what only GitHub has. Usage: ci_test.py ZEROSTALL GATE_SUBJECT SOURCE_DIR"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ZEROSTALL, SUBJECT, SOURCE = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:4])
CI = pathlib.Path(SOURCE, "profiler/gate/ci")

FAKE_GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
[ "${GH_REFUSES:-}" = "" ] || { echo "HTTP 403" >&2; exit 1; }
case "$*" in *--paginate*) [ -z "${GH_OLD:-}" ] || echo "$GH_OLD" ;; esac
"""

# As root of its own user namespace: ROOT has nothing but the folders named behind it (up to --), at their places.
ENTER = """set -e
root=$1; shift
while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; shift; done
shift; mkdir -p "$root/tmp"; cd "$1"; folder=$1; shift
PATH=$PATH:/usr/sbin:/sbin; exec chroot "$root" /bin/sh -c 'PATH=${PATH%:/usr/sbin:/sbin}; cd "$0" && exec "$@"' "$folder" "$@"
"""
SYSTEM = [d for d in ("/usr", "/bin", "/lib", "/lib64", "/proc", "/dev") if pathlib.Path(d).exists()]


def in_own_root(root, folders, work, command):
    return ["unshare", "-r", "-m", "/bin/sh", "-c", ENTER, "enter", root, *folders, "--", work, *command]


def can_have_own_root():
    if shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as work:
        command = in_own_root(root, SYSTEM + [work], work, ["true"])
        return subprocess.run(command, capture_output=True).returncode == 0


OWN_ROOT = can_have_own_root()


class Root:
    """A folder with nothing in it but what a test puts there, in a root without anything of this machine's user."""

    def __init__(self, test):
        folders = [tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()]
        for folder in folders:
            test.addCleanup(folder.cleanup)
        self.path, self.root = (pathlib.Path(folder.name) for folder in folders)
        for name in ("bin", "home", "work", "temp"):
            (self.path / name).mkdir()
        gh = self.path / "bin/gh"
        gh.write_text(FAKE_GH)
        gh.chmod(0o755)

    def run(self, *command, **environment):
        base = {"PATH": f"{self.path}/bin:/usr/bin:/bin", "HOME": str(self.path / "home")}
        work = str(self.path / "work")
        if OWN_ROOT:
            product = [str(pathlib.Path(ZEROSTALL).parent), str(pathlib.Path(ZEROSTALL).parent.parent / "lib")]
            folders = SYSTEM + product + [str(pathlib.Path(SUBJECT).parent), str(CI), str(self.path)]
            command = in_own_root(str(self.root), folders, work, command)
        return subprocess.run(command, env=base | environment, cwd=work, capture_output=True, text=True)

    def text(self, name):
        file = self.path / name
        return file.read_text() if file.exists() else ""


class GitHub(unittest.TestCase):
    def setUp(self):
        self.root = Root(self)
        self.event = self.root.path / "event.json"
        self.event.write_text(json.dumps({"action": "opened", "number": 12}))

    def check(self, **inputs):
        path = self.root.path
        environment = {
            "ZEROSTALL": ZEROSTALL, "RUNNER_TEMP": str(path / "temp"), "GITHUB_OUTPUT": str(path / "output"),
            "GITHUB_STEP_SUMMARY": str(path / "summary"), "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.event), "GITHUB_REPOSITORY": "a/b", "GH_LOG": str(path / "gh.log"),
            "INPUT_DEVICE": "sim", "INPUT_MAX": "waits=1\nh2d_stalls=0\n", "INPUT_COMMENT": "true"}
        return self.root.run("sh", str(CI / "github.sh"), **(environment | inputs))

    def outputs(self):
        return dict(line.split("=", 1) for line in self.root.text("output").splitlines())

    def test_a_pass_is_told_everywhere(self):
        ran = self.check(INPUT_COMMAND=f"'{SUBJECT}' 9")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        outputs = self.outputs()
        self.assertEqual((outputs["verdict"], outputs["exit-code"]), ("pass", "0"))
        self.assertEqual(sorted(os.listdir(outputs["report"]))[-4:], ["junit.xml", "report.json", "report.md", "report.sarif"])
        self.assertTrue(self.root.text("summary").startswith("**zerostall pass"), self.root.text("summary"))
        self.assertIn("-X POST repos/a/b/issues/12/comments", self.root.text("gh.log"))

    def test_a_violation_keeps_its_code_and_updates_the_comment(self):
        ran = self.check(INPUT_COMMAND=f"'{SUBJECT}' 9 3", INPUT_MAX="waits=0", GH_OLD="77")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertEqual(self.outputs()["verdict"], "violation")
        self.assertIn("::error", ran.stdout)
        self.assertIn("-X PATCH repos/a/b/issues/comments/77", self.root.text("gh.log"))

    def test_where_comments_are_forbidden_the_verdict_stays(self):
        for seed, code in (("", 0), ("3", 1)):
            ran = self.check(INPUT_COMMAND=f"'{SUBJECT}' 9 {seed}", INPUT_MAX="waits=1" if code == 0 else "waits=0", GH_REFUSES="1")
            self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
            self.assertIn("::notice title=zerostall::the comment could not be written", ran.stdout)
            self.assertIn("zerostall", self.root.text("summary"))

    def test_no_comment_outside_of_pull_requests_or_where_unwanted(self):
        self.check(INPUT_COMMAND=f"'{SUBJECT}' 9", GITHUB_EVENT_NAME="push")
        self.check(INPUT_COMMAND=f"'{SUBJECT}' 9", INPUT_COMMENT="false")
        self.assertEqual(self.root.text("gh.log"), "")

    def test_bad_use_is_an_error_of_the_job(self):
        ran = self.check(INPUT_COMMAND="true", INPUT_MAX="wait=0")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("::error title=zerostall::check ended with code 2 and judged nothing", ran.stdout)
        self.assertEqual(self.outputs()["verdict"], "")

    def test_cannot_tell_is_code_3(self):
        ran = self.check(INPUT_COMMAND="true")
        self.assertEqual((ran.returncode, self.outputs()["verdict"]), (3, "cannot-tell"))

    def test_words_of_a_command_stay_together(self):
        ran = self.check(INPUT_COMMAND=f"""printf '%s\\n' "a  b" '$HOME' > words && '{SUBJECT}' 9""", INPUT_ARGS="--warmup 3 --step-pattern 'a  b'")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(self.root.text("work/words"), "a  b\n$HOME\n")

    def test_a_trace_is_judged_without_running(self):
        self.assertEqual(self.root.run(ZEROSTALL, "record", "--quiet", "--device", "sim", "-o", "t.zstall", "--", SUBJECT, "9").returncode, 0)
        ran = self.check(INPUT_TRACE="t.zstall")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_the_program_is_found(self):
        (self.root.path / "bin/zerostall").symlink_to(ZEROSTALL)
        found = self.root.run("sh", str(CI / "find_program.sh"))
        self.assertEqual(found.stdout, f"program={self.root.path}/bin/zerostall\n", found.stderr)
        named = self.root.run("sh", str(CI / "find_program.sh"), ZEROSTALL=ZEROSTALL)
        self.assertEqual(named.stdout, f"program={ZEROSTALL}\n")
        self.assertEqual(self.root.run("sh", str(CI / "find_program.sh"), ZEROSTALL="/no/such").returncode, 4)

    def test_the_action_passes_on_each_of_its_inputs(self):
        action = pathlib.Path(SOURCE, "action.yml").read_text()
        script = (CI / "github.sh").read_text()
        declared = set(re.findall(r"^  ([a-z-]+):$", action.split("outputs:")[0], re.M))
        used = set(re.findall(r"\$\{\{ inputs\.([a-z-]+) \}\}", action))
        self.assertEqual(declared, used)
        for name in re.findall(r"(INPUT_[A-Z]+):", action):
            self.assertIn(name, script)


class GitLab(unittest.TestCase):
    def test_the_job_leaves_its_reports_and_the_code_of_the_check(self):
        template = (CI / "gitlab.yml").read_text()
        command = re.search(r"^    - (eval .*)$", template, re.M).group(1)
        artifacts = re.findall(r"(?:codequality|junit): (\S+)", template)
        self.assertEqual(len(artifacts), 2)
        for arguments, code in ((f"--max waits=1 --device sim -- '{SUBJECT}' 9", 0), (f"--max waits=0 --device sim -- '{SUBJECT}' 9", 1)):
            root = Root(self)
            (root.path / "bin/zerostall").symlink_to(ZEROSTALL)
            ran = root.run("sh", "-e", "-c", command, ZEROSTALL_CHECK=arguments)
            self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
            quality = json.loads(root.text(f"work/{artifacts[0]}"))
            self.assertEqual(len(quality) > 0, code == 1)
            self.assertIn("<testsuite", root.text(f"work/{artifacts[1]}"))


class PreCommit(unittest.TestCase):
    def setUp(self):
        hooks = pathlib.Path(SOURCE, ".pre-commit-hooks.yaml").read_text()
        self.entry = re.search(r"entry: (.*)", hooks).group(1)
        self.files = re.compile(re.search(r"files: (.*)", hooks).group(1))
        self.root = Root(self)
        (self.root.path / "bin/zerostall").symlink_to(ZEROSTALL)

    def hook(self, policy):
        (self.root.path / "work/zerostall.toml").write_text(policy)
        return self.root.run("sh", "-c", self.entry)

    def test_watches_policies_and_baselines(self):
        for name in ("zerostall.toml", "ci/zerostall-gpu.toml", "zerostall.baseline.json"):
            self.assertTrue(self.files.search(name), name)
        for name in ("pyproject.toml", "package.json", "train.py"):
            self.assertFalse(self.files.search(name), name)

    def test_reads_them_and_runs_nothing(self):
        good = '[run]\ncommand = ["touch", "ran"]\n[budget]\nwaits = 0\n'
        ran = self.hook(good)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertFalse((self.root.path / "work/ran").exists())
        self.assertEqual(self.hook(good.replace("waits", "wait")).returncode, 2)
        missing = self.hook('baseline = "no.json"\n' + good)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("no.json", missing.stderr)
        (self.root.path / "work/no.json").write_text('{"schema": "zerostall/baseline/1"')
        self.assertEqual(self.hook('baseline = "no.json"\n' + good).returncode, 2)


if __name__ == "__main__":
    if not OWN_ROOT:
        print("no user namespaces here: the commands run in an empty folder, not in a root of their own")
    unittest.main(argv=sys.argv[:1], verbosity=0)
