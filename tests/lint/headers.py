"""Every header compiles alone. Where a source includes a header before anything else, the build has shown it (a source's own header
comes first: clang-format sees to that); the others are compiled here.
"""

import subprocess

from units import INCLUDE, ROOT, digest, text_of

COMPILER = "g++"


def unproven(units, headers, quick):
    """(header, the first unit that includes it) of those that no source of the build includes first."""
    first = {INCLUDE.findall(text_of(path))[:1][0] for path in units if INCLUDE.search(text_of(path))}
    todo = []
    for header in headers:
        users = [unit for unit in units.values() if header in unit.headers]
        users.sort(key=lambda unit: (unit.torch, unit.path))
        # A header that only LibTorch's sources include is LibTorch's.
        if header not in first and users and not (quick and users[0].torch):
            todo.append((header, users[0]))
    return todo


def check(todo, build):
    """What the compiler says about a unit that includes this header alone; nothing if it compiles."""
    header, user = todo
    folder = build / "lint"
    folder.mkdir(parents=True, exist_ok=True)
    answer = folder / f"{digest([user], header)}.header"
    if answer.is_file():
        return []
    command = [COMPILER, *user.arguments, "-w", "-fsyntax-only", "-x", "c++", "-"]
    run = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True, cwd=ROOT)
    if run.returncode == 0:
        answer.touch()
        return []
    errors = [line for line in run.stderr.splitlines() if " error: " in line]
    return [f"{header}: does not compile alone: {(errors or [run.stderr.strip()])[0]}"]
