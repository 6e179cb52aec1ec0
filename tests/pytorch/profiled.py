"""Runs a program under PyTorch's profiler and writes its Chrome trace: profiled.py TRACE.json PROGRAM.py"""
import pathlib
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile

trace, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
sys.path.insert(0, str(pathlib.Path(program).parent))
config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], experimental_config=config) as profiler:
    runpy.run_path(program, run_name="__main__")
profiler.export_chrome_trace(trace)
