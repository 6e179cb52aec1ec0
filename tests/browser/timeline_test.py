"""The timeline of a report: opens at the costliest wait, zooms, pans, searches, by mouse and by keyboard."""
import json
import sys
import time

import reports  # first: goes on in the Python that has Selenium
import checks
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

STATE = "return window.zerostallTimeline && zerostallTimeline.state()"
CANVAS = "#zerostall-timeline canvas"
# How many colours are on the canvas.
COLOURS = """const c = document.querySelector(arguments[0]), data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
const seen = new Map(); for (let i = 0; i < data.length; i += 4) { const k = data[i] << 16 | data[i + 1] << 8 | data[i + 2]; seen.set(k, (seen.get(k) || 0) + 1) }
return [...seen].sort((a, b) => b[1] - a[1]).map(([k]) => k)"""
# At which heights (in ROWs, from where they begin) a colour of timeline.css stands.
ROWS_OF_COLOUR = """const c = document.querySelector(arguments[0]), css = getComputedStyle(c.closest('.zt')).getPropertyValue(arguments[1]).trim();
const [r, g, b] = [1, 3, 5].map(i => parseInt(css.slice(i, i + 2), 16)), data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, rows = new Set();
for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) rows.add(Math.round(i / 4 / c.width / 40));
return [...rows]"""
COSTLIEST = "train.py:41 in log_metrics"  # of make_report_traces.cpp: the GPU waits longest for what comes next
GEMMS = 12 * 2 * 3  # steps, passes, launches in each


