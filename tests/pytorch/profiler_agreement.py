"""torch.profiler and our tracer must agree on each count of the same loop on the simulated GPU.

Usage: profiler_agreement.py BUILD_FOLDER
Prints the counts and each disagreement; exit code 1 if there is one. The loop runs in two child processes: PyTorch's
profiler in one, our tracer in the other.
"""
import os
import subprocess
import sys
import tempfile

import profiler_counts

STEPS = 5


def make_step():
    import torch
    torch.manual_seed(0)
    device = "cuda"
    model = torch.nn.Sequential(torch.nn.Embedding(32, 64), torch.nn.LayerNorm(64), torch.nn.Linear(64, 64), torch.nn.GELU(),
                                torch.nn.Linear(64, 32)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens, pinned = torch.zeros(8, 16, dtype=torch.long), torch.ones(8, 16).pin_memory()
    side = torch.cuda.Stream()
    done = torch.cuda.Event()

    def step():
        x = tokens.to(device)  # pageable: waits
        weight = pinned.to(device, non_blocking=True)
        with torch.cuda.stream(side):
            later = (weight * 2).sum()
            done.record(side)
        loss = (model(x).float().logsumexp(-1) * weight).mean() + torch.zeros(1000, device=device).sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        done.synchronize()
        return loss.item() + later.cpu().item()

    return step


def loop():
    import torch
    step = make_step()
    for _ in range(STEPS):
        step()
    torch.cuda.synchronize()


def profiled(out):
    import torch
    from torch.profiler import ProfilerActivity, profile
    config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], experimental_config=config) as profiler:
        loop()
    profiler.export_chrome_trace(out)


def child(build, *arguments, trace=None):
    env = profiler_counts.environment(build, trace=trace)
    done = subprocess.run([sys.executable, __file__, build, *arguments], env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    for line in done.stdout.splitlines():
        if "zerostall" in line or "dropped" in line.lower() or "Traceback" in line:
            print(line)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}")


def compare(build):
    with tempfile.TemporaryDirectory() as folder:
        chrome, trace = f"{folder}/kineto.json", f"{folder}/run.zstall"
        child(build, "profiled", chrome)
        child(build, "loop", trace=trace)
        kineto = profiler_counts.kineto_counts(chrome)
        # The profiler waits for the device once itself, before it stops.
        for key in ("call cudaDeviceSynchronize", "device syncs"):
            kineto[key] -= 1
        tracer = profiler_counts.tracer_counts(profiler_counts.stat_of(build, trace))
        problems = profiler_counts.broken_links(chrome)
    problems += profiler_counts.differences(kineto, tracer)
    for key in sorted(kineto):
        print(f"{kineto[key]:6} {key}")
    for line in problems:
        print("WRONG", line)
    if problems:
        sys.exit(1)
    print("torch.profiler and our tracer agree on each count")


if len(sys.argv) > 2:
    {"loop": loop, "profiled": profiled}[sys.argv[2]](*sys.argv[3:])
else:
    compare(os.path.abspath(sys.argv[1]))
