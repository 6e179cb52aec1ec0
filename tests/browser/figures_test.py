"""That the figures in the page are those of the other commands, and that its tables sort and open."""
import re

import reports  # first: goes on in the Python that has Selenium
import checks
from selenium.webdriver.common.keys import Keys

TIMES = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


def numbers(text):
    """Those in a cell; times in ns."""
    found = re.findall(r"(?<![\w.])(-?[\d,]*\.?\d+)\s*(ns|us|µs|ms|s)?(?![\w.])", text.replace("..", " .. ").replace("−", "-"))
    return [float(number.replace(",", "")) * TIMES.get(unit, 1) for number, unit in found]


def spread(row):
    return {key: row[key] for key in ("min", "median", "p95", "max")} if row else None


ROWS = """return [...document.querySelectorAll('tr[data-key]')].map(row => ({key: row.dataset.key, title: row.cells[0].textContent.trim(),
  cells: [...row.querySelectorAll('td.number:not(.change)')].map(cell => cell.textContent.trim()), change: row.querySelector('.change')?.textContent.trim()}))"""
SITES = """return [...document.querySelectorAll('#site-table > tbody > tr')].map(row => row.dataset.site)"""


class Figures(reports.ReportTest):
    def figures_of(self, page):
        return [row for group in reports.embedded(page)["figures"] for row in group["rows"]]

    def test_json_in_the_page_is_that_of_stat(self):
        page = self.open("two")
        report = reports.embedded(page)
        figures = {row["key"]: row for row in self.figures_of(page)}
        for side in ("before", "after"):
            stat, run = reports.json_of(f"{side}.stat.json"), report[side][0]
            compared = 0
            for key, of_stat in stat["per_step"].items():
                self.assertEqual(run["per_step"][key], of_stat, f"{key} {side}")
                if key in figures and not key.endswith("_ns"):
                    self.assertEqual(spread(figures[key][side]), spread(of_stat), f"{key} {side}")
                    compared += 1
            self.assertGreaterEqual(compared, 4)
            for key in ("outside", "background", "totals"):
                self.assertEqual(run[key], stat[key], f"{key} {side}")
            self.assertEqual([(s["number"], s["judged"], s["waits"], s["blocked_ns"]) for s in run["each_step"]],
                             [(s["index"], s["judged"], s["waits"], s["blocked_ns"]) for s in stat["steps"]])
            sites = {site["id"]: site for site in stat["sites"]}
            told = [site for site in report["sites"] if site[side]]
            self.assertEqual(sum(site[side]["waits"] for site in told), sum(site["waits"] for site in sites.values()), side)
            for site in told:
                if site["id"] in sites:
                    self.assertEqual((site[side]["waits"], site[side]["waits_per_step"]),
                                     (sites[site["id"]]["waits"], sites[site["id"]]["waits_per_step"]), site["id"])
        page.close_checked()

    def test_cells_say_what_the_json_says(self):
        for name, sides in (("one", ["after"]), ("two", ["before", "after"])):
            page = self.open(name)
            checks.open_all(page)
            figures, compared = self.figures_of(page), 0
            rows = page.js(ROWS)
            self.assertEqual([row["key"] for row in rows], [row["key"] for row in figures])
            for shown, row in zip(rows, figures):
                self.assertEqual(len(shown["cells"]), len(sides), shown)
                for side, cell in zip(sides, shown["cells"]):
                    self.compare(cell, row, row[side])
                    compared += bool(row[side])
            self.assertGreaterEqual(compared, 5)

    def compare(self, cell, row, figure):
        if figure is None:
            self.assertIn("unknown", cell, row["key"])
            return
        found = numbers(cell)
        self.assertTrue(found, f"{row['key']}: {cell}")
        wanted = [figure[key] for key in ("min", "median", "p95", "max") if figure[key] is not None]
        for value in found:  # as much as three figures can say
            self.assertTrue(any(abs(value - want) <= 0.006 * abs(want) + (1000 if row["key"].endswith("_ns") else 0) for want in wanted),
                            f"{row['key']}: {cell} is none of {wanted}")

    def test_times_are_those_of_diff(self):
        page = self.open("two")
        times = {key: row for key, row in reports.json_of("two.diff.json")["times"].items() if isinstance(row, dict)}
        figures = {row["key"]: row for row in self.figures_of(page)}
        for key in set(times) & set(figures):
            for side, letter in (("before", "a"), ("after", "b")):
                self.assertEqual((figures[key][side]["median"], figures[key][side]["p95"]),
                                 (times[key][letter]["median"], times[key][letter]["p95"]), f"{key} {side}")
        self.assertIn("step_ns", set(times) & set(figures))

    def test_verdict_is_that_of_check(self):
        page = self.open("check")
        said, report = reports.json_of("check.json"), reports.embedded(page)
        self.assertEqual((report["check"], report["verdict"]["kind"]), (said, said["verdict"]))
        self.assertIn(report["verdict"]["sentence"], page.js("return document.querySelector('h1').textContent"))
        text = page.js("return document.body.innerText")
        self.assertIn("train.py:41", text)
        page.close_checked()

    def test_modelled_times_stand_folded(self):
        page = self.open("one")
        self.assertTrue(any(group["modelled"] for group in reports.embedded(page)["figures"]))
        seen = page.js("return [...document.querySelectorAll('section#figures table, section#sites table')].filter(e => e.checkVisibility()).map(e => e.innerText).join(' ')")
        self.assertNotRegex(seen, r"\d\s*(ms|us|ns)\b")
        page.js("document.querySelector('details.modelled > summary').click()")
        self.assertRegex(page.js("return document.querySelector('details.modelled').innerText"), r"\d\s*ms\b")

    def test_mixed_report_compares_no_times(self):
        page = self.open("mixed")
        for row in self.figures_of(page):
            if row["key"].endswith("_ns"):
                self.assertNotEqual(row["sure"], "significant", row)

    def columns(self, page):
        return page.js("return [...document.querySelectorAll('#site-table thead th')].map(th => th.dataset.sort || null)")

    def values(self, page, column):
        values = page.js("return [...document.querySelectorAll('#site-table > tbody > tr')].map(row => row.cells[arguments[0]].dataset.value)", column)
        return [float(v) if self.columns(page)[column] == "number" else v.lower() for v in values]

    def test_sorts_by_each_column(self):
        for name in ("two", "measured", "one"):
            page = self.open(name)
            rows = page.js(SITES)
            self.assertGreater(len(rows), 3)
            for column, kind in enumerate(self.columns(page)):
                if kind is None:
                    continue
                seen = []
                for key in (None, Keys.ENTER):
                    button = page.find("#site-table thead th")[column].find_elements("css selector", "button")[0]
                    page.click(button) if key is None else button.send_keys(key)
                    values = self.values(page, column)
                    self.assertIn(values, (sorted(values), sorted(values, reverse=True)), f"column {column}")
                    self.assertEqual(sorted(page.js(SITES)), sorted(rows))
                    how = page.js("return document.querySelectorAll('#site-table thead th')[arguments[0]].getAttribute('aria-sort')", column)
                    self.assertEqual(values, sorted(values, reverse=how == "descending"), f"column {column} says {how}")
                    self.assertEqual(page.js("return document.querySelectorAll('#site-table th[aria-sort]:not([aria-sort=none])').length"), 1)
                    seen.append(how)
                self.assertEqual(sorted(seen), ["ascending", "descending"], f"column {column}")
            page.close_checked()

    def test_of_many_places_the_first_are_shown(self):
        page = self.open("hostile")
        shown = "return [...document.querySelectorAll('#site-table > tbody > tr')].filter(r => r.checkVisibility()).map(r => r.dataset.site)"
        rows = page.js(SITES)
        self.assertGreater(len(rows), 30)
        self.assertEqual(page.js(shown), rows[:20])
        page.click(page.find("#site-table thead button")[0])
        self.assertEqual(page.js(shown), page.js(SITES)[:20])
        page.js("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(len(page.js(shown)), len(rows))
        page.js("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(len(page.js(shown)), 20)
        more = page.find("#sites .buttons button")[0]
        self.assertEqual(more.text, f"Show all {len(rows)} places")
        page.click(more)
        self.assertEqual(sorted(page.js(shown)), sorted(rows))
        self.assertEqual(page.js("return document.activeElement.closest('tr').dataset.site"), page.js(SITES)[20])
        page.close_checked()

    def test_rows_open_by_mouse_and_keyboard(self):
        page = self.open("two")
        first = "const d = document.querySelector('#site-table tbody details'); "
        self.assertFalse(page.js(first + "return d.open"))
        page.click(page.find("#site-table tbody summary")[0])
        self.assertTrue(page.js(first + "return d.open && d.querySelector('dl').checkVisibility()"))
        page.shot("two-row-open")
        page.find("#site-table tbody summary")[0].send_keys(Keys.ENTER)
        self.assertFalse(page.js(first + "return d.open"))
        page.close_checked()

    def test_charts_read_out_steps_by_keyboard(self):
        page = self.open("two")
        plot = page.find(".chart .plot")[0]
        page.js("arguments[0].scrollIntoView({block: 'center'})", plot)
        steps = reports.embedded(page)["after"][0]["each_step"]
        readout = "return document.querySelector('.chart .readout').textContent"
        seen = []
        for key, step in ((Keys.HOME, steps[0]), (Keys.ARROW_RIGHT, steps[1]), (Keys.END, steps[-1]), (Keys.ARROW_LEFT, steps[-2])):
            plot.send_keys(key)
            text = page.js(readout)
            self.assertRegex(text, rf"\b{step['number']}\b")
            self.assertRegex(text, rf"after[^;]*: {step['waits']}\b")
            seen.append(text)
        self.assertEqual(len(set(seen)), 4)
        plot.send_keys(Keys.ESCAPE)
        self.assertEqual(page.js(readout), "")
        page.close_checked()

    def test_tab_reaches_all_in_order_and_shows_where_it_is(self):
        for dark in (False, True):
            page = self.open("two", dark=dark)
            stops, bad = checks.tab_through(page)
            self.assert_no(bad)
            self.assertGreater(len(stops), 15)
            page.close_checked()

    def test_markdown_and_json_leave_the_page(self):
        page = self.open("two")
        self.browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(reports.OUT / "downloads"))
        self.browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.click(page.find("#download-json")[0])
        file = page.wait_for("return true") and self.downloaded()
        self.assertEqual(file, reports.embedded(page))
        page.click(page.find("#copy-markdown")[0])
        page.wait_for("return document.getElementById('data-said').textContent.startsWith('Copied')")
        self.assertEqual(page.js("return navigator.clipboard.readText()"), reports.embedded(page)["markdown"])
        page.close_checked()

    def downloaded(self):
        import json
        import time
        for _ in range(200):
            files = [f for f in (reports.OUT / "downloads").glob("*") if f.suffix == ".json"]
            if files:
                return json.loads(files[0].read_text())
            time.sleep(0.05)
        raise AssertionError("nothing was downloaded")


if __name__ == "__main__":
    reports.main()
