"""The traces that are measured: public ones, as they are or expanded, and big ones made from them."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys


def corpus(name):
    """A public trace; ends the program where the folder is missing."""
    folder = pathlib.Path(os.environ.get("ZEROSTALL_TRACES") or pathlib.Path(__file__).resolve().parents[3] / "shared/traces")
    if not (folder / name).exists():
        print(f"no {name} in {folder} (ZEROSTALL_TRACES names the folder of public traces)", flush=True)
        sys.exit(77)
    return str(folder / name)


def expanded(name, folder):
    """Its JSON, as a file in `folder`."""
    path = f"{folder}/{name.removesuffix('.gz')}"
    if not os.path.exists(path):
        with gzip.open(corpus(name)) as packed, open(path, "wb") as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
    return path


def repeated(build, name, path, *size):
    """(path, what the right answer is) of a trace made by repeating a public one; `size`: options of make_big_trace."""
    made = subprocess.run([f"{build}/tests/bench/make_big_trace", corpus(name), path, *map(str, size)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return path, json.loads(made.stdout)


# What Kineto calls copies, and what `zerostall stat --json` says of the same.
DIRECTIONS = {"HtoD": "host to device", "DtoH": "device to host"}


def wrong_answers(stat, right):
    """How what `zerostall stat --json` printed differs from what the big trace holds, as texts."""
    found = {"steps": len(stat["steps"]), "copies by the GPU": stat["gpu_work"]["copies"]}
    wanted = {"steps": right["steps"], "copies by the GPU": sum(right["copies"].values())}
    for name, count in right["calls"].items():
        wanted[name] = count
        found[name] = stat["calls"].get(name, {"count": 0})["count"]
    for name, count in right["copies"].items():  # "Memcpy DtoH (Device -> Pageable)"
        kind, memories = name.split()[1], name[name.index("(") + 1:-1].split(" -> ")
        if kind not in DIRECTIONS:
            continue
        memory = [m.lower() for m in memories if m != "Device"][0]
        wanted[name] = count
        found[name] = sum(c["count"] for c in stat["copies"] if (c["direction"], c["host_memory"]) == (DIRECTIONS[kind], memory))
    return [f"{what}: {found[what]} instead of {wanted[what]}" for what in wanted if found[what] != wanted[what]]
