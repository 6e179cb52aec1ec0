"""The ways people use torch.profiler, on the simulated GPU, all in one process: start and stop many times, a schedule with
warm-up, tables, stacks, shapes, memory, synchronisation records. Exit code 1 and a line for each thing that is wrong.

Usage: profiler_features.py BUILD_FOLDER [teardown]     `teardown`: only profiles one after the other, with Kineto
detaching from CUPTI between them (it does so from a thread of its own, and loses a profile that has begun by then)
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import profiler_counts

problems = []


def expect(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found}, expected {wanted}")


def gpu_events(profiler):
    import torch
    return [e for e in profiler.events() if e.device_type == torch.autograd.DeviceType.CUDA]


def exported(profiler, folder):
    path = f"{folder}/trace.json"
    profiler.export_chrome_trace(path)
    return path


def cycles(folder):
    """Each of many profiles sees its own work and no other's."""
    import torch
    from torch.profiler import ProfilerActivity, profile
    x = torch.ones(8, device="cuda")
    for n in range(1, 6):
        (x + 1).sum().item()  # outside: must not be seen
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            for _ in range(n):
                (x + 1).sum().item()
        kinds = sorted(e.name.split("<")[0].split("(")[0].strip() for e in gpu_events(profiler))
        expect(f"GPU events of profile {n}", len(kinds), 3 * n)
        problems.extend(f"profile {n}: {line}" for line in profiler_counts.broken_links(exported(profiler, folder)))
        if "TEARDOWN_CUPTI" in os.environ:
            # Kineto detaches from a thread of its own, inside the next CUDA call: before the next profile, or the end.
            time.sleep(0.3)
            (x + 1).sum().item()
            time.sleep(0.3)


def only_cuda():
    import torch
    from torch.profiler import ProfilerActivity, profile
    x = torch.ones(8, device="cuda")
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        (x + 1).sum().item()
    expect("GPU events without CPU activities", len(gpu_events(profiler)), 3)


def scheduled(folder):
    """skip, wait, warm up, record: two rounds, each handed to on_trace_ready with the recorded steps only."""
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    x, ready = torch.ones(1000, device="cuda"), []

    def on_ready(profiler):
        path = exported(profiler, folder)
        counts = profiler_counts.kineto_counts(path)
        names = {e["name"] for e in profiler_counts.events_of(path) if e.get("cat") == "user_annotation"}
        ready.append((counts["kernels"], counts["copy device to host pinned"], sorted((n for n in names if "Step" in n), key=lambda n: int(n[13:]))))
        problems.extend(f"schedule: {line}" for line in profiler_counts.broken_links(path))

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], on_trace_ready=on_ready,
                 schedule=schedule(skip_first=2, wait=1, warmup=1, active=3, repeat=2)) as profiler:
        for _ in range(14):
            (x * 2).sum().item()
            profiler.step()
    expect("rounds of the schedule", ready, [(6, 3, [f"ProfilerStep#{n}" for n in (4, 5, 6)]),
                                             (6, 3, [f"ProfilerStep#{n}" for n in (9, 10, 11)])])


def everything(folder):
    import torch
    from torch.profiler import ProfilerActivity, profile
    model = torch.nn.Linear(64, 64).cuda()
    x = torch.randn(32, 64, device="cuda")
    config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, profile_memory=True,
                 with_stack=True, with_flops=True, experimental_config=config) as profiler:
        side, event = torch.cuda.Stream(), torch.cuda.Event()
        y = model(x).relu()
        event.record()
        side.wait_event(event)
        with torch.cuda.stream(side):
            y.sum().item()
        event.synchronize()
        torch.cuda.synchronize()
    path = exported(profiler, folder)
    problems.extend(f"everything on: {line}" for line in profiler_counts.broken_links(path))
    rows = {row.key: row for row in profiler.key_averages(group_by_input_shape=True)}
    expect("aten::relu has GPU time", rows["aten::relu"].device_time_total > 0, True)
    table = profiler.key_averages().table(sort_by="cuda_time_total", row_limit=10)
    expect("the table has a column of GPU time", "CUDA total" in table, True)
    expect("memory is seen", any(r.device_memory_usage > 0 for r in rows.values()), True)
    events = profiler_counts.events_of(path)
    syncs = sorted({e["name"] for e in events if e.get("cat") == "cuda_sync"})
    expect("kinds of waits", syncs, ["Context Sync", "Event Sync", "Stream Sync", "Stream Wait Event"])
    expect("python stacks", any(e.get("cat") == "python_function" for e in events), True)
    with open(path) as f:
        properties = json.load(f)["deviceProperties"]
    expect("the device is described", (len(properties), properties[0]["computeMajor"]), (1, 9))


def main():
    with tempfile.TemporaryDirectory() as folder:
        cycles(folder)
        if "TEARDOWN_CUPTI" not in os.environ:
            only_cuda()
            scheduled(folder)
            everything(folder)
    for line in problems:
        print("WRONG", line)
    sys.exit(1 if problems else 0)


def run(build, *options):
    more = {"TEARDOWN_CUPTI": "1"} if "teardown" in options else {}
    env = profiler_counts.environment(build, **more)
    done = subprocess.run([sys.executable, __file__, build, "child"], env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    bad = [line for line in done.stdout.splitlines()
           if line.startswith("WRONG") or "zerostall" in line or "dropped" in line.lower() or "Error" in line]
    print("\n".join(bad) or "torch.profiler works")
    if done.returncode or bad:
        sys.exit(done.stdout)


if "child" in sys.argv:
    main()
else:
    run(os.path.abspath(sys.argv[1]), *sys.argv[2:])
