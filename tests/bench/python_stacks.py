"""What a call stack costs a wait under a Python, against its limit: python_stacks.py LIBSTACK_PROBE, with the Python to measure.

CPU time of stack_id() with native and Python frames, for stacks that were seen before. Printed, never judged by a test."""
import ctypes
import sys
import threading
import time

LIMIT_US, TURNS = 15, 50_000
probe = ctypes.CDLL(sys.argv[1])


def nested(depth, function):
    return nested(depth - 1, function) if depth else function()


def measure(depth, thread):
    def run():
        probe.probe_often(100)
        begin = time.thread_time()
        probe.probe_often(TURNS)
        cost_us = (time.thread_time() - begin) / TURNS * 1e6
        print(f"{sys.version.split()[0]:8} {thread:13} {depth:3} frames  {cost_us:6.2f} us  {cost_us / LIMIT_US:5.2f} of the limit")

    nested(depth, run)


for depth in (5, 20, 60):
    measure(depth, "main thread")
for depth in (5, 20, 60):
    thread = threading.Thread(target=measure, args=(depth, "other thread"))
    thread.start()
    thread.join()
