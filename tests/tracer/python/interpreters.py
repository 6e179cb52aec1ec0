"""With a second interpreter in the process frames are "unknown"; without it they are told again."""
from probe import expected, finish, is_state, released, same

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

same(released.probe(), expected(), "before")
try:
    other = interpreters.create(isolated=False)  # an isolated one cannot load ctypes in 3.12
except TypeError:
    other = interpreters.create()
is_state(released.probe(), "unknown", "beside a second interpreter")
interpreters.run_string(
    other,
    f"""
import ctypes
library = ctypes.CDLL({released._name!r})
library.probe_text.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t]
text = ctypes.create_string_buffer(1000)
library.probe_text(library.probe(), text, 1000)
assert text.value == b"unknown", text.value
print("checked inside")
""",
)
interpreters.destroy(other)
same(released.probe(), expected(), "after")
finish()
