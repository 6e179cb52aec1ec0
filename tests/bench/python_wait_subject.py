"""Waits for the GPU from Python functions within functions, as tracer_bench_subject.cpp does from C++: reads lines
"stream_sync COUNT", answers each with the CPU time of its thread in the calls, the wall time, and the CPU time of the process."""
import ctypes
import sys
import time

DEPTHS = 6, 24  # Python functions on the stack, in turn

cuda = ctypes.CDLL("libcudart.so.13")
cuda.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
cuda.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), 4096)


def within(depth, count):
    if depth > 1:
        return within(depth - 1, count)
    wait = cuda.cudaStreamSynchronize
    wall, own = time.monotonic_ns(), time.thread_time_ns()
    for _ in range(count):
        wait(None)
    return time.thread_time_ns() - own, time.monotonic_ns() - wall


for line in sys.stdin:
    parts = [within(depth, int(line.split()[1]) // len(DEPTHS)) for depth in DEPTHS]
    own, wall = map(sum, zip(*parts))
    print(own, wall, time.process_time_ns(), flush=True)
