"""Every function that a known torch version imports from an NVIDIA library is in the manifest, and the simulated library of that
SONAME exports it under the version node torch asks for: a missing one would end the process in the middle of a run.

Usage: check_exports.py SIMULATED_LIB_DIR     (needs nm of binutils)
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../profiler/simgpu/generate"))
import manifest  # noqa: E402


def imported(path):
    """{soname: [function]} of a list made by list_imports.py."""
    found = {}
    with open(path) as f:
        for line in f:
            if line.startswith("lib"):
                names = found.setdefault(line.strip(), [])
            elif line.startswith(" "):
                names += line.split()
    return found


def exported(folder):
    """{soname: {function: version node, "" if none}}"""
    found = {}
    for path in glob.glob(f"{folder}/lib*.so*"):
        out = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout
        symbols = re.findall(r" [TtWi] (\w+)(?:@@?(\S+))?$", out, re.M)
        found[os.path.basename(path)] = dict(symbols)
    return found


def main():
    exports = exported(sys.argv[1])
    owners = {soname: library for library in manifest.libraries() for soname in library.sonames}
    lists = sorted(glob.glob(f"{HERE}/torch-*.txt"))
    problems, checked = [], 0
    for path in lists:
        for soname, names in imported(path).items():
            library = owners[soname]
            node = {"=": soname, "-": ""}.get(library.node, library.node)
            known = {**manifest.functions(library.name), **manifest.functions(f"{library.name}-12")}
            for name in names:
                checked += 1
                where = f"{os.path.basename(path)}: {soname}: {name}"
                if name not in known:
                    problems.append(f"{where}: not in the manifest")
                if exports.get(soname, {}).get(name) != node:
                    problems.append(f"{where}: exported under {exports.get(soname, {}).get(name)}, wanted {node}")
    print(f"{checked} imports of {len(lists)} torch versions, {len(problems)} problems")
    print("\n".join(problems[:20]))
    sys.exit(bool(problems) or checked < 2000)


main()
