"""What the tracer finds on Python's stack (stack_probe.cpp), against what Python itself says."""
import ctypes
import os
import sys
import threading

PATH = os.environ["STACK_PROBE"]
released = ctypes.CDLL(PATH)  # gives the GIL up during the call
held = ctypes.PyDLL(PATH)
for library in (released, held):
    library.probe_text.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
failures = []


def found(number):
    buffer = ctypes.create_string_buffer(1 << 16)
    held.probe_text(number, buffer, len(buffer))
    state, *frames = buffer.value.decode().split("\n")
    return state, [(file, int(line), function) for file, line, function in (f.rsplit("|", 2) for f in frames)]


def expected():
    """The caller's frames, innermost first."""
    frames, frame = [], sys._getframe(1)
    while frame:
        code = frame.f_code
        frames.append((code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)))
        frame = frame.f_back
    return frames


def same(number, frames, what):
    state, got = found(number)
    names = [(os.path.basename(f), l, n) for f, l, n in got]
    want = [(os.path.basename(f), l or 0, n) for f, l, n in frames]
    if state != "known" or names != want:
        failures.append(what)
        print(f"{what}: {state}\n  found    {names}\n  expected {want}")


def is_state(number, state, what):
    got = found(number)
    if got != (state, []):
        failures.append(what)
        print(f"{what}: {got} instead of {state}")


def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def finish():
    print("failed:" if failures else "all as expected", *failures)
    sys.stdout.flush()
    os._exit(1 if failures else 0)
