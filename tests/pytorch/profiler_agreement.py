"""Whether PyTorch's profiler (Kineto) counts the same CUDA calls as our tracer. Only one tool can listen at a time, so
the program runs once for each; the program must behave the same both times."""
import json
import pathlib

HERE = pathlib.Path(__file__).parent
COMPARED = ["cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpyAsync",
            "cudaMemsetAsync", "cudaGraphLaunch", "cudaMalloc", "cudaFree", "cudaHostAlloc"]
# The launches go by several names, which differ between CUDA and Kineto versions.
LAUNCHES = ["cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel"]
OF_PROFILED = {"cudaDeviceSynchronize": 2}  # profiled.py adds one, the profiler itself another when it stops


def run_profiled(tools, python, program, header, folder):
    """Counts by name. Raises RuntimeError with the output if the program fails."""
    counts = folder / "counts.json"
    done = tools.record([python, HERE / "profiled.py", counts, program], None, header.options, header.environment,
                        header.timeout_s)
    if done.returncode or not counts.exists():
        raise RuntimeError(f"under PyTorch's profiler: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return json.loads(counts.read_text())


def compare(stat, profiled):
    """Differences as texts. stat: of `zerostall stat --json`; profiled: counts by name."""
    calls = {name: row["count"] for name, row in stat["calls"].items()}
    texts = []
    for name in COMPARED:
        ours, theirs = calls.get(name, 0), profiled.get(name, 0) - OF_PROFILED.get(name, 0)
        if ours != theirs:
            texts.append(f"{name}: we count {ours}, PyTorch's profiler {theirs}")
    ours, theirs = (sum(counts.get(name, 0) for name in LAUNCHES) for counts in (calls, profiled))
    if ours != theirs:
        texts.append(f"launches: we count {ours}, PyTorch's profiler {theirs}")
    return texts
