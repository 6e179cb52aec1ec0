"""`zerostall stat --mpi` with the real mpirun: fleet_test.py ZEROSTALL MAKE_RANK_TRACES MPIRUN. Without an mpirun what
needs none is still tested, and the rest said to be skipped."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ZEROSTALL, MAKE, MPIRUN = [word and os.path.abspath(word) for word in (sys.argv + [""])[1:4]]
RANKS = 256
SKIPPED = 77
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_"))},
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",  # as CI runs
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",  # containers forbid the other one
}


def start(command, **more):
    return subprocess.Popen([str(word) for word in command], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def run(*command, **more):
    process = start(command, **more)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def mpi(processes, *arguments, **more):
    return run(MPIRUN, "-n", processes, ZEROSTALL, "stat", "--mpi", *arguments, **more)


def own_lines(err):
    """What zerostall says, without mpirun's own words."""
    return [line for line in err.splitlines() if line.startswith("zerostall: ")]


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def expect_equal(processes, *arguments, **more):
    code, out, err = run(ZEROSTALL, "stat", *arguments, **more)
    code_mpi, out_mpi, err_mpi = mpi(processes, *arguments, **more)
    where = f"{processes} processes, {arguments}"
    expect(out_mpi == out, where, "print\n", out_mpi, "\nand one alone\n", out, err_mpi)
    expect(code_mpi == code, where, "end with", code_mpi, "and one alone with", code, err_mpi)
    expect(own_lines(err_mpi) == own_lines(err), where, "say", err_mpi, "and one alone", err)
    return code, out, err


def test_every_number_of_processes_prints_what_one_alone_does(folder):
    ranks = folder / "ranks"
    for processes, options in ((1, []), (2, []), (4, []), (1, ["--json"]), (2, ["--json"]), (4, ["--json"]),
                               (2, ["--by", "site", "--csv"]), (4, ["--by", "step,cause,thread,stream", "--rank", 17]),
                               (2, ["--json", "--stacks"]), (2, ["--region", "load"])):
        code, out, _ = expect_equal(processes, ranks, *options)
        expect(code == 0 and len(out) > 500, "nothing to compare:", out)
    _, out, _ = run(ZEROSTALL, "stat", ranks)
    for words in ("256 processes", "only rank0.zstall", "straggler rank17.zstall"):
        expect(words in out, words, "is not in", out)


