"""What figures say: verdicts on goals, exponents of cost curves, the Markdown of both. Functions of plain data; bench.py reads and writes."""
import math

from figures import digits, holds, ratio_of

TITLES = {"tracer": "What the tracer costs a call", "torch": "What it costs a PyTorch training step", "stacks": "Call stacks of waits",
          "simgpu": "Simulated GPU, without tracer", "import": "Reading traces of other tools", "analyze": "Analysis", "gate": "Gate",
          "timeline": "Timeline of a report", "report": "Report in Chromium", "programs": "Commands on a trace of 1 M CUDA events",
          "python": "Python package", "verify": "Main job", "jobs": "All jobs", "peers": "Other readers of the same trace", "curves": "Cost curves"}


def judge(goal, value):
    """holds, known miss, beyond its bound (a known miss that got worse), missed; without a value: elsewhere, not measured."""
    if value is None:
        return "elsewhere" if "elsewhere" in goal else "not measured"
    if holds(goal, value):
        return "holds"
    if miss := goal.get("known_miss"):
        return "known miss" if holds(goal, value, miss["bound"]) else "beyond its bound"
    return "missed"


def exponent(points):
    """Of growth: the slope of log(total) over log(x), over the last two decades of x. None where there are fewer than two points.
    `points`: (x, value per unit of x)."""
    points = sorted(points)
    points = [(math.log(x), math.log(x * value)) for x, value in points if x >= points[-1][0] / 100.5 and value > 0]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def curves_of(figures):
    """{name: [figure, ...] by x} of the figures that are points of one."""
    curves = {}
    for figure in figures:
        if "curve" in figure:
            curves.setdefault(figure["curve"]["name"], []).append(figure)
    return {name: sorted(points, key=lambda p: p["curve"]["x"]) for name, points in curves.items()}


def values_of(figures):
    """{id: value}, the exponents of curves among them as `exponent: NAME`."""
    values = {figure["id"]: figure["value"] for figure in figures}
    for name, points in curves_of(figures).items():
        values[f"exponent: {name}"] = exponent([(p["curve"]["x"], p["value"]) for p in points])
    return values


def verdicts(goals, figures):
    """[(goal, value or None, verdict)], in the order of the goals."""
    values = values_of(figures)
    return [(goal, values.get(id), judge(goal, values.get(id))) for id, goal in goals.items()]


def missed_by(goal, value):
    """In words."""
    ratio = ratio_of(goal, value)
    return f"{digits(value)} {goal['unit']}, limit {goal['limit']:g}".replace(" ,", ",") + (f", {100 * (ratio - 1):.0f} % over" if ratio else "")


def check_text(goals, figures):
    """(lines that say which goals are missed and by how much, whether all hold or are known misses within their bound)"""
    lines, counts = [], {}
    for goal, value, verdict in verdicts(goals, figures):
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict == "elsewhere":
            lines.append(f"elsewhere         {goal['source']}: {goal['elsewhere']}")
        elif verdict == "not measured":
            lines.append(f"not measured      {goal['id']}: {goal['source']}")
        elif verdict != "holds":
            why = f"; known: {goal['known_miss']['why']}" if verdict == "known miss" else ""
            lines.append(f"{verdict:17} {goal['id']}: {missed_by(goal, value)}: {goal['source']}{why}")
    summary = ", ".join(f"{counts[v]} {v}" for v in ("holds", "known miss", "missed", "beyond its bound", "not measured", "elsewhere") if v in counts)
    return lines + [f"{len(goals)} goals: {summary}"], not counts.keys() & {"missed", "beyond its bound", "not measured"}


def cells(figure, goal):
    """Value, limit or peer, ratio, holds."""
    value = f"{digits(figure['value'])} {figure['unit']}"
    if goal:
        least = "at least " if goal.get("better") == "more" else ""
        ratio = ratio_of(goal, figure["value"])
        verdict = judge(goal, figure["value"])
        return value, f"{least}{goal['limit']:g} {goal['unit']}", "" if ratio is None else f"{ratio:.2f}", {"holds": "yes"}.get(verdict, verdict)
    if peer := figure.get("peer"):
        return value, f"{peer['name']}: {digits(peer['value'])} {figure['unit']}", f"{digits(peer['ratio'])} x", ""
    return value, "", "", ""


