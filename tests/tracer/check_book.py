"""Records a program on the simulated GPU and compares the trace's count of every recorded function with the simulator's own
book: check_book.py --build BUILD [--may-fail] -- COMMAND... (--may-fail: the program's exit code does not matter)"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pytorch"))
import book  # noqa: E402
from simulated import Tools  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--may-fail", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    tools = Tools(options.build)
    with tempfile.TemporaryDirectory() as folder:
        trace, books = pathlib.Path(folder, "run.zstall"), pathlib.Path(folder, "books")
        books.mkdir()
        done = tools.record(options.command, trace, environment={"ZEROSTALL_SIM_LOG": str(books)})
        if done.returncode != 0 and not options.may_fail:
            sys.exit(f"{done.stdout[-3000:]}\nexit code {done.returncode}")
        lines = book.check(tools, trace, books)
        calls = sum(call["count"] for call in tools.stat(trace)["calls"].values())
        print(f"{calls} calls compared", *lines, sep="\n")
        sys.exit(1 if lines or calls == 0 else 0)


main()
