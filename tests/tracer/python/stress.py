"""200 000 stacks while other threads run Python as fast as they can; and the frames of a thousand different lines."""
import gc
import sys
import threading

from probe import failures, finish, released

stop = False


def busy():
    while not stop:
        exec(compile("def f(n):\n  return [object() for _ in range(n)]\nf(50)", "<busy>", "exec"), {})
        gc.collect(0)


def nested(n, turns):
    return nested(n - 1, turns) if n else released.probe_often(turns)


def worker(name):
    for _ in range(5):
        if nested(10, 10_000) != 0:
            failures.append(name)
    for i in range(300):
        code = compile("\n" * i + "same(released.probe(), expected(), 'line')", "<lines>", "exec")
        exec(code)


sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=busy) for _ in range(2)]
workers = [threading.Thread(target=worker, args=(f"worker {i}",)) for i in range(3)]
for thread in threads + workers:
    thread.start()
worker("main thread")
for thread in workers:
    thread.join()
stop = True
for thread in threads:
    thread.join()
finish()
