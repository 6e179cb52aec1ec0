"""Counts of a program's CUDA calls and GPU work, from PyTorch's profiler and from zerostall's tracer, in one common form.

For programs that are to be counted by both: run the same work once under `profiled`, once under the tracer, and compare
`kineto_counts` with `tracer_counts`. Both cannot be there at once: CUPTI has one subscriber.
"""
import collections
import json
import os
import re
import subprocess

# Calls that both sides are to agree on. The tracer records more (allocations), Kineto as well (cudaGetLastError).
COUNTED = re.compile(r"_*cu(da)?\w*(Launch|Memcpy|Memset|Synchronize)")
SYNCS = {"Stream Sync": "stream syncs", "Event Sync": "event syncs", "Context Sync": "device syncs"}
# The launch function that nvcc 13 calls: torch 2.11's profiler has no name for its id, and draws no arrow from it.
NAMELESS = {505: "__cudaLaunchKernel", 506: "__cudaLaunchKernel"}
DIRECTIONS = {"HtoD": "host to device", "DtoH": "device to host", "DtoD": "device to device", "HtoH": "host to host"}


def events_of(chrome_trace):
    with open(chrome_trace) as f:
        return json.load(f)["traceEvents"]


def kineto_counts(chrome_trace):
    """{what: count} of an exported Chrome trace."""
    counts = collections.Counter()
    events = events_of(chrome_trace)
    # A query leaves a record of the same kind as a sync: only its call tells.
    calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    queries = {e["args"]["correlation"] for e in calls if "Query" in e["name"]}
    for e in events:
        category, name = e.get("cat"), e.get("name", "")
        if name == "INVALID":
            name = NAMELESS.get(e["args"]["cbid"], name)
        if category in ("cuda_runtime", "cuda_driver") and COUNTED.match(name):
            counts[f"call {name}"] += 1
        elif category == "gpu_memcpy":
            direction, source, target = re.match(r"Memcpy (\w+) \((.+) -> (.+)\)", name).groups()
            host = [m for m in (source, target) if m in ("Pageable", "Pinned")]
            counts["copies"] += 1
            counts[f"copy {DIRECTIONS[direction]} {host[0].lower() if host else 'none'}"] += 1
        elif category == "kernel":
            counts["kernels"] += 1
        elif category == "gpu_memset":
            counts["memsets"] += 1
        elif category == "cuda_sync" and name in SYNCS and e["args"].get("correlation") not in queries:
            counts[SYNCS[name]] += 1
    return dict(counts)


def tracer_counts(stat):
    """The same of what `zerostall stat --json` prints."""
    counts = collections.Counter()
    for name, call in stat["calls"].items():
        if not COUNTED.match(name):
            continue
        alone = call["count"] - call["nested"]
        counts[f"call {name}"] += alone
        alone -= call["failed"]  # they leave no record of a sync
        if re.search(r"cu(da)?StreamSynchronize", name):
            counts["stream syncs"] += alone
        if re.search(r"cu(da)?EventSynchronize", name):
            counts["event syncs"] += alone
        if re.search(r"cu(daDevice|Ctx)Synchronize", name):
            counts["device syncs"] += alone
    work = stat["gpu_work"]
    counts.update(kernels=work["kernels"], memsets=work["memsets"], copies=work["copies"])
    if work["copies"] == sum(copy["count"] for copy in stat["copies"]):  # else graphs copy: no call says which way
        for copy in stat["copies"]:
            counts[f"copy {copy['direction']} {copy['host_memory']}"] += copy["count"]
    return {key: n for key, n in counts.items() if n}


def differences(kineto, tracer):
    """One line for each count that differs; empty if they agree."""
    if not any(key.startswith("copy ") for key in tracer):
        kineto = {key: n for key, n in kineto.items() if not key.startswith("copy ")}
    return [f"{key}: torch.profiler {kineto.get(key, 0)}, our tracer {tracer.get(key, 0)}"
            for key in sorted(set(kineto) | set(tracer)) if kineto.get(key, 0) != tracer.get(key, 0)]


def environment(build, trace=None, **more):
    """What makes a child process run on the simulated GPU, and with a trace file under our tracer."""
    lib = f"{os.path.abspath(build)}/lib/zerostall"
    env = dict(os.environ, LD_PRELOAD=f"{lib}/simgpu/libzerostall_simgpu.so", LD_LIBRARY_PATH=f"{lib}/simgpu",
               ZEROSTALL_SIM_MODEL="h200", **more)
    if trace:
        env.update(CUDA_INJECTION64_PATH=f"{lib}/libzerostall_tracer.so",
                   NVTX_INJECTION64_PATH=f"{lib}/libzerostall_tracer.so", ZEROSTALL_TRACE=trace)
    return env


def stat_of(build, trace):
    out = subprocess.run([f"{build}/bin/zerostall", "stat", "--json", "--warmup", "0", trace], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def broken_links(chrome_trace):
    """What is wrong with the GPU events of a Chrome trace: unlinked, misplaced or overlapping. One line each."""
    events = events_of(chrome_trace)
    gpu = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    calls = {e["args"]["correlation"]: e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    ops = {e["args"]["External id"] for e in events if e.get("cat") == "cpu_op" and "External id" in e.get("args", {})}
    starts = {e["id"] for e in events if e.get("ph") == "s" and e.get("cat") == "ac2g"}
    ends = {e["id"] for e in events if e.get("ph") == "f" and e.get("cat") == "ac2g"}
    problems = [] if gpu else ["no GPU events"]
    last = {}
    for e in sorted(gpu, key=lambda e: e["ts"]):
        correlation, where = e["args"]["correlation"], f"{e['name'][:40]} ({e['args']['correlation']})"
        call = calls.get(correlation)
        if not call:
            problems.append(f"{where}: no call launched it")
            continue
        if e["dur"] < 0 or e["ts"] < call["ts"]:
            problems.append(f"{where}: begins before its call, or ends before it begins")
        if call["args"]["cbid"] not in NAMELESS and (correlation not in starts or correlation not in ends):
            problems.append(f"{where}: no flow from its call")
        if "External id" in e["args"] and e["args"]["External id"] not in ops:
            problems.append(f"{where}: its operator is unknown")
        stream = (e["args"]["device"], e["args"]["stream"])
        if e["ts"] < last.get(stream, 0) - 0.002:  # printed with nanoseconds, each rounded
            problems.append(f"{where}: overlaps the work before it on its stream")
        last[stream] = e["ts"] + e["dur"]
    waits = [e for e in calls.values() if re.match(r"cuda(Stream|Device)Synchronize", e["name"])]
    if waits and last and max(last.values()) > max(w["ts"] + w["dur"] for w in waits) + 0.002:
        problems.append("GPU work ends after the call that waited for all of it")
    return problems
