"""Reads pages of `zerostall report` as a browser's parser would: report_pages.py FOLDER.

The policy names what is inlined and nothing else; names of the program are text and nothing else; figures are those of
the page's JSON.
"""
import base64
import hashlib
import json
import pathlib
import re
import sys
import unittest
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr", "source", "base", "wbr"}
# All that the template has. Anything else came out of a name.
ELEMENTS = set("""html head meta title style body a header p h1 h2 h3 h4 span ul ol li nav main section div table caption thead
tbody tr th td code details summary dl dt dd figure figcaption svg rect circle line text g output pre strong article button
noscript script""".split())
BLOCKS = set("p h1 h2 h3 h4 li tr caption summary dt dd figcaption pre article section table".split())


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.attributes, self.contents = [], set(), [], []
        self.ids, self.scripts, self.styles, self.policy, self.rows = [], [], [], "", []
        self.text, self.headers = "", 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.headers += tag == "th"
        self.attributes += [(tag, name, value) for name, value in attrs]
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag in ("script", "style"):
            (self.scripts if tag == "script" else self.styles).append([attrs, ""])
        if "data-key" in attrs:
            self.rows.append([attrs["data-key"], []])
        if tag in BLOCKS:
            self.text += "\n"
        if tag in ("td", "th"):
            self.text += " | "
            if self.rows and "tr" in self.open and "figures" in self.open_classes():
                self.rows[-1][1].append("")
        if tag not in VOID:
            self.open.append(tag if tag != "table" else "table." + (attrs.get("class") or "").replace(" ", "."))

    def open_classes(self):
        return [part for tag in self.open for part in tag.split(".")[1:]]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1].split(".")[0] == tag, (tag, self.open[-5:])
        self.open.pop()

    def handle_data(self, data):
        here = self.open[-1] if self.open else ""
        if here == "script":
            self.scripts[-1][1] += data
        elif here == "style":
            self.styles[-1][1] += data
        elif here != "title" or "svg" not in self.open:
            if self.rows and self.rows[-1][1] and "figures" in self.open_classes() and ("td" in self.open or "th" in self.open):
                self.rows[-1][1][-1] += data
            if here:
                self.text += re.sub(r"\s+", " ", data)

    def json(self):
        return json.loads(next(content for attrs, content in self.scripts if attrs.get("id") == "zerostall-report"))

    def visible(self):
        lines = (re.sub(r" +", " ", line).strip(" |") for line in self.text.split("\n"))
        return "\n".join(line for line in lines if line) + "\n"


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Pages(unittest.TestCase):
    folder = None

    @classmethod
    def setUpClass(cls):
        cls.parsed = [(file, Page(file.read_text(encoding="utf-8"))) for file in sorted(cls.folder.glob("*.html"))]

    def pages(self):
        self.assertGreater(len(self.parsed), 25)
        for file, page in self.parsed:
            with self.subTest(file.name):
                yield file, page

    def test_the_policy_names_what_is_inlined(self):
        for _, page in self.pages():
            self.assertTrue(page.policy.startswith("default-src 'none';"))
            self.assertNotIn("unsafe", page.policy)
            named = set(re.findall(r"'(sha256-[^']+)'", page.policy))
            running = [content for attrs, content in page.scripts if "type" not in attrs]
            self.assertEqual(named, {hash_of(text) for text in running + [text for _, text in page.styles]})
            self.assertEqual(len(page.styles), 1)

    def test_elements_are_ours(self):
        for _, page in self.pages():
            self.assertEqual(page.elements - ELEMENTS, set())
            self.assertEqual(page.open, [])
            self.assertEqual(len(page.ids), len(set(page.ids)))
            for tag, name, value in page.attributes:
                self.assertFalse(name.startswith("on") or name in ("style", "src", "srcdoc", "action"), (tag, name))
                if name == "href":
                    self.assertTrue(value.startswith("#"), value)

    def test_names_turn_no_text_and_do_not_fill_the_page(self):
        for file, page in self.pages():
            self.assertIsNone(re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x0b-\x1f\x7f-\x9f]", page.text))
            if file.name.startswith("hostile"):
                self.assertLess(max(map(len, re.findall(r"\S+", page.text))), 3000)
                self.assertIsNone(re.search("/home/alice|Users.alice", page.text))

    def test_hostile_markup_is_there_as_text(self):
        seen = "".join(page.text for file, page in self.pages() if file.name.startswith("hostile"))
        for text in ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</details></summary><b>"):
            self.assertTrue(text in seen, text)

    def test_figures_are_those_of_the_json(self):
        for _, page in self.pages():
            rows = [row for group in page.json()["figures"] for row in group["rows"]]
            shown = {(key, cells[0]) for key, cells in page.rows}
            self.assertEqual(len(page.rows), len(rows))
            self.assertEqual(shown, {(row["key"], row["title"]) for row in rows})
            two = bool(page.json()["before"])
            for row in rows:
                matching = [cells for key, cells in page.rows if key == row["key"]]
                self.assertTrue(any(self.agrees(cells, row, two) for cells in matching), (row, matching))

    def agrees(self, cells, row, two):
        sides = [(cells[1], row["before"]), (cells[2], row["after"])] if two else [(cells[1], row["after"])]
        return all(self.same(cell, side, row["key"].endswith("_ns")) for cell, side in sides) and (
            not two or cells[3] == (row["change"] or ""))

    @staticmethod
    def same(cell, side, is_time):
        if side is None:
            return cell == "unknown"
        if is_time:
            value, unit = (cell.split() + [""])[:2]
            return abs(float(value) * UNITS.get(unit, 0) - side["median"]) <= 0.006 * abs(side["median"])
        numbers = [int(n) for n in re.findall(r"\d+", cell)]
        return numbers in ([side["median"]], [side["min"], side["max"], side["median"]])

    def test_headers_have_a_scope(self):
        for _, page in self.pages():
            self.assertIn(("html", "lang", "en"), page.attributes)
            scopes = [value for tag, name, value in page.attributes if (tag, name) == ("th", "scope")]
            self.assertEqual(len(scopes), page.headers)


if __name__ == "__main__":
    Pages.folder = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
