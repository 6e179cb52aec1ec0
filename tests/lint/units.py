"""What the compiler is told about our sources, and bundles of them that clang-tidy reads in one go.

Most of clang-tidy's time goes to the standard headers that every unit includes: a bundle, a generated unit that includes several
sources, reads them once for all. Two sources that define the same name stand in different bundles; a bundle that still does not
compile is no finding, its sources are read one by one then.
"""

import functools
import hashlib
import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# Names that a source defines at the start of a line, which is where clang-format leaves what stands in a namespace.
DEFINED = [
    re.compile(r"^(?:struct|class|enum class|enum|union)\s+(\w+)", re.M),
    re.compile(r"^using\s+(\w+)\s*=", re.M),
    re.compile(r"^#define\s+(\w+)", re.M),
    re.compile(r"^(?!namespace|template)[A-Za-z_][^\n=;(){}]*?(?<!::)\b(\w+)\(", re.M),
    re.compile(r"^(?!namespace|template)[A-Za-z_][^\n=;()]*?(?<!::)\b(\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)", re.M),
]

# What makes no difference to how a source reads: warnings, optimisation, what is exported, how libraries are linked.
NO_MATTER = re.compile(r"-[WOfg]|-D\w+_EXPORTS$|-DFMT_SHARED$|-DNDEBUG$|-DSIMDJSON_THREADS_ENABLED")


@functools.cache
def text_of(path):
    return (ROOT / path).read_text(errors="replace")


@functools.cache
def defined_in(path):
    names = {name for pattern in DEFINED for name in pattern.findall(text_of(path))}
    return {name for name in names if not name.isupper() and name != "__attribute__"}


@functools.cache
def headers_of(path):
    """Our own headers that a file includes, themselves and through others."""
    found, waiting = set(), [path]
    while waiting:
        for name in INCLUDE.findall(text_of(waiting.pop())):
            if name not in found and (ROOT / name).is_file():
                found.add(name)
                waiting.append(name)
    return found


class Unit:
    """One entry of compile_commands.json that is ours."""

    def __init__(self, path, arguments):
        self.path = path  # from the root
        self.arguments = arguments  # without the compiler, the source, the output and what makes no difference
        self.torch = any("/torch/include" in argument for argument in arguments)
        self.own = defined_in(path)
        self.headers = headers_of(path)
        self.known = set().union(*(defined_in(header) for header in self.headers))


def arguments_of(entry):
    arguments, skip = [], False
    for argument in entry.get("arguments") or shlex.split(entry["command"]):
        if skip or argument in ("-o", "-c"):
            skip = argument == "-o" and not skip
            continue
        if argument == entry["file"] or argument.endswith("ccache") or NO_MATTER.match(argument):
            continue
        arguments.append(argument)
    return arguments[1:]


def load_units(build):
    """Every source of ours that the build compiles, or that of the fuzz targets where there is one, by path; no generated ones."""
    units = {}
    for database in (build / "compile_commands.json", build / "fuzz" / "compile_commands.json"):
        for entry in json.loads(database.read_text()) if database.is_file() else []:
            path = Path(entry["directory"], entry["file"]).resolve()
            if path.is_relative_to(build.resolve()) or not path.is_relative_to(ROOT) or path.suffix != ".cpp":
                continue
            name = str(path.relative_to(ROOT))
            if name not in units and path.is_file():
                units[name] = Unit(name, arguments_of(entry))
    return units


class Bundle:
    def __init__(self, arguments):
        self.arguments, self.units, self.own, self.known = arguments, [], set(), set()

    def takes(self, unit):
        return not (self.own & unit.own or self.own & (unit.known - self.known) or unit.own & (self.known - unit.known))

    def add(self, unit):
        self.units.append(unit)
        self.own |= unit.own
        self.known |= unit.known


def bundles_of(units, at_most):
    """Units that one generated unit can include: same arguments, and no name of one means something else in another."""
    bundles = []
    for unit in sorted(units, key=lambda u: u.path):
        for bundle in bundles:
            if len(bundle.units) < at_most and bundle.arguments == unit.arguments and bundle.takes(unit):
                break
        else:
            bundle = Bundle(unit.arguments)
            bundles.append(bundle)
        bundle.add(unit)
    return bundles


def digest(units, *extra):
    """Changes with anything that a run over these units depends on, but for the system's headers."""
    files = {unit.path for unit in units}.union(*(headers_of(unit.path) for unit in units))
    text = hashlib.sha256(repr((extra, [unit.arguments for unit in units])).encode())
    for name in sorted(files):
        text.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return text.hexdigest()[:32]
