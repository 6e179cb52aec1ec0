"""The manifest of the simulated libraries: what they export and what becomes of a call (manifest/README.md).

As a program (needs readelf of binutils):
  manifest.py check BUILD_DIR     says where the manifest and the built libraries differ; exit 1 if they do
  manifest.py refresh BUILD_DIR   rewrites the status of each function from what is built, adds functions that are new
  manifest.py json OUT            writes the counts and statuses as JSON, for `zerostall doctor`
"""
import dataclasses
import glob
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../manifest")
MODELLED, ACCEPTED, UNSUPPORTED = "modelled", "accepted", "unsupported"


@dataclasses.dataclass
class Library:
    name: str  # "libcudart"
    sonames: list  # of CUDA 12 and 13; one element if they are the same
    node: str  # of the symbols' versions: "=" called like the SONAME, "-" none
    folder: str
    status: str  # its "not supported", a number
    status_name: str
    pattern: str

    @property
    def main(self):  # the file with the code
        return self.sonames[-1]

    @property
    def forwarders(self):  # the files that only pass calls on
        return self.sonames[:-1]

    @property
    def target(self):  # of CMake
        return self.name.replace("lib", "sim", 1)


def rows(path):
    with open(path) as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def libraries():
    found = []
    for name, old, new, *rest in rows(f"{FOLDER}/libraries.tsv"):
        found.append(Library(name, [old, new] if old != new else [new], *rest))
    return found


def functions(name):
    """{function: status} of a library; `libcudart-12` are those that only CUDA 12 has, or has with other parameters."""
    path = f"{FOLDER}/{name}.tsv"
    return dict(rows(path)) if os.path.exists(path) else {}


def by_hand():
    return {name: status for name, status, _ in rows(f"{FOLDER}/by_hand.tsv")}


def defined(build, target):
    """Symbols of the target's object files, {name: True if strong, False if it is only the generated default}: all, exported."""
    objects = glob.glob(f"{build}/profiler/simgpu/CMakeFiles/{target}.dir/**/*.o", recursive=True)
    if not objects:
        sys.exit(f"{target} is not built in {build}: build the target simgpu first")
    out = subprocess.run(["readelf", "-sW", *objects], check=True, capture_output=True, text=True).stdout
    every, exported = {}, {}
    for bind, visibility, name in re.findall(r" FUNC +(GLOBAL|WEAK) +(\w+) +\d+ (\S+)$", out, re.M):
        every[name] = every.get(name, False) or bind == "GLOBAL"
        if visibility == "DEFAULT":
            exported[name] = exported.get(name, False) or bind == "GLOBAL"
    return every, exported


def built_status(library, build):
    """{list: {function: status}} of what is built."""
    symbols, exported = defined(build, library.target)
    said = by_hand()
    generated = library.name in ("libcudart", "libcuda")

    def status(name, behaviour):
        has_behaviour = symbols[behaviour] if generated and behaviour in symbols else exported[name]
        return said.get(name, MODELLED) if has_behaviour else UNSUPPORTED

    result = {library.name: {n: status(n, f"sim_{n}") for n in exported if re.match(library.pattern, n)}}
    if library.name == "libcudart":
        old = {n[len("compat12_"):] for n in defined(build, "simcudart-12")[0] if n.startswith("compat12_")}
        result["libcudart-12"] = {n: said.get(n, MODELLED) for n in old}
    return result


def write(name, statuses):
    with open(f"{FOLDER}/{name}.tsv", "w") as f:
        f.writelines(f"{function}\t{status}\n" for function, status in sorted(statuses.items()))


def compare(build, rewrite):
    differences = 0
    for library in libraries():
        for name, built in built_status(library, build).items():
            known = functions(name)
            for function in sorted(set(known) | set(built)):
                if known.get(function) != built.get(function):
                    differences += 1
                    print(f"{name}: {function}: manifest {known.get(function, '-')}, built {built.get(function, '-')}")
            if rewrite:
                write(name, built)
    known = {f: s for l in libraries() for n in (l.name, f"{l.name}-12") for f, s in functions(n).items()}
    for function, status in by_hand().items():
        if known.get(function) != status:
            differences += 1
            print(f"by_hand.tsv: {function} is {status}, but {'has no behaviour' if function in known else 'no library has it'}")
    return differences


def as_json():
    entries = []
    for library in libraries():
        known = {**functions(library.name), **functions(f"{library.name}-12")}
        entry = {"name": library.name, "sonames": library.sonames}
        for status in (MODELLED, ACCEPTED, UNSUPPORTED):
            entry[status] = sum(s == status for s in known.values())
        entry["functions"] = known
        entries.append(entry)
    return {"schema": "zerostall/manifest/1", "libraries": entries}


def main():
    command, argument = sys.argv[1:]
    if command == "json":
        with open(argument, "w") as f:
            json.dump(as_json(), f, indent=1)
    elif command in ("check", "refresh"):
        differences = compare(argument, command == "refresh")
        if command == "check" and differences:
            print("Rewrite it with: ./dev manifest")
            sys.exit(1)
        print("The manifest says what is built." if not differences else f"{differences} lines rewritten.")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
