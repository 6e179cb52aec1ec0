"""An installation, moved, used through a link and by a project of its own: installed_test.py BUILD CMAKE. Without root, without network."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD, CMAKE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
CTEST = str(pathlib.Path(CMAKE).with_name("ctest"))


def run(*words, code=0, **more):
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == code, f"{' '.join(map(str, words))}: {done.returncode} instead of {code}\n{done.stdout}"
    return done.stdout


def state(folder):
    """Of every file: an installation is never written to."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns, path.lstat().st_mode) for path in folder.rglob("*")}


def check_program(tool, work, environment):
    version = re.search(r"project\(zerostall VERSION ([0-9.]+)", (HERE.parents[1] / "CMakeLists.txt").read_text())[1]
    assert version in run(tool, "--version", cwd=work, env=environment)
    found = json.loads(run(tool, "doctor", "--device", "sim", "--json", cwd=work, env=environment))
    assert found["works"], found


def check_project(prefix, work, environment):
    """The project configures, builds, and its tests end as they should."""
    project = work / "project"
    run(CMAKE, "-S", HERE / "consumer", "-B", project, f"-DCMAKE_PREFIX_PATH={prefix}", "-G", "Ninja", env=environment)
    run(CMAKE, "--build", project, env=environment)
    run(CTEST, "--output-on-failure", "--no-tests=error", "-j", "2", cwd=project, env=environment)
    # WILL_FAIL is content with any failure: the exit codes are told apart here.
    tests = {t["name"]: t["command"] for t in json.loads(run(CTEST, "--show-only=json-v1", cwd=project))["tests"]}
    for name, code in (("waits_too_often", 1), ("makes_no_call", 3), ("does_not_start", 4)):
        run(*tests[name], code=code, cwd=project, env=environment)
    library = (project / "mark_library.txt").read_text().strip()
    run(sys.executable, "-c", f"import ctypes; ctypes.CDLL({library!r}).zerostall_step_end()")
    return project


def check_misuse(prefix, work):
    """Each wrong use of the function is told when the project is configured."""
    module = prefix / "lib/cmake/zerostall/zerostallGateTest.cmake"
    for call, said in (("NAME x", "NAME and COMMAND are needed"), ("NAME x COMMAND y OOPS", "bin/zerostall"), ("NAME x COMMAND y MAX", "what is 'MAX'"),
                       ("oops NAME x COMMAND y", "what is 'oops'")):
        script = work / "misuse.cmake"
        script.write_text(f"include({module})\nzerostall_add_gate_test({call})\n")
        text = " ".join(run(CMAKE, "-P", script, code=1).split())
        assert said in text, text


def main():
    with tempfile.TemporaryDirectory(prefix="zerostall-installed-") as name:
        folder = pathlib.Path(name).resolve()
        run(CMAKE, "--install", BUILD, "--prefix", folder / "first")
        prefix = folder / "moved" / "deep" / "tool"
        prefix.parent.mkdir(parents=True)
        (folder / "first").rename(prefix)
        before = state(prefix)
        work, links = folder / "work", folder / "links"
        work.mkdir()
        links.mkdir()
        (links / "zerostall").symlink_to(prefix / "bin/zerostall")
        environment = {"PATH": f"{links}:{os.environ['PATH']}", "HOME": str(work)}
        check_program("zerostall", work, environment)
        project = check_project(prefix, work, environment)
        run("zerostall", "record", "--device", "sim", "-o", "run.zstall", "--", project / "train", "waits", cwd=work, env=environment)
        assert "train" in run("zerostall", "stat", "run.zstall", cwd=work, env=environment)
        check_misuse(prefix, work)
        assert state(prefix) == before, "something was written into the installation"
        for part in ("include/zerostall/mark.h", "include/zerostall/fixes/async_loss.h", "share/doc/zerostall/copyright"):
            assert (prefix / part).is_file(), part
        assert not (prefix / "lib/zerostall/private").exists(), "libraries of others are for the wheel and the archive"


main()
