"""Lists what a torch wheel imports from NVIDIA's libraries: the names only, grouped by library. Run for each torch version
that the simulated GPU must serve; the lists are committed, so that no test needs the wheels.

Usage: list_imports.py TORCH_LIB_DIR VERSION > torch-VERSION.txt     (needs nm and readelf of binutils)
"""
import glob
import os
import re
import subprocess
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../profiler/simgpu/generate"))
import manifest  # noqa: E402


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    folder, version = sys.argv[1:]
    libraries = sorted(glob.glob(f"{folder}/*.so"))
    if not libraries:
        sys.exit(f"no libraries in {folder}")
    known = manifest.libraries()
    needed = set(re.findall(r"NEEDED.*\[(lib[^\]]*)\]", run("readelf", "-d", *libraries)))
    found = {}
    for name in re.findall(r" U (\w+)", run("nm", "-D", "--undefined-only", *libraries)):
        owner = next((l for l in known if re.match(l.pattern, name)), None)
        if soname := next((s for s in owner.sonames if s in needed), None) if owner else None:
            found.setdefault(soname, set()).add(name)
    if unknown := [n for n in needed if re.match(r"lib(cu|nv|nccl)", n) and not any(n in l.sonames for l in known)]:
        sys.exit(f"not in manifest/libraries.tsv: {' '.join(unknown)}")
    print(f"# What torch {version} imports from NVIDIA's libraries. Made by list_imports.py.")
    for soname in sorted(found):
        print(soname)
        print(textwrap.fill(" ".join(sorted(found[soname])), 124, initial_indent="  ", subsequent_indent="  ",
                            break_on_hyphens=False, break_long_words=False))


main()
