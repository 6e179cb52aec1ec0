"""That the checks of checks.py and page.py find what they are for: checks_test.py FOLDER"""
import pathlib
import sys
import unittest

import page as pages

pages.require()
import checks  # noqa: E402  (needs Selenium)

BAD = """<!doctype html><html><head><meta charset="utf-8"><style>
  body { background: #fff; color: #000; margin: 0 } .grey { color: #999 } .faded { opacity: 0.4 } button.off:focus { outline: none }
  p.moves { transition: color 2s }</style></head><body>
  <p class="grey">too grey</p><p class="faded">too faded</p><p class="moves">fine</p>
  <div style="background: rgba(0, 0, 0, 0.9)"><p id="dark">black on nearly black</p><p style="color: #fff">white</p></div>
  <details><summary>more</summary><p class="grey">folded</p></details>
  <table><tr><th>a<th scope="col">b</tr><tr style="display: block"><td>3<td>4</tr><tr><td>1</tr></table><h3>deep</h3>
  <button class="off">off</button><button></button><button style="order: -1" tabindex="2">first</button><div style="width: 700px">wide</div></body></html>"""
GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title><style>
  :root { color-scheme: light dark } body { background: Canvas; color: CanvasText } button:focus-visible { outline: 2px solid currentColor }</style></head>
  <body><h1>t</h1><table><caption>c</caption><tr><th scope="col">a</tr><tr><td>1</tr></table><button>b</button><a href="#x" id="x">c</a></body></html>"""
LOUD = """<!doctype html><title>t</title><script>console.error('loud'); alert('hello')</script><img src="http://127.0.0.1:9/x.png" alt="">"""


class ChecksFind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(FOLDER)
        cls.browser = pages.Browser(cls.folder / "shots")
        cls.addClassCleanup(cls.browser.driver.quit)

    def open(self, name, text, **how):
        file = self.folder / f"{name}.html"
        file.write_text(text)
        return self.browser.open(file, **how)

    def assert_finds(self, found, *wanted):
        for text in wanted:
            self.assertTrue(any(text in line for line in found), f"{text} is not in {found}")

    def test_bad_page(self):
        page = self.open("bad", BAD, width=640)
        contrast = checks.ask(page, "contrast")
        self.assert_finds(contrast, "too grey", "too faded", "black on nearly black")
        self.assertEqual(len(contrast), 3, contrast)
        checks.open_all(page)
        self.assert_finds(checks.ask(page, "contrast"), "folded")
        self.assert_finds(checks.ask(page, "too_wide"), "700", "wide")
        self.assert_finds(checks.ask(page, "tables"), "no caption", "no scope: th", "no table to hear: tr", "rows of 2 and 1 cells")
        self.assert_finds(checks.ask(page, "names"), "no name: button", "h1: 0", "no lang", "no title", "no viewport", "tab order of its own")
        self.assert_finds(checks.ask(page, "moving"), "p.moves")
        self.assert_finds(checks.tab_through(page)[1], "no visible focus (0.0): button.off", "focus goes back")
        page.close_checked()

    def test_good_page(self):
        for dark in (False, True):
            page = self.open("good", GOOD, dark=dark)
            for check in ("contrast", "too_wide", "tables", "names", "moving"):
                self.assertEqual(checks.ask(page, check), [], check)
            stops, bad = checks.tab_through(page)
            self.assertEqual(([stop["name"] for stop in stops], bad), (['button "b"', 'a#x "c"'], []))
            page.close_checked()

    def test_errors_requests_and_dialogs_are_seen(self):
        page = self.open("loud", LOUD)
        page.browser.driver.switch_to.alert.accept()
        self.assert_finds(page.complaints(), "loud")
        self.assertEqual(page.dialogs(), ["hello"])
        self.assertEqual(page.requests(), ["http://127.0.0.1:9/x.png"])
        with self.assertRaises(AssertionError):
            page.close_checked()

    def test_scripts_can_be_switched_off(self):
        page = self.open("silent", LOUD, script=False)
        self.assertEqual(page.dialogs(), [])
        self.assertEqual(page.js("return document.title"), "t")


if __name__ == "__main__":
    FOLDER = sys.argv.pop(1)
    unittest.main()
