"""Figures of benchmarks: one place where each is printed and recorded, with the ratio to its limit. figure.h does the same for C++.

A figure is one line of JSON in the file that ZEROSTALL_BENCH_FIGURES names:
  part, id   id is PART.NAME; goals.json has the limit under this id, if there is one
  what       in words
  value, unit
  better     "less" or "more"; limit: the value that just holds; ratio: to it, below 1 holds; holds: all four only where there is a limit
  peer       {name, value, ratio}: what else was measured in the same run, and how many times the peer's value this one is
  more       beside it, in words
  curve      {name, x}: a point of a cost curve; the value is then for one unit of x
"""
import json
import os
import pathlib

GOALS = pathlib.Path(__file__).resolve().parent / "goals.json"


def load_goals(path=GOALS):
    """{id: goal}; each has id, limit, source, and where they apply unit, better, known_miss, elsewhere."""
    return {goal["id"]: goal for goal in json.loads(pathlib.Path(path).read_text())["goals"]}


def ratio_of(goal, value):
    """Below 1 holds; None for a limit of 0."""
    less = goal.get("better", "less") == "less"
    over, under = (value, goal["limit"]) if less else (goal["limit"], value)
    return over / under if under else None


def holds(goal, value, limit=None):
    limit = goal["limit"] if limit is None else limit
    return value <= limit if goal.get("better", "less") == "less" else value >= limit


def digits(value):
    """Three or four of them, as figure.cpp has it."""
    size = abs(value)
    return f"{value:,.{0 if size >= 100 or size == 0 else 1 if size >= 10 else 2 if size >= 0.1 else 4}f}"


class Table:
    """Figures, told as they come."""

    def __init__(self, goals=None):
        self.goals = load_goals() if goals is None else goals

    def figure(self, id, what, value, unit, more="", peer=None, curve=None):
        """`peer`: (name, value) of the same run. `curve`: (name, x), the value being for one unit of x."""
        record = {"part": id.split(".")[0], "id": id, "what": what, "value": value, "unit": unit}
        goal, ratio = self.goals.get(id), ""
        if goal:
            record.update(better=goal.get("better", "less"), limit=goal["limit"], ratio=ratio_of(goal, value), holds=holds(goal, value))
            share = "" if record["ratio"] is None else f"{record['ratio']:.2f} of "
            ratio = f"{share}{'at least ' if record['better'] == 'more' else ''}{goal['limit']:g} {unit}"
        if peer:
            record["peer"] = {"name": peer[0], "value": peer[1], "ratio": value / peer[1] if peer[1] else None}
        if more:
            record["more"] = more
        if curve:
            record["curve"] = {"name": curve[0], "x": curve[1]}
        print(f"{what:66} {digits(value):>10} {unit:9} {ratio:26} {more}".rstrip(), flush=True)
        if path := os.environ.get("ZEROSTALL_BENCH_FIGURES"):
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
