"""The page of a real `zerostall verify flux2` reads as agreed: verify_page.py ZEROSTALL GOLDEN [--update].

GOLDEN holds verify.txt, the text of the page as a reader meets it, with its tables row by row, and verify.json, the data
that it embeds; --update writes both. The run is simulated, so counts and modelled times are the same each time. What
another build of torch may say otherwise, addresses in its libraries, is made alike.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from report_pages import Page

COMMAND = ["verify", "flux2", "--size", "tiny", "--device", "sim"]
WIDTH = 130


def alike(text):
    text = re.sub(r"\+0x[0-9a-f]+", "+0x…", text)
    return re.sub(r"zerostall \d+\.\d+\.\d+\S*", "zerostall VERSION", text)


def lines(value, indent=0, key=""):
    """JSON with what fits on a line on one."""
    head = " " * indent + (json.dumps(key) + ": " if key else "")
    whole = head + json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(whole) <= WIDTH:
        return [whole]
    pairs = value.items() if isinstance(value, dict) else (("", entry) for entry in value)
    inside = [lines(entry, indent + 1, name) for name, entry in pairs]
    for entry in inside[:-1]:
        entry[-1] += ","
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return [head + opening, *(line for entry in inside for line in entry), " " * indent + closing]


def data_of(page):
    report = page.json()
    del report["markdown"], report["verify"]  # formats of `verify`, which have tests of their own
    for number, site in enumerate(report["sites"]):
        site["id"] = f"site {number}"  # a hash of where it is
    return alike("\n".join(lines(report)) + "\n")


class VerifyPage(unittest.TestCase):
    maxDiff = 8000

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "verify.html"
            done = subprocess.run([PROGRAM, *COMMAND, "--out", f"html={file}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            cls.page = Page(file.read_text(encoding="utf-8"))

    def compare(self, name, seen):
        file = GOLDEN / name
        if UPDATE:
            file.write_text(seen, encoding="utf-8")
        self.assertEqual(seen, file.read_text(encoding="utf-8"), f"{name} is not as agreed: look at it, then --update")

    def test_text_and_structure(self):
        self.compare("verify.txt", alike(self.page.visible()))

    def test_data(self):
        self.compare("verify.json", data_of(self.page))
        self.assertEqual(self.page.json()["verify"]["verdict"], "pass")

    def test_both_timelines_are_in_it(self):
        ids = {attrs.get("id") for attrs, content in self.page.scripts if content}
        self.assertLessEqual({"zerostall-timeline-before", "zerostall-timeline-after"}, ids)
        for side in ("before", "after"):
            timeline = self.page.json()["timeline"][side]
            self.assertGreater(timeline["slices"], 1000)
            self.assertEqual(timeline["left_out"], 0)


if __name__ == "__main__":
    UPDATE = "--update" in sys.argv
    PROGRAM, GOLDEN = [argument for argument in sys.argv[1:] if not argument.startswith("--")][:2]
    GOLDEN = pathlib.Path(GOLDEN)
    unittest.main(argv=sys.argv[:1])