def test_what_is_damaged_or_missing_is_told_as_by_one_alone(folder):
    damaged = folder / "damaged"
    shutil.copytree(folder / "few", damaged)
    whole = (damaged / "rank1.zstall").read_bytes()
    (damaged / "rank1.zstall").write_bytes(whole[: len(whole) // 2])  # cut before its first step is whole
    (damaged / "rank2.zstall").write_bytes(b"")
    (damaged / "rank3.zstall").unlink()
    code, out, err = expect_equal(2, damaged)
    expect(code == 3 and "rank2.zstall is empty" in err, code, err)
    expect("8 of 10 ranks are here, not 2, 3" in out and "0, cut" in out, out)
    code, _, err = expect_equal(2, folder / "none")
    expect(code == 2 and "cannot read" in err, code, err)
    (folder / "empty").mkdir()
    expect_equal(2, folder / "empty")


def test_each_process_may_see_other_files(folder):
    """As on nodes with a folder of the same name each: here each process has a working folder of its own."""
    for node in range(2):
        (folder / f"node{node}" / "traces").mkdir(parents=True)
    (folder / "together" / "traces").mkdir(parents=True)
    for rank in range(8):
        name = f"rank{rank}.zstall"
        shutil.copy(folder / "few" / name, folder / f"node{rank % 2}" / "traces" / name)
        shutil.copy(folder / "few" / name, folder / "together" / "traces" / name)
    expected = run(ZEROSTALL, "stat", "traces", cwd=folder / "together")
    nodes = []
    for node in range(2):
        nodes += [":"] * node + ["-n", "1", "--wdir", folder / f"node{node}", ZEROSTALL, "stat", "--mpi", "traces"]
    got = run(MPIRUN, *nodes)
    expect(got[:2] == expected[:2], got, expected)
    # One name, two contents: two traces.
    shutil.copy(folder / "few" / "rank9.zstall", folder / "node1" / "traces" / "rank0.zstall")
    code, out, err = run(MPIRUN, *nodes)
    expect(code == 0 and "rank0.zstall (of process 0)" in out and "rank0.zstall (of process 1)" in out, out, err)
    expect("9 processes" in out, out)


def child_that_reads(folder, rank):
    """The process of a job that has a trace of the folder open; None: there is none."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"OMPI_COMM_WORLD_RANK={rank}\0" in (entry / "environ").read_text() and \
                    str(folder) in (entry / "maps").read_text():
                return int(entry.name)
        except (OSError, UnicodeDecodeError):  # gone, or another user's
            continue
    return None


def kill_while_it_reads(folder, rank):
    job = start([MPIRUN, "-n", "3", ZEROSTALL, "stat", "--mpi", folder])
    deadline = time.monotonic() + 60
    while (pid := child_that_reads(folder, rank)) is None:
        expect(time.monotonic() < deadline and job.poll() is None, "process", rank, "was never seen reading")
    os.kill(pid, signal.SIGKILL)
    out, err = job.communicate(timeout=60)
    return job.returncode, out, err


def test_a_process_that_dies_is_named_and_nothing_is_shown(folder):
    large = folder / "large"
    run(MAKE, large, "6", "400", "300")
    for rank in (1, 0):
        code, out, err = kill_while_it_reads(large, rank)
        expect(code == 128 + signal.SIGKILL, "ends with", code, err)
        expect(out == "", "shows", out)
        expect(own_lines(err) == [f"zerostall: --mpi: process {rank} of 3 (counted from 0) died: no summary was made"],
               "says", err)


def test_a_job_that_is_ended_says_so(folder):
    job = start([MPIRUN, "-n", "2", ZEROSTALL, "stat", "--mpi", folder / "large"])
    while child_that_reads(folder / "large", 0) is None:
        expect(job.poll() is None, "it was over too soon")
    job.send_signal(signal.SIGTERM)
    out, err = job.communicate(timeout=60)
    expect(job.returncode != 0 and out == "", job.returncode, out)
    expect(own_lines(err) == ["zerostall: --mpi: the job was ended: no summary was made"], "says", err)


def test_without_a_launcher_it_is_a_job_of_one(folder):
    got, expected = run(ZEROSTALL, "stat", "--mpi", folder / "few"), run(ZEROSTALL, "stat", folder / "few")
    expect(got == expected, got, expected)


def test_processes_that_do_not_know_of_each_other_are_refused(folder):
    process = subprocess.run([ZEROSTALL, "stat", "--mpi", folder / "few"], capture_output=True, text=True,
                             env={**ENVIRONMENT, "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"})
    expect(process.returncode == 4 and process.stdout == "" and "srun --mpi=pmix" in process.stderr, process)


def test_where_the_library_is_missing_one_line_says_what_to_install(folder):
    (folder / "bin").mkdir()
    program = folder / "bin" / "zerostall"
    shutil.copy(ZEROSTALL, program)
    code, out, err = run(program, "stat", "--mpi", folder / "few")
    expect(code == 4 and out == "" and err.count("\n") == 1, code, out, err)
    expect("openmpi-bin" in err and "libopenmpi-dev" in err, err)


def test_options_that_do_not_go_with_it_are_refused(folder):
    for arguments in ([], ["-"]):
        code, out, err = run(ZEROSTALL, "stat", "--mpi", *arguments)
        expect(code == 2 and out == "" and err.count("\n") == 1, arguments, code, err)


NEED_NO_MPI = (test_where_the_library_is_missing_one_line_says_what_to_install,
               test_options_that_do_not_go_with_it_are_refused)
NEED_MPI = (test_every_number_of_processes_prints_what_one_alone_does,
            test_what_is_damaged_or_missing_is_told_as_by_one_alone,
            test_each_process_may_see_other_files,
            test_a_process_that_dies_is_named_and_nothing_is_shown,
            test_a_job_that_is_ended_says_so,
            test_without_a_launcher_it_is_a_job_of_one,
            test_processes_that_do_not_know_of_each_other_are_refused)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(MAKE, folder / "ranks", RANKS)
        run(MAKE, folder / "few", 10)
        for test in NEED_NO_MPI + (NEED_MPI if MPIRUN else ()):
            began = time.monotonic()
            test(folder)
            print(f"{test.__name__}: passed, {time.monotonic() - began:.1f} s", flush=True)
    if MPIRUN:
        return 0
    print("the rest is skipped: no mpirun, or built without MPI (Debian: openmpi-bin libopenmpi-dev)")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
