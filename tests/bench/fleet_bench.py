"""The traces of 256 ranks: fleet_bench.py --build BUILD [--ranks N] [--steps N]. `zerostall stat DIR` alone against
`mpirun -n N zerostall stat --mpi DIR` with 1, 2 and 4 processes: time, peak memory of the largest process, and whether
they print the same. 77 where mpirun is missing."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from figures import Table

PROCESSES, TURNS = (1, 2, 4), 3
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def measure(command, out):
    """Seconds, MiB of its largest process, and what it printed."""
    with open(out, "wb") as stdout:
        begin = time.monotonic()
        process = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=stdout)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"fleet_bench: {' '.join(map(str, command))} ended with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024, out.read_bytes()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    mpirun = shutil.which("mpirun")
    if not mpirun or not (options.build / "lib/zerostall/libzerostall_mpi.so").exists():
        print("fleet_bench: skipped: no mpirun, or built without MPI (Debian: openmpi-bin libopenmpi-dev)")
        return 77
    with tempfile.TemporaryDirectory(dir=options.build) as name:
        folder = pathlib.Path(name)
        traces = folder / "traces"
        subprocess.run([options.build / "tests/fleet/make_rank_traces", traces, str(options.ranks), str(options.steps), "100"],
                       check=True)
        size = sum(file.stat().st_size for file in traces.iterdir())
        program = options.build / "bin/zerostall"
        commands = {0: [program, "stat", traces]}
        commands.update({n: [mpirun, "-n", str(n), program, "stat", "--mpi", traces] for n in PROCESSES})
        measured, texts = {n: [] for n in commands}, {}
        idle = []
        for _ in range(TURNS):
            idle.append(measure([mpirun, "-n", "1", "true"], folder / "out")[0])
            for n, command in commands.items():
                seconds, memory, texts[n] = measure(command, folder / "out")
                measured[n].append((seconds, memory))
    start = statistics.median(idle)
    print(f"{options.ranks} ranks, {options.steps} steps each, {size / 1e6:.0f} MB, {os.cpu_count()} cores; "
          f"median of {TURNS} turns; mpirun itself takes {start:.2f} s to start")
    seconds = {n: statistics.median(s for s, _ in all_turns) for n, all_turns in measured.items()}
    table = Table()
    for n, all_turns in measured.items():
        name = f"{options.ranks} ranks: mpirun -n {n} zerostall stat --mpi" if n else f"{options.ranks} ranks: zerostall stat, alone"
        table.figure(f"fleet.{n}", name, seconds[n], "s", peer=("one process alone", seconds[0]) if n else None)
        table.figure(f"fleet.{n}.memory", "   largest process", max(m for _, m in all_turns), "MiB")
    table.figure("fleet.differs", "outputs that are not those of one process, byte for byte",
                 sum(texts[n] != texts[0] for n in PROCESSES), "of 3")
    table.figure("fleet.overhead", "one process under MPI, start of mpirun apart, against alone", (seconds[1] - start) / seconds[0], "x")
    if os.cpu_count() > 1:
        table.figure("fleet.two", "two processes against one, both under MPI", seconds[2] / seconds[1], "x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
