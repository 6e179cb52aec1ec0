"""Every kind of frame that Python code can be in."""
import asyncio
import contextlib
import functools

from probe import expected, finish, held, in_thread, is_state, released, same

for library, way in ((released, "GIL released"), (held, "GIL held")):
    probe = library.probe

    def here(what):
        same(probe(), expected(), f"{what}, {way}"); return what

    same(probe(), expected(), f"module, {way}")
    here("function")

    def several_lines(a, b):
        same(
            probe(), expected(),
            f"statement over lines, {way}") if a \
            else b

    several_lines(1, 2)

    def generator():
        yield here("generator")
        for i in range(2):
            yield here(
                "generator again")

    list(generator())

    def delegating():
        yield from generator()

    list(delegating())
    sorted([3, 1, 2], key=lambda x: (here("lambda in sorted"), x)[1])
    [here("comprehension") for _ in range(2)]
    max((here("generator expression"), i) for i in range(2))

    def decorator(f):
        @functools.wraps(f)
        def inner(*args):
            return f(*args)

        return inner

    @decorator
    @decorator
    def decorated(what):
        here(what)

    decorated("decorated")

    class Body:
        here("class body")

        def method(self):
            here("method")

        @property
        def value(self):
            return here("property")

        @staticmethod
        def static():
            here("static method")

        def __getattr__(self, name):
            return here("__getattr__")

        def __del__(self):
            here("__del__")

    Body().method()
    Body().value
    Body.static()
    Body().absent
    exec("\n\n\nhere('exec')\n")
    for text in range(20):  # code objects that come and go at the same addresses
        exec(compile("\n" * text + "def f(w):\n  here(w)\nf('exec again')\n", f"<text {text % 3}>", "exec"))
    eval("here('eval')")

    async def coroutine():
        await asyncio.sleep(0)
        here("coroutine")

    asyncio.run(coroutine())

    @contextlib.contextmanager
    def manager():
        here("context manager")
        yield

    with manager():
        here("with")
    try:
        raise ValueError
    except ValueError:
        here("except")
    finally:
        here("finally")

    def deep(n):
        return deep(n - 1) if n else here("deep")

    deep(80)
    long_function = "def long_function():\n" + "    x = [1, 2, 3]; y = {x[0]: (x[1], x[2])}\n" * 700 + "    here('long')\n"
    exec(long_function + "long_function()")

    in_thread(lambda: here("thread"))
    in_thread(lambda: in_thread(lambda: here("thread of a thread")))
    is_state(library.probe_in_new_thread(), "none", f"a thread without Python, {way}")

    def überfunktion():
        here("a name that is not ASCII")

    überfunktion()

    def 函数():
        here("a name of two-byte characters")

    函数()

finish()
