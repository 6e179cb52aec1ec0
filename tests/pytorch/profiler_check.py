"""Whether PyTorch's profiler (Kineto) counts the same of a program as our tracer. Only one tool can listen at a time,
so the program runs once for each, and must do the same both times."""
import pathlib

import profiler_counts

HERE = pathlib.Path(__file__).parent
OF_THE_PROFILER = ("call cudaDeviceSynchronize", "device syncs")  # it waits for the device once before it stops


def check(tools, python, program, header, folder, stat):
    """What differs, as texts. stat: what `zerostall stat --json` said of the other run."""
    trace = folder / "kineto.json"
    done = tools.record([python, HERE / "profiled.py", trace, program], None, header.options, header.environment,
                        header.timeout_s)
    if done.returncode or not trace.exists():
        return [f"under PyTorch's profiler: exit code {done.returncode}\n{done.stdout[-2000:]}"]
    counts = profiler_counts.kineto_counts(trace)
    for name in OF_THE_PROFILER:
        counts[name] = counts.get(name, 0) - 1
    counts = {name: count for name, count in counts.items() if count}
    texts = profiler_counts.differences(counts, profiler_counts.tracer_counts(stat))
    return texts + profiler_counts.broken_links(trace)
