"""Writes the seeds of the nsys target anew: nsys_seeds.py FOLDER. Small databases with the tables of Nsight Systems' exports, one per
trait; pages of 512 bytes, so that a fuzzer meets rows and not blanks."""
import pathlib
import sqlite3
import sys

PROCESS = (7 << 24)
THREAD = PROCESS | 8
GPU = "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
CALLS = """CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaMemcpyAsync_v3020'), (2, 'cudaStreamSynchronize_v3020'), (3, 'cudaLaunchKernel_v7000'), (4, 'gemm'),
 (5, 'cuStreamSynchronize'), (6, 'step 3');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,
 nameId INTEGER NOT NULL, returnValue INTEGER);"""
GPU_WORK = f"""CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({GPU}, demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ({GPU}, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, migrationCause INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET ({GPU}, bytes INTEGER, memKind INTEGER);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host');
CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device');"""
NVTX = """CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, rangeId INTEGER, text TEXT, globalTid INTEGER,
 endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"""


def call(begin, end, correlation, name, thread=THREAD):
    return f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({begin}, {end}, 0, {thread}, {correlation}, {name}, 0);"


def loop(steps=3):
    text = ""
    for n in range(steps):
        t = 1000 + 1000 * n
        text += (f"INSERT INTO NVTX_EVENTS VALUES ({t}, {t + 900}, 59, NULL, 'step {n}', {THREAD}, NULL, NULL, 0);"
                 + call(t + 10, t + 20, 3 * n + 1, 3) + call(t + 100, t + 150, 3 * n + 2, 1) + call(t + 150, t + 250, 3 * n + 3, 2)
                 + f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({t + 30}, {t + 90}, 0, 1, 7, {3 * n + 1}, {PROCESS}, 4, 4, NULL);"
                 + f"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({t + 110}, {t + 140}, 0, 1, 7, {3 * n + 2}, {PROCESS}, 4, 2, 2, 0, NULL);")
    return text


SEEDS = {
    "steps": CALLS + GPU_WORK + NVTX + loop(),
    "calls_only": CALLS + call(10, 20, 1, 2) + call(11, 19, 1, 5),
    "nested_two_processes": CALLS + call(10, 90, 1, 1) + call(20, 80, 1, 5) + call(15, 85, 1, 2, (9 << 24) | 1),
    "numbers": CALLS + call(-2**63, 2**63 - 1, 2**62, 2, 2**63 - 1) + call(2**63 - 1, -2**63, -1, 99) + call(0, "NULL", "NULL", 1, "'x'")
    + call(1.5, "x'00ff'", 1, 2),
    "texts": CALLS + NVTX + "INSERT INTO StringIds VALUES (7, CAST(x'63756461ff00410a' AS TEXT)); INSERT INTO StringIds VALUES (-1, '');"
    + call(1, 2, 1, 7) + f"INSERT INTO NVTX_EVENTS VALUES (5, NULL, 34, 1, NULL, {THREAD}, NULL, 6, 3);"
    + f"INSERT INTO NVTX_EVENTS VALUES (6, 9, 60, 1, CAST(x'7374657020ff' AS TEXT), {THREAD}, {THREAD}, NULL, NULL);",
    "view_for_a_table": CALLS.replace("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME", "CREATE TABLE hidden") +
    "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT * FROM n;",
    "columns_computed": CALLS.replace("returnValue INTEGER", "returnValue INTEGER AS (hex(zeroblob(100000000)))") +
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 5, 1, 2);",
    "tables_missing": "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);",
    "not_nsys": "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('x');",
    "info": CALLS + "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT); INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.17.1');"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT); INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100');"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1753837769774933180);"
    "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
    "INSERT INTO DIAGNOSTIC_EVENT VALUES (5, 3, 'CUDA events were lost');" + call(1, 2, 1, 2),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, statements in SEEDS.items():
        path = folder / f"{name}.sqlite"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA page_size = 512")
            db.executescript(statements)
        db.close()
    whole = (folder / "steps.sqlite").read_bytes()
    (folder / "cut.sqlite").write_bytes(whole[:len(whole) * 2 // 3])


if __name__ == "__main__":
    main()
