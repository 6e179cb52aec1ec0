"""Reads a real trace by FORMAT.md alone, and compares with `zerostall export`: format_test.py BUILD."""
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = f"""
import ctypes, threading
cuda = ctypes.CDLL("libcudart.so.13")
mark = ctypes.CDLL("{BUILD}/lib/zerostall/libzerostall_mark.so")
memory, host = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4096))
def steps(first):
    for n in range(first, first + 200):
        mark.zerostall_step_begin(ctypes.c_long(n))
        cuda.cudaMemsetAsync(memory, 0, ctypes.c_size_t(64), None)
        cuda.cudaMemcpy(host, memory, ctypes.c_size_t(8 + n), 2)
        cuda.cudaMemcpyAsync(memory, host, ctypes.c_size_t(16), 1, None)
        mark.zerostall_step_end()
steps(0)
other = threading.Thread(target=steps, args=(1000,))
other.start()
other.join()
"""


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def difference(self, base):
        folded = self.number()
        value = (base + ((folded >> 1) ^ -(folded & 1))) % 2**64
        return value - 2**64 if value >= 2**63 else value


def read_call(n, last, thread):
    flags, api = n.number(), n.number()
    end = last["T"] = n.difference(last["T"])
    begin = n.difference(end)
    correlation = last["C"] = n.difference(last["C"]) % 2**32
    given = {bit: n.number() for bit in (1, 2, 4, 8, 16, 32, 64) if flags & bit}
    last["stream"], last["context"] = given.get(1, last["stream"]), given.get(64, last["context"])
    return {"api": api, "begin": begin, "end": end, "correlation": correlation, "thread": thread, "bytes": given.get(4, 0),
            "copy": given.get(2, 255), "result": n.difference(0) if flags & 128 else 0}


def read_gpu(n, last):
    flags, kind = n.number(), n.number()
    begin = last["G"] = n.difference(last["G"])
    end = n.difference(begin)
    correlation = last["D"] = n.difference(last["D"]) % 2**32
    counts = ((1, 3), (2, 1), (4, 1), (8, 3), (16, 2), (32, 1))
    given = {bit: [n.number() for _ in range(count)] for bit, count in counts if flags & bit}
    return {"kind": {1: "kernel", 2: "copy", 3: "memset", 4: "graph"}[kind], "begin": begin, "end": end, "correlation": correlation,
            "bytes": given.get(4, [0])[0]}


def read_segment(data, thread, found):
    n = Numbers(data)
    last = dict.fromkeys(("T", "G", "C", "D", "stream", "context"), 0)
    while n.at < len(data):
        kind = n.number()
        if kind == 1:
            found["calls"].append(read_call(n, last, thread))
        elif kind == 2:
            found["gpu"].append(read_gpu(n, last))
        elif kind in (3, 4):
            what = n.number()
            last["T"] = n.difference(last["T"])
            found["marks" if kind == 3 else "notes"].append((what, last["T"], [n.number() for _ in range(3 if kind == 3 else 2)]))
        elif kind == 5:
            what, name, size = n.number(), n.number(), n.number()
            found["definitions"].setdefault(what, {})[name] = data[n.at:n.at + size]
            n.at += size
        elif kind == 6:
            n.number()
            last["G"] = n.difference(last["G"])
            n.difference(last["G"]), n.number(), n.number()
        else:
            raise AssertionError(f"kind {kind} at {n.at}")


def read_file(data):
    assert data[:8] == b"ZSTALL\r\n"
    version, at, pid, _, state, stop, _, _, size = struct.unpack_from("<IIQqIIiIQ", data, 8)
    assert (version, state, stop, size) == (2, 1, 0, len(data)), (version, state, stop, size, len(data))
    found = {"pid": pid, "calls": [], "gpu": [], "marks": [], "notes": [], "definitions": {}, "sealed": 0}
    while at < len(data):
        magic, length, _, thread, _, committed, sealed_bytes, crc, sealed, place = struct.unpack_from("<4sIQIIIIIIQ", data, at)
        assert (magic, place) == (b"ZSEG", at), (magic, place, at)
        records = data[at + 64:at + 64 + committed]
        if sealed:
            found["sealed"] += 1
            assert zlib.crc32(records[:sealed_bytes]) == crc
        read_segment(records, thread, found)
        at += length
    assert at == len(data)
    return found


def export(tool, folder, form, *more):
    return subprocess.run([tool, "export", "run.zstall", "--format", form, *more], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    with tempfile.TemporaryDirectory(prefix="zerostall-format-") as folder:
        (pathlib.Path(folder) / "program.py").write_text(PROGRAM)
        tool = BUILD / "bin/zerostall"
        subprocess.run([tool, "record", "--device", "sim", "-o", "run.zstall", "--quiet", "--", sys.executable, "program.py"], cwd=folder, check=True)
        found = read_file((pathlib.Path(folder) / "run.zstall").read_bytes())
        table = export(tool, folder, "csv", "--table", "calls")
        [process] = json.loads(export(tool, folder, "json"))["processes"]
    names = found["definitions"][3]
    strings = {name: text.decode() for name, text in found["definitions"][2].items()}
    calls = sorted((names[c["api"]].decode().split("_v")[0], c["thread"], c["begin"], c["end"], c["result"]) for c in found["calls"])
    assert len(calls) >= 1201 and found["sealed"] > 0, (len(calls), found["sealed"])
    rows = csv.DictReader(table.splitlines())
    assert calls == sorted((r["call"], int(r["thread"]), int(r["begin_ns"]), int(r["end_ns"]), int(r["result"])) for r in rows)
    assert sum(c["bytes"] for c in found["calls"] if c["copy"] == 2) == 2 * sum(range(8, 208)) + 200 * 1000
    for kind, key in (("copy", "copies"), ("memset", "memsets"), ("kernel", "kernels")):
        assert sum(g["kind"] == kind for g in found["gpu"]) == process["gpu_work"][key], (kind, process["gpu_work"])
    correlations = {c["correlation"] for c in found["calls"]}
    assert all(g["correlation"] in correlations and g["begin"] <= g["end"] for g in found["gpu"])
    begun = {strings[rest[2]] for kind, _, rest in found["marks"] if kind == 1}
    assert {f"step {n}" for n in range(200)} <= begun, begun
    assert json.loads(found["definitions"][1][0])


main()
