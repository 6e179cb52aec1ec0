"""Complaints about any page, by checks.js: contrast, width, tables, names, focus, motion."""
import pathlib

SCRIPT = (pathlib.Path(__file__).parent / "checks.js").read_text()


def ask(page, function):
    """What a function of checks.js returns in the page."""
    return page.js(f"{SCRIPT}\nreturn {function}();")


def open_all(page):
    """Unfolds what is folded, for checks of what is inside."""
    page.js("for (const d of document.querySelectorAll('details')) d.open = true")


def tab_through(page, most=400):
    """(stops of the Tab key, complaints)"""
    from selenium.webdriver.common.keys import Keys
    stops, bad = [], []
    page.js("document.activeElement.blur(); scrollTo(0, 0)")
    while len(stops) < most:
        page.keys(Keys.TAB)
        stop = ask(page, "focused")
        if stop is None or (stops and stop["order"] <= len(stops) and stop["order"] != len(stops) + 1):
            break
        stops.append(stop)
        if stop["ring"] < 3:
            bad.append(f"no visible focus ({stop['ring']:.1f}): {stop['name']}")
        if not stop["visible"]:
            bad.append(f"focus on what is not seen: {stop['name']}")
        if stop["before"]:
            bad.append(f"focus goes back: {stop['name']}")
    return stops, bad + [f"not reached by Tab: {name}" for name in ask(page, "not_reached")]
