"""Each kind of report as it looks: light and dark, on a phone, on paper, without motion, without scripts. Screenshots are kept."""
import subprocess

import reports  # first: goes on in the Python that has Selenium
import checks
from make_pages import PAGES

ALL = [*PAGES, "check"]


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

    def test_no_motion_where_it_is_not_wanted(self):
        def look(_, page):
            checks.open_all(page)
            self.check(page, "moving")
        self.each(["one", "two"], look, reduced=True)

    def test_paper(self):
        def look(name, page):
            page.shot(f"{name}-paper")
            self.check(page, "contrast", "too_wide")
        self.each(["one", "two", "lost", "check"], look, paper=True)

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
