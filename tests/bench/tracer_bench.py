"""What the tracer costs a program on the simulated GPU, against its limits: tracer_bench.py --build BUILD [PART...]
Parts: calls, waits, threads, size (default: all). A ratio below 1 holds."""
import argparse
import json
import os
import statistics
import subprocess
import sys

from figures import Table
from turns import Subject, in_turns, median_difference, new_folder


def per_call(answers, count):
    return [own / count for own, _, _ in answers]


def whole_process(answers, count):
    """CPU time per call of all threads, from one turn to the next."""
    totals = [total for _, _, total in answers]
    return (totals[-1] - totals[0]) / (len(totals) - 1) / count


def calls(options, table):
    with new_folder() as folder:
        variants = [v for v in ("plain", "callbacks", "activity") if v in options.variants]
        subjects = [Subject([options.subject], options.build, v, folder) for v in variants]
        for call, count in (("launch", 900), ("event_record", 900), ("event_query", 1000), ("stream_sync", 1000)):
            in_turns(subjects, f"{call} {count}", 10)
            answers = in_turns(subjects, f"{call} {count}", options.turns)
            plain = per_call(answers["plain"], count)
            table.figure(f"tracer.{call}.plain", f"{call}, without tracer", statistics.median(plain), "ns")
            for variant in ("callbacks", "activity"):
                if variant in answers:
                    more = whole_process(answers[variant], count) - whole_process(answers["plain"], count)
                    table.figure(f"tracer.{call}.{variant}", f"{call}, tracer with {variant}: more",
                                 median_difference(per_call(answers[variant], count), plain), "ns", f"all threads {more:.0f} ns")
        count = 20000
        in_turns(subjects, f"get_device {count}", 10)
        answers = in_turns(subjects, f"get_device {count}", options.turns)
        plain = per_call(answers["plain"], count)
        table.figure("tracer.get_device.plain", "get_device, without tracer", statistics.median(plain), "ns")
        for variant in (v for v in answers if v != "plain"):
            table.figure(f"tracer.get_device.{variant}", f"get_device, tracer with {variant}: more",
                         median_difference(per_call(answers[variant], count), plain), "ns")
        for s in subjects:
            s.end()


def waits(options, table):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_wait_subject.py")
    for what, command in (("C++", [options.subject]), ("Python", [sys.executable, "-B", script])):
        with new_folder() as folder:
            subjects = [Subject(command, options.build, v, folder) for v in ("plain", "activity", "stacks")]
            count = 200
            in_turns(subjects, f"stream_sync {count}", 10)
            answers = {name: per_call(a, count) for name, a in in_turns(subjects, f"stream_sync {count}", options.turns).items()}
            id = f"tracer.wait.{what.lower().replace('+', 'p')}"
            table.figure(f"{id}.plain", f"a wait in {what}, without tracer", statistics.median(answers["plain"]) / 1e3, "us")
            table.figure(id, f"a wait in {what}, with its stack: more", median_difference(answers["stacks"], answers["plain"]) / 1e3, "us",
                         f"without stack {median_difference(answers['activity'], answers['plain']) / 1e3:.2f}")
            for s in subjects:
                s.end()


def stat(options, trace):
    out = subprocess.run([f"{options.build}/bin/zerostall", "stat", "--json", "--warmup", "0", trace], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def lost(options, table, id, trace, name, count):
    """Calls that are not in the trace."""
    found = stat(options, trace)
    in_trace = found["calls"].get(name, {"count": 0})["count"]
    if in_trace == count and not found["complete"]:
        sys.exit(f"all {count} calls are in the trace, but it is said to be incomplete: {found['lost']} lost")
    table.figure(id, f"   of {count / 1e6:.1f} M calls not in the trace", count - in_trace, "calls")


def threads(options, table):
    per_thread, number = 200_000, 16
    # The simulated GPU itself makes fewer queries than the limit asks for: there the tracer's share alone is judged.
    for call, name, records in (("event_query", "cudaEventQuery", 1), ("launch", "cudaLaunchKernel", 2)):
        with new_folder() as folder:
            plain, traced = (Subject([options.subject], options.build, v, folder) for v in ("plain", "activity"))
            answers = in_turns([plain, traced], f"{call} {per_thread} {number}", 3)
            made = per_thread * number
            for s in (plain, traced):
                s.end()
            wall = statistics.median(wall for _, wall, _ in answers["activity"])
            own = statistics.median(own for own, _, _ in answers["activity"])
            own_plain = statistics.median(own for own, _, _ in answers["plain"])
            told = f"{own / made:.0f} ns of CPU time per call, without tracer {own_plain / made:.0f} ns"
            id = f"tracer.threads.{call}"
            if made / (own_plain / 2) * 1e3 > table.goals[id]["limit"]:
                table.figure(id, f"{number} threads, {call}: records per second", made * records / wall * 1e3, "M/s", told)
            else:
                table.figure(id, f"{number} threads, {call}: records per second of tracer", made / ((own - own_plain) / 2) * 1e3, "M/s", told)
            lost(options, table, f"{id}.lost", traced.trace, name, made * 3)


def size(options, table):
    with new_folder() as folder:
        s = Subject([options.subject], options.build, "activity", folder)
        turn, launches = 1000, 5_000_000
        for _ in range(20):
            s.ask(f"launch {turn}")
        before = s.memory_kib()
        peak = dict(before)
        for i in range(launches // turn):
            s.ask(f"launch {turn}")
            if i % 50 == 0:
                now = s.memory_kib()
                if sum(now.values()) > sum(peak.values()):
                    peak = now
        s.end()
        growth = {kind: (peak[kind] - before[kind]) / 1024 for kind in peak}
        table.figure("tracer.size.growth", "10 M records: resident memory grows by", sum(growth.values()), "MiB",
                     ", ".join(f"{kind} {mib:.1f}" for kind, mib in growth.items()))
        file = os.stat(s.trace)
        made = launches + 20 * turn
        table.figure("tracer.size.file", "trace file per launch (its call and its GPU record)", file.st_size / made, "B",
                     f"{file.st_size / 2**20:.0f} MiB; on disk {file.st_blocks * 512 / made:.1f} B")
        lost(options, table, "tracer.size.lost", s.trace, "cudaLaunchKernel", made)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--subject", help="default: BUILD/tests/bench/tracer_bench_subject")
    parser.add_argument("--variants", nargs="+", default=["plain", "callbacks", "activity"])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("parts", nargs="*", default=["calls", "waits", "threads", "size"])
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.subject = options.subject or f"{options.build}/tests/bench/tracer_bench_subject"
    table = Table()
    for part in options.parts:
        {"calls": calls, "waits": waits, "threads": threads, "size": size}[part](options, table)


if __name__ == "__main__":
    main()
