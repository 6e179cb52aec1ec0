"""What a call stack costs a wait under a Python, against its limit: python_stacks.py LIBSTACK_PROBE, with the Python to measure.

CPU time of stack_id() with native and Python frames, for stacks that were seen before. Printed and recorded, never judged by a test."""
import ctypes
import sys
import threading
import time

from figures import Table

TURNS = 50_000
table = Table()
probe = ctypes.CDLL(sys.argv[1])


def nested(depth, function):
    return nested(depth - 1, function) if depth else function()


def measure(depth, thread):
    def run():
        probe.probe_often(100)
        begin = time.thread_time()
        probe.probe_often(TURNS)
        cost_us = (time.thread_time() - begin) / TURNS * 1e6
        table.figure(f"stacks.python.{thread.split()[0]}.{depth}", f"stack of {depth} Python frames, {thread}, Python {sys.version.split()[0]}",
                     cost_us, "us")

    nested(depth, run)


for depth in (5, 20, 60):
    measure(depth, "main thread")
for depth in (5, 20, 60):
    thread = threading.Thread(target=measure, args=(depth, "other thread"))
    thread.start()
    thread.join()
