"""What the tracer costs a program on the simulated GPU, against its limits: tracer_bench.py --build BUILD [PART...]
Parts: calls, waits, threads, size (default: all). A ratio below 1 holds. Exits 1 if a limit is exceeded or a call is lost."""
import argparse
import json
import os
import statistics
import subprocess
import sys

from turns import Subject, Table, in_turns, median_difference, new_folder

CALLBACKS_LIMIT_NS, ACTIVITY_LIMIT_NS, UNWANTED_LIMIT_NS, STACK_LIMIT_US = 100, 250, 3, 15
RECORDS_PER_S_LIMIT, GROWTH_LIMIT_MIB, BYTES_PER_LAUNCH_LIMIT = 5e6, 64, 24


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
            table.row(f"{call}, without tracer", statistics.median(plain), "ns")
            for variant, limit in (("callbacks", CALLBACKS_LIMIT_NS), ("activity", ACTIVITY_LIMIT_NS)):
                if variant in answers:
                    more = whole_process(answers[variant], count) - whole_process(answers["plain"], count)
                    table.row(f"{call}, tracer with {variant}: more", median_difference(per_call(answers[variant], count), plain),
                              "ns", limit, f"(all threads {more:.0f} ns)")
        count = 20000
        in_turns(subjects, f"get_device {count}", 10)
        answers = in_turns(subjects, f"get_device {count}", options.turns)
        plain = per_call(answers["plain"], count)
        table.row("get_device, without tracer", statistics.median(plain), "ns")
        for variant in answers.keys() - {"plain"}:
            table.row(f"get_device, tracer with {variant}: more", median_difference(per_call(answers[variant], count), plain), "ns",
                      UNWANTED_LIMIT_NS)
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
            table.row(f"a wait in {what}, without tracer", statistics.median(answers["plain"]) / 1e3, "us")
            table.row(f"a wait in {what}, with its stack: more", median_difference(answers["stacks"], answers["plain"]) / 1e3, "us",
                      STACK_LIMIT_US, f"(without stack {median_difference(answers['activity'], answers['plain']) / 1e3:.2f})")
            for s in subjects:
                s.end()


def stat(options, trace):
    out = subprocess.run([f"{options.build}/bin/zerostall", "stat", "--json", "--warmup", "0", trace], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def lost(options, table, trace, made):
    """Calls that are not in the trace."""
    found = stat(options, trace)
    for name, count in made.items():
        in_trace = found["calls"].get(name, {"count": 0})["count"]
        print(f"   {name}: {count} made, {in_trace} in the trace; lost by the tool {found['lost']}, complete: {found['complete']}")
        table.over += in_trace != count or not found["complete"]


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
            told = f"({own / made:.0f} ns of CPU time per call, without tracer {own_plain / made:.0f} ns)"
            if made / (own_plain / 2) * 1e9 > RECORDS_PER_S_LIMIT:
                table.at_least(f"{number} threads, {call}: records per second", made * records / wall * 1e3, "M/s",
                               RECORDS_PER_S_LIMIT / 1e6, told)
            else:
                table.at_least(f"{number} threads, {call}: records per second of tracer", made / ((own - own_plain) / 2) * 1e3, "M/s",
                               RECORDS_PER_S_LIMIT / 1e6, told)
            lost(options, table, traced.trace, {name: made * 3})


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
        table.row("10 M records: resident memory grows by", sum(growth.values()), "MiB", GROWTH_LIMIT_MIB,
                  "(" + ", ".join(f"{kind} {mib:.1f}" for kind, mib in growth.items()) + ")")
        file = os.stat(s.trace)
        made = launches + 20 * turn
        table.row("trace file per launch (its call and its GPU record)", file.st_size / made, "B", BYTES_PER_LAUNCH_LIMIT,
                  f"({file.st_size / 2**20:.0f} MiB; on disk {file.st_blocks * 512 / made:.1f} B)")
        lost(options, table, s.trace, {"cudaLaunchKernel": made})


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
    sys.exit(1 if table.over else 0)


if __name__ == "__main__":
    main()
