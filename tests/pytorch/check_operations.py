"""Checks that rows of operations.py wait as they say on the simulated GPU: check_operations.py --build BUILD [ROW...]
One process executes all rows, each a step. Prints what differs, by row; exits 1 if anything does."""
import argparse
import json
import pathlib
import re
import sys
import tempfile
from collections import Counter

import book
from operations import OPERATIONS, WAITS
from operations_by_version import for_version
from simulated import Tools

HERE = pathlib.Path(__file__).parent
SYNCS = {"cudaStreamSynchronize": "stream", "cudaDeviceSynchronize": "device", "cudaEventSynchronize": "event"}


def shape(copy, sync):
    return f"{copy or 'no copy'} + {sync or 'no'} sync"


def expected_shapes(row):
    return [shape(WAITS[wait].copy, WAITS[wait].sync) for wait in row.waits]


def found_shape(text):
    """'cudaMemcpyAsync 4 B device to host + cudaStreamSynchronize' -> 'device to host + stream sync'."""
    parts = text.split(" + ")
    copy = next((way for way in ("device to host", "host to device") if way in parts[0]), None)
    return shape(copy, SYNCS.get(parts[-1]))


def differences(row, result, step):
    """What is not as the row says, as texts."""
    if "error" in result:
        return [result["error"]]
    texts = []
    found = [found_shape(text) for text in step["host_waits"]]
    if Counter(found) != Counter(expected_shapes(row)):
        texts.append(f"waits: expected {expected_shapes(row)}, found {step['host_waits']}")
    pageable = sum(WAITS[wait].pageable for wait in row.waits)
    if step["blocking_copies"] != pageable:
        texts.append(f"copies from or to pageable memory: expected {pageable}, found {step['blocking_copies']}")
    warns = sum(WAITS[wait].warns for wait in row.waits)
    if result["warnings"] != warns:
        texts.append(f"warnings of set_sync_debug_mode: expected {warns}, found {result['warnings']}")
    if result["warnings"] > step["waits"]:
        texts.append(f"PyTorch warns {result['warnings']} times, counted are only {step['waits']} waits")
    kinds = "py" if result["nameless"] else "cu|cpp|h|py"
    missing = [name for name in named_functions(row, kinds) if name not in result["stack"]] if result["warnings"] else []
    return texts + [f"{name}, named in its reason, is not on the stack" for name in missing]


def named_functions(row, kinds):
    """kinds: of source files, as a regular expression."""
    return re.findall(rf"\.(?:{kinds}): (\w+)", row.reason)


def supplied_values():
    """For `zerostall record --sim-values`."""
    return {"reads": [{"range": row.name, "bytes": 1, "values": row.flags, "type": "bool", "after": "cycle"}
                      for row in OPERATIONS if row.flags]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="sim")
    parser.add_argument("rows", nargs="*")
    options = parser.parse_args()
    tools = Tools(options.build, options.device)
    with tempfile.TemporaryDirectory() as folder:
        trace, written, values = (pathlib.Path(folder, f"operations.{end}") for end in ("zstall", "json", "values"))
        values.write_text(json.dumps(supplied_values()))
        done = tools.record([options.python, HERE / "execute_operations.py", written, *options.rows], trace,
                            ["--sim-values", values], {"ZEROSTALL_SIM_LOG": folder + "/book.json"})
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nexecute_operations.py ended with {done.returncode}")
        executed = json.loads(written.read_text())
        results = {result["name"]: result for result in executed["rows"]}
        stat = tools.stat(trace)
        steps = {step["index"]: step for step in stat["steps"]}
        lost = []
        if tools.device.startswith("sim"):
            lost = book.differences(stat, json.loads(pathlib.Path(folder, "book.json").read_text()))
    for line in lost:
        print(f"FAIL counts: {line}")
    failed = len(lost)
    for row in OPERATIONS:
        result = results.get(row.name)
        if not result:
            continue
        if "skipped" in result:
            print(f"skipped {row.name}: {result['skipped']}")
            continue
        texts = differences(for_version(row, executed["torch"]), result, steps.get(result["step"]))
        failed += bool(texts)
        for text in texts:
            print(f"FAIL {row.name}: {row.code}\n     {text}")
    print(f"{len(results)} rows, {failed} differ")
    sys.exit(1 if failed or not results else 0)


if __name__ == "__main__":
    main()