def table_of(data, goals, all_figures):
    """One Markdown table, a group for each part with the command that measures it. Without `all_figures` those with a limit or peer,
    and what the peers are compared with."""
    lines = ["| figure | value | limit or peer | ratio | holds |", "|---|--:|---|--:|---|"]
    for part in [p for p in TITLES if p in data["parts"]] + [p for p in data["parts"] if p not in TITLES]:
        figures = [f for f in data["figures"] if f["part"] == part and ("curve" not in f or f["id"] in goals)]
        if not all_figures:
            figures = [f for f in figures if f["id"] in goals or part == "peers"]
        failures = data["parts"][part]["failures"]
        if figures or failures:
            lines.append(f"| **{TITLES.get(part, part)}**: `./dev bench {part}` | | | | |")
        for figure in figures:
            lines.append(f"| {' | '.join((figure['what'].strip().replace('|', '/'), *cells(figure, goals.get(figure['id']))))} |")
        lines += [f"| {failure.replace('|', '/')} | | | | not measured |" for failure in failures]
    return lines


def misses_of(goals, figures):
    """What the table has to say about limits that do not hold."""
    lines, unknown, names = [], {}, {figure["id"]: figure["what"].strip() for figure in figures}
    for goal, value, verdict in verdicts(goals, figures):
        if verdict in ("known miss", "beyond its bound", "missed"):
            why = f" Why: {goal['known_miss']['why']}." if "known_miss" in goal else ""
            lines.append(f"- Missed: {names.get(goal['id'], goal['id'])}: {missed_by(goal, value)}.{why}")
        elif verdict == "not measured":
            unknown[goal["source"]] = unknown.get(goal["source"], 0) + 1
    return lines + [f"- Not measured{f' ({count} figures)' * (count > 1)}: {source}." for source, count in unknown.items()]


def short_number(x):
    return f"{x:,.0f}" if x >= 10 or x == int(x) else f"{x:.1f}"


def curve_lines(figures, whole):
    """Markdown of the cost curves: a table of each, or one line of each."""
    lines = [] if whole else ["| cost by | from | to | exponent of growth |", "|---|---|---|--:|"]
    for name, points in curves_of(figures).items():
        grows = exponent([(p["curve"]["x"], p["value"]) for p in points])
        grows = "unknown" if grows is None else f"{grows:.2f}"
        if whole:
            axis = name.split(":")[0]
            lines += ["", f"**{name}**: exponent {grows}", "", f"| {axis} | {points[0]['unit']}, per unit | |", "|--:|--:|---|"]
            lines += [f"| {short_number(p['curve']['x'])} | {digits(p['value'])} | {p.get('more', '')} |" for p in points]
        else:
            ends = [f"{digits(p['value'])} {p['unit']} at {short_number(p['curve']['x'])}" for p in (points[0], points[-1])]
            lines.append(f"| {name} | {ends[0]} | {ends[1]} | {grows} |")
    return lines


def heading(data):
    machine, versions = data["machine"], data["versions"]
    parts = data["parts"].values()
    dates, commits = sorted({p["date"][:10] for p in parts}), sorted({p["commit"] for p in parts})
    return (f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB; {' to '.join(dict.fromkeys((dates[0], dates[-1])))}; commit "
            f"{', '.join(commits)}; " + ", ".join(f"{name} {version}" for name, version in versions.items()))


def readme_lines(data, goals):
    """What stands between the marks of the README."""
    return ["<!-- written by ./dev bench --readme -->", "",
            f"{heading(data)}. A ratio below 1 holds; of peers it is how many times ours they take.", "",
            *table_of(data, goals, False), "", *misses_of(goals, data["figures"]), "",
            "How cost grows, per unit; an exponent of 1 is linear (over the last two decades):", "", *curve_lines(data["figures"], False)]


def whole_lines(data, goals):
    """bench.md."""
    return ["# Benchmarks", "", f"{heading(data)}. A ratio below 1 holds; of peers it is how many times ours they take.", "",
            *table_of(data, goals, True), "", *misses_of(goals, data["figures"]), "", "## Cost curves",
            "Cost for one unit, and the exponent of growth over the last two decades; 1 is linear.", *curve_lines(data["figures"], True)]


MARK, END = "<!-- bench -->", "<!-- /bench -->"


def put_between_marks(text, lines):
    """`text` with what stands between its marks replaced; ValueError where it has not exactly one pair."""
    before, found, rest = text.partition(MARK + "\n")
    _, found_end, after = rest.partition(END + "\n")
    if not found or not found_end or MARK in after or END in before:
        raise ValueError(f"wanted are one line {MARK} and after it one line {END}")
    return before + MARK + "\n" + "\n".join(lines) + "\n" + END + "\n" + after
