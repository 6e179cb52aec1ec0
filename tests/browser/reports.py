"""What the tests of reports share: a browser of their own, and the pages that make_pages.py left in OUT.

    NAME_test.py OUT [unittest's arguments]"""
import json
import pathlib
import sys
import unittest

import page as pages

pages.require()
import checks  # noqa: E402  (needs Selenium)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = pages.Browser(OUT / "shots")
        cls.addClassCleanup(cls.browser.driver.quit)

    def open(self, name, **how):
        self.page = self.browser.open(OUT / f"{name}.html", **how)
        self.addCleanup(setattr, self, "page", None)
        return self.page

    def open_text(self, name, text, **how):
        """A page that is made from a report."""
        folder = OUT / "changed"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.html").write_text(text)
        return self.browser.open(folder / f"{name}.html", **how)

    def assert_no(self, complaints, what=""):
        self.assertEqual(list(complaints), [], what)

    def check(self, page, *names):
        for name in names:
            self.assert_no(checks.ask(page, name), name)


def text_of(name):
    return (OUT / name).read_text()


def json_of(name):
    return json.loads(text_of(name))


def embedded(page):
    """The JSON in the page."""
    return json.loads(page.js("return document.getElementById('zerostall-report').textContent"))


def main():
    unittest.main()


OUT = pathlib.Path(sys.argv.pop(1)).resolve()
