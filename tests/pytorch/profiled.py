"""Runs a program under PyTorch's profiler, writes how often it saw each CUDA call: profiled.py COUNTS.json PROGRAM.py"""
import json
import runpy
import sys
from collections import Counter

import torch
from torch.profiler import ProfilerActivity, profile

counts_file, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
sys.path.insert(0, program.rsplit("/", 1)[0])
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    runpy.run_path(program, run_name="__main__")
    torch.cuda.synchronize()
names = Counter(event.name for event in profiler.events())
with open(counts_file, "w") as file:
    json.dump(names, file)
