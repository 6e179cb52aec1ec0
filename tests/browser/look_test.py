"""Each kind of report as it looks: light and dark, on a phone, on paper, without motion, without scripts. Screenshots are kept."""
import subprocess

import reports  # first: goes on in the Python that has Selenium
import checks
from make_pages import PAGES

ALL = [*PAGES, "check", "check_two", "verify"]
# What each kind of page has to say at its top, before any figure; of others nothing is missing.
TOP = {"lost": ["1234 records of GPU work lost", "The trace is cut off"],
       "two_lost": ["Before: 1234 records of GPU work lost", "Before: The trace is cut off"]}
# And anywhere.
SAID = {
    "no_steps": ["No steps were found, so figures are of the whole run", "To mark them", "without judged steps, waits per step are not known"],
    "no_waits": ["The host never waits for the GPU in 10 judged steps", "No place waits for the GPU. Watched:"],
    "one": ["waits for the GPU 3 to 4 times (median 3) in each step", "Modelled, not measured"],
    "two": ["Host waits per step:", "Before and after"],
    "to_none": ["→ 0"],
    "steps_on_one_side": ["No steps in the run after: whole runs are compared"],
    "mixed": ["simulated against measured"],
    "ranks": ["All processes"],
    "check_two": ["Before and after"],
    "verify": ["Each fix off and on", "Stays: 10 waits in load"],
}


class Look(reports.ReportTest):
    def each(self, names, look, **how):
        for name in names:
            with self.subTest(name, **how):
                page = self.open(name, **how)
                look(name, page)
                page.close_checked()

    def test_light(self):
        def look(name, page):
            page.shot(f"{name}-light")
            checks.open_all(page)
            page.shot(f"{name}-light-open")
            self.check(page, "contrast", "tables", "names", "too_wide")
        self.each(ALL, look)

    def test_dark(self):
        light = self.open("two").js("return getComputedStyle(document.body).backgroundColor")

        def look(name, page):
            page.shot(f"{name}-dark")
            checks.open_all(page)
            self.check(page, "contrast")
            self.assertNotEqual(page.js("return getComputedStyle(document.body).backgroundColor"), light)
        self.each(ALL, look, dark=True)

    def test_phone(self):
        def look(name, page):
            page.shot(f"{name}-phone")
            self.check(page, "too_wide")
            checks.open_all(page)
            self.check(page, "too_wide", "contrast")
        self.each(ALL, look, width=360, height=780)
        self.each(["one", "two", "hostile"], lambda name, page: self.check(page, "too_wide"), width=320, height=600)

    def test_each_says_what_it_is_and_what_is_missing(self):
        def look(name, page):
            top = page.js("return document.querySelector('header').innerText")
            for text in TOP.get(name, []):
                self.assertIn(text, top)
            seen = page.js("const e = document.querySelector('.incomplete'); return e ? e.checkVisibility() : null")
            self.assertEqual(seen, True if name in TOP else None)
            text = page.js("return document.body.innerText")
            for wanted in SAID.get(name, []):
                self.assertIn(wanted, text)
            for bad in (" A and B", "undefined", "NaN", "..4", "null"):
                self.assertNotIn(bad, text)
        self.each([name for name in ALL if "hostile" not in name], look)

    def test_phones_tell_tables_as_tables(self):
        roles = {}
        for width in (1280, 360):
            for name in ("two", "one"):
                page = self.open(name, width=width, height=780)
                tree = self.browser.cdp("Accessibility.getFullAXTree")["nodes"]
                found = [node["role"]["value"] for node in tree if not node.get("ignored")]
                roles[name, width] = {role: found.count(role) for role in ("table", "row", "rowheader", "columnheader", "cell")}
                self.check(page, "tables")
        for name in ("two", "one"):
            self.assertGreater(roles[name, 360]["cell"], 10)
            self.assertEqual(roles[name, 360], roles[name, 1280])

    def test_no_motion_where_it_is_not_wanted(self):
        def look(_, page):
            checks.open_all(page)
            self.check(page, "moving")
        self.each(["one", "two"], look, reduced=True)

    def test_paper(self):
        def look(name, page):
            page.shot(f"{name}-paper")
            self.check(page, "contrast", "too_wide")
        self.each(["one", "two", "lost", "check", "verify"], look, paper=True)

    def test_paper_is_white_for_who_reads_in_the_dark(self):
        page = self.open("two", dark=True, paper=True)
        self.assertIn(page.js("return getComputedStyle(document.body).backgroundColor"), ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"))
        self.check(page, "contrast")

    def test_pdf_holds_the_tables(self):
        for name in ("one", "two"):
            page = self.open(name)
            cells = page.js("return [...document.querySelectorAll('table.figures th, table.figures td, #site-table > tbody > tr > td')]"
                            ".filter(e => e.checkVisibility()).map(e => e.innerText)")
            text = subprocess.run(["pdftotext", "-raw", page.pdf(name), "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.assertGreater(len(cells), 10)
            text = "".join(text.split())  # lines may end elsewhere
            self.assert_no(cell for cell in cells if "".join(cell.split()) not in text)
            page.close_checked()

    def test_without_scripts(self):
        def look(name, page):
            page.shot(f"{name}-without-scripts")
            shown = page.js("return [...document.querySelectorAll('table')].filter(t => t.checkVisibility() && t.rows.length > 1).length")
            self.assertGreaterEqual(shown, 2)
            self.assertTrue(page.js("return document.querySelector('h1').checkVisibility()"))
            dead = page.js("return [...document.querySelectorAll('button')].filter(b => b.checkVisibility()).map(b => b.textContent)")
            self.assert_no(dead, "buttons that do nothing")
            self.check(page, "too_wide", "contrast")
        self.each(["one", "two", "hostile"], look, script=False)


if __name__ == "__main__":
    reports.main()
