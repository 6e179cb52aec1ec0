"""Waits on the simulated GPU from many places; prints where each was, as Python sees it: a JSON list of [file, line, function] lists."""
import ctypes
import json
import sys
import threading

runtime = ctypes.CDLL("libcudart.so.13")
places = []


def here():
    frames, frame = [], sys._getframe(1)
    while frame:
        code = frame.f_code
        frames.append([code.co_filename, frame.f_lineno or 0, getattr(code, "co_qualname", code.co_name)])
        frame = frame.f_back
    places.append(frames)


def wait():
    here(), runtime.cudaDeviceSynchronize()


class Trainer:
    def step(self):
        for _ in range(3):
            wait()
        list(map(lambda x: wait(), range(2)))


def recursive(n):
    return recursive(n - 1) if n else wait()


wait()
Trainer().step()
recursive(30)
exec(compile("\n\nwait()", "<generated>", "exec"))
thread = threading.Thread(target=Trainer().step)
thread.start()
thread.join()
with open(sys.argv[1], "w") as out:
    json.dump(places, out)
