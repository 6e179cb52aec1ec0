"""Stacks while the interpreter shuts down: right, or "unknown"; never a crash."""
import atexit
import os
import sys
import threading

from probe import expected, failures, found, held, in_thread, released, same


def never_ends():  # cut off in a C call by the shutdown
    def nested(n):
        while True:
            nested(n - 1) if n else released.probe_often(50)

    nested(8)


class Late:
    def __init__(self):
        self.call, self.text = held.probe, found

    def __del__(self):
        state, frames = self.text(self.call())
        if state not in ("unknown", "known", "none"):
            os._exit(1)


def at_exit():
    same(released.probe(), expected(), "exit handler of Python")
    try:
        in_thread(lambda: same(released.probe(), expected(), "thread in an exit handler"))
    except RuntimeError:
        pass  # 3.12 starts no thread that late
    print("failed" if failures else "all as expected")
    sys.stdout.flush()
    if failures:
        os._exit(1)


late = Late()
late.itself = late
sys.late = Late()
atexit.register(at_exit)
held.probe_at_exit()
for _ in range(4):
    threading.Thread(target=never_ends, daemon=True).start()