class Timeline(reports.ReportTest):
    def open(self, name, **how):
        page = super().open(name, **{"reduced": True, **how})  # without motion a key's effect is there at once
        page.wait_for(STATE)
        page.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", CANVAS)
        page.frames(3)
        return page

    def state(self, page):
        page.frames(2)
        return page.js(STATE)

    def length(self, page):
        state = self.state(page)
        return state["end"] - state["begin"]

    def focus_canvas(self, page):
        page.js("document.querySelector(arguments[0]).focus({preventScroll: true})", CANVAS)

    def test_opens_at_the_costliest_wait(self):
        for name, side in (("two", "before"), ("one", "after")):
            page = self.open(name)
            state = self.state(page)
            self.assertEqual(state["focus"]["side"], side)
            self.assertIn("host wait", state["focus"]["text"])
            self.assertIn(COSTLIEST, state["focus"]["text"])
            costs = {site["site"]: site[side]["avoidable_idle_ns"] for site in reports.embedded(page)["sites"] if site[side]}
            self.assertIn(COSTLIEST, max(costs, key=costs.get))
            judged = {step["number"]: step["judged"] for step in reports.embedded(page)[side][0]["each_step"]}
            self.assertTrue(judged[int(state["focus"]["text"].split(" step ")[1].split()[0])], state["focus"]["text"])
            self.assertIn(state["focus"]["text"], page.js("return document.querySelector('#zerostall-timeline').textContent"))
            self.assertGreater(len(page.js(COLOURS, CANVAS)), 8)
            page.close_checked()

    def test_before_and_after_are_aligned(self):
        page = self.open("two")
        state = self.state(page)
        self.assertEqual(len(state["slices"]), 2)
        self.assertEqual(state["steps"][0], state["steps"][1])
        page.shot("two-timeline", whole=False)

    def test_keys(self):
        page = self.open("two")
        self.focus_canvas(page)
        at_first = self.state(page)
        page.keys("w")
        zoomed = self.state(page)
        self.assertLess(zoomed["end"] - zoomed["begin"], at_first["end"] - at_first["begin"])
        page.keys("s", "s")
        self.assertGreater(self.length(page), at_first["end"] - at_first["begin"])
        before = self.state(page)
        page.keys("d")
        self.assertGreater(self.state(page)["begin"], before["begin"])
        page.keys("a", "a")
        self.assertLess(self.state(page)["begin"], before["begin"])
        focus = before["focus"]["text"]
        page.keys(Keys.ARROW_DOWN)
        other = self.state(page)["focus"]["text"]
        self.assertNotEqual(other, focus)
        page.keys(Keys.ARROW_RIGHT)
        self.assertNotEqual(self.state(page)["focus"]["text"], other)
        page.keys(Keys.HOME)
        self.assertEqual(self.state(page)["focus"], at_first["focus"])
        page.keys("]")
        self.assertEqual([step - 1 for step in self.state(page)["steps"]], at_first["steps"])
        page.keys(Keys.ESCAPE, Keys.TAB)
        self.assertNotEqual(page.js("return document.activeElement.tagName"), "CANVAS")  # no trap
        page.close_checked()

    def test_a_wait_leads_to_the_idle_time_it_is_to_blame_for(self):
        page = self.open("two")
        self.focus_canvas(page)
        wait = self.state(page)["focus"]["text"]
        self.assertIn("then the GPU was idle for", wait)
        page.keys("l")
        self.assertIn("GPU idle", self.state(page)["focus"]["text"].split(" · ")[0])
        page.keys("l")
        self.assertEqual(self.state(page)["focus"]["text"], wait)

    def test_wheel_zooms_where_the_pointer_is_and_drag_moves(self):
        page = self.open("two")
        canvas = page.find(CANVAS)[0]
        scroll = "return [scrollX, scrollY]"
        was = page.js(scroll)
        self.focus_canvas(page)
        page.js("zerostallTimeline.zoomTo(0, 800000)")
        before = self.state(page)
        wheel = "const c = arguments[0], b = c.getBoundingClientRect(); c.dispatchEvent(new WheelEvent('wheel', {deltaY: arguments[1], bubbles: true, " \
                "cancelable: true, clientX: b.right - 1, clientY: b.top + b.height / 2}))"
        page.js(wheel, canvas, -300)
        after = self.state(page)
        self.assertLess(after["end"] - after["begin"], 0.8 * (before["end"] - before["begin"]))
        self.assertAlmostEqual(after["end"], before["end"], delta=0.01 * (before["end"] - before["begin"]))
        ActionChains(self.browser.driver, duration=50).move_to_element(canvas).click_and_hold().move_by_offset(-120, 0).release().perform()
        moved = self.state(page)
        self.assertGreater(moved["begin"], after["begin"])
        self.assertAlmostEqual(moved["end"] - moved["begin"], after["end"] - after["begin"], delta=1)
        self.assertEqual(page.js(scroll), was)
        page.close_checked()

    def test_the_page_scrolls_by_the_wheel_until_the_timeline_was_clicked(self):
        page = self.open("two")
        page.js("document.activeElement.blur()")
        before = self.state(page)
        kept = page.js("return document.querySelector(arguments[0]).dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true, cancelable: true}))", CANVAS)
        self.assertTrue(kept, "taken from the page")
        self.assertEqual(self.state(page), before)

    def test_a_wheel_that_does_not_zoom_says_how_it_would(self):
        page = self.open("two")
        hint = "return document.querySelector('.zt-hint').checkVisibility()"
        self.assertFalse(page.js(hint))
        page.js("document.activeElement.blur()")
        wheel = "document.querySelector(arguments[0]).dispatchEvent(new WheelEvent('wheel', {deltaY: 100, ctrlKey: arguments[1], bubbles: true, cancelable: true}))"
        page.js(wheel, CANVAS, False)
        self.assertTrue(page.js(hint))
        self.assertIn("Ctrl", page.js("return document.querySelector('.zt-hint').textContent"))
        page.shot("two-timeline-hint", whole=False)
        before = self.length(page)
        page.js(wheel, CANVAS, True)
        self.assertFalse(page.js(hint))
        self.assertNotEqual(self.length(page), before)
        page.js(wheel, CANVAS, False)
        page.wait_for("return !document.querySelector('.zt-hint').checkVisibility()")
        page.close_checked()

    def test_runs_without_steps_stand_at_their_costliest_waits(self):
        page = super().open("two_no_steps", reduced=True)
        page.wait_for(STATE)
        state = self.state(page)
        self.assertEqual(state["steps"], [-1, -1])
        self.assertIn("host wait", state["focus"]["text"])
        self.assertLess(state["begin"], 0)
        self.assertGreater(state["end"], 0)
        self.assertEqual(*state["slices"])
        pixels = page.js(ROWS_OF_COLOUR, CANVAS, "--zt-wait")
        self.assertGreaterEqual(len(pixels), 2, "waits of one side alone")

    def test_paper_is_light_whatever_the_screen_is(self):
        page = self.open("two", dark=True)
        dark = page.js(COLOURS, CANVAS)[0]
        page.js("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.js(COLOURS, CANVAS)[0], 0xFFFFFF)
        page.js("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.js(COLOURS, CANVAS)[0], dark)

    def test_perfetto_gets_what_is_shown(self):
        for name in ("two", "one", "no_steps", "verify", "check_two", "hostile"):
            with self.subTest(name):
                page = self.open(name)
                sides = page.js(STATE)["slices"]
                trace = json.loads(self.browser.driver.execute_async_script(
                    "const done = arguments[0]; zerostallTimeline.perfetto().text().then(done)"))
                slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
                self.assertEqual([sum(e["pid"] == pid for e in slices) for pid in range(1, len(sides) + 1)], sides)
                self.check_trace(trace["traceEvents"], slices)
                page.close_checked()

    def check_trace(self, events, slices):
        rows = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
        self.assertEqual(rows - {(e["pid"], e["tid"]) for e in slices}, set(), "rows without slices")
        by_row = {}
        for e in slices:
            self.assertGreaterEqual(e["dur"], 0)
            self.assertIn((e["pid"], e["tid"]), rows)
            by_row.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
        for row in by_row.values():  # in order and apart: nothing is nested by accident
            self.assertTrue(all(a[1] <= b[0] + 0.0015 for a, b in zip(row, row[1:])))
        ends = {kind: {e["id"]: e for e in events if e["ph"] == kind} for kind in "sf"}
        self.assertEqual(ends["s"].keys(), ends["f"].keys())
        self.assertGreater(len(ends["s"]), 2)
        for end in (*ends["s"].values(), *ends["f"].values()):
            inside = [r for r in by_row[end["pid"], end["tid"]] if r[0] - 0.0015 <= end["ts"] <= r[1] + 0.0015]
            self.assertTrue(inside, end)

    def test_perfetto_file_is_saved_by_its_button(self):
        page = self.open("two")
        self.browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(reports.OUT / "perfetto"))
        page.click(page.find("#download-perfetto")[0])
        page.wait_for("return document.getElementById('data-said').textContent.startsWith('Saved as')")
        file = reports.OUT / "perfetto/zerostall-timeline.json"
        for _ in range(200):
            if file.exists():
                break
            time.sleep(0.05)
        names = {e["args"]["name"] for e in json.loads(file.read_text())["traceEvents"] if e["name"] == "process_name"}
        self.assertEqual(names, {"before", "after"})
        self.assertIn("Saved as zerostall-timeline.json", page.js("return document.getElementById('data-said').textContent"))
        page.close_checked()

    def test_pages_of_the_gate_have_the_timelines_of_their_runs(self):
        for name, sides in (("check", 1), ("check_two", 2), ("verify", 2)):
            page = self.open(name)
            self.assertEqual(len(self.state(page)["slices"]), sides, name)
            self.assertIn("host wait", self.state(page)["focus"]["text"])
            page.close_checked()

    def test_search_says_how_much_it_found(self):
        page = self.open("two")
        box = page.find("#zerostall-timeline input")[0]
        box.send_keys("GEMM")
        state = self.state(page)
        self.assertEqual([found["count"] for found in state["found"]], [GEMMS, GEMMS])
        said = page.js("return document.querySelector('#zerostall-timeline output').textContent")
        for side, slices in zip(("before", "after"), state["slices"]):
            self.assertRegex(said, rf"{side}: {GEMMS} of {slices:,} ")
        page.shot("two-timeline-search", whole=False)
        box.send_keys(Keys.ENTER)
        self.assertIn("gemm", self.state(page)["focus"]["text"])
        box.clear()
        box.send_keys("no such name")
        self.assertIn("0 of", page.js("return document.querySelector('#zerostall-timeline output').textContent"))
        page.close_checked()

    def test_a_place_of_the_table_is_shown(self):
        page = self.open("two")
        for row in page.find("#site-table > tbody > tr"):
            place = page.js("const d = arguments[0].querySelector('details'); d.open = true; return arguments[0].dataset.site", row)
            name = page.js("return arguments[0].querySelector('summary').textContent.trim()", row)
            page.click(row.find_elements("css selector", ".show-in-timeline button")[0])
            state = self.state(page)
            self.assertIn(name, state["focus"]["text"], place)
            self.assertTrue(page.js("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return b.top < innerHeight && b.bottom > 0", CANVAS))
        page.close_checked()

    def test_narrow_dark_and_large(self):
        light = self.open("two").js(COLOURS, CANVAS)[0]
        for how in ({"width": 360, "height": 780}, {"dark": True}, {"dark": True, "width": 360, "height": 780}):
            page = self.open("two", **how)
            page.shot("two-timeline-" + "-".join(str(v) for v in how.values()), whole=False)
            self.check(page, "too_wide")
            self.assertEqual(page.js(COLOURS, CANVAS)[0] != light, "dark" in how)
            page.close_checked()

    def test_reports_of_all_kinds_have_one(self):
        for name in ("no_steps", "no_waits", "lost", "ranks", "mixed", "measured"):
            with self.subTest(name):
                page = self.open(name)
                self.assertGreater(self.state(page)["slices"][-1], 10)
                self.assertGreater(len(page.js(COLOURS, CANVAS)), 4)
                page.shot(f"{name}-timeline", whole=False)
                page.close_checked()

    def test_every_button_has_an_effect(self):
        page = self.open("one")
        for button in page.find("#zerostall-timeline button"):
            if not button.is_displayed():
                continue
            before = (self.state(page), page.js("return document.querySelector('#zerostall-timeline').textContent"))
            page.js("zerostallTimeline.zoomTo(0, 100000)") if "Costliest" in button.text else None
            page.click(button)
            label = button.get_attribute("aria-label")
            self.assertNotEqual((self.state(page), page.js("return document.querySelector('#zerostall-timeline').textContent")), before, label)
        self.assert_no(checks.ask(page, "names"))


if __name__ == "__main__":
    if 'id="timeline"' not in reports.text_of("two.html"):
        print("skipped: this build's reports have no timeline")
        sys.exit(77)
    reports.main()
