"""The HTML report of 1 M CUDA events (calls and GPU work): report_bench.py --build BUILD. Written in 2 s, at most 8 MB, first paint within 1 s of opening it
in Chromium, and over 30 frames/s while the timeline is zoomed. A ratio below 1 holds. Exits 77 where
Chromium or Selenium is missing."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "browser"))
import page as pages  # noqa: E402

pages.require()
from figures import Table  # noqa: E402
from turns import new_folder  # noqa: E402

EVENTS = 1_000_000
# Wheel events, one a frame, in and out again; {ms of each frame} when done.
ZOOM = """
const [selector, frames, done] = [arguments[0], arguments[1], arguments[2]];
const canvas = document.querySelector(selector), box = canvas.getBoundingClientRect(), times = [];
function frame(now) {
  times.push(now);
  if (times.length > frames) return done(times.slice(1).map((t, i) => t - times[i]));
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: times.length <= frames / 2 ? -120 : 120, ctrlKey: true, bubbles: true, cancelable: true,
                                                clientX: box.left + box.width / 3, clientY: box.top + box.height / 2}));
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);"""
PAINT = "return performance.getEntriesByType('paint').filter(e => e.name === 'first-contentful-paint').map(e => e.startTime)[0]"


def write(options, traces, out):
    begin = time.monotonic()
    subprocess.run([f"{options.build}/bin/zerostall", "report", *traces, "-o", out], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def measure_page(browser, table, what, id, file, turns):
    paints = []
    for _ in range(turns):
        page = browser.open(file)
        paints.append(page.wait_for(PAINT, seconds=60))
    table.figure(f"{id}.paint", f"   page of {what}: first paint", statistics.median(paints), "ms")
    page.wait_for("return window.zerostallTimeline && zerostallTimeline.state()", seconds=60)
    page.js("document.querySelector('#timeline canvas').scrollIntoView({block: 'center'}); zerostallTimeline.zoomTo(-1e15, 1e15)")  # all of it
    time.sleep(1)
    slices = page.js("return zerostallTimeline.state().slices")
    times = browser.driver.execute_async_script(ZOOM, "#timeline canvas", 120)
    table.figure(f"{id}.zoom", f"   page of {what}: zoom", 1000 * len(times) / sum(times), "frames/s",
                 f"longest frame {max(times):.0f} ms; {' and '.join(f'{n:,}' for n in slices)} slices")
    page.shot(f"bench-{what.replace(' ', '-')}", whole=False)
    page.close_checked()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    table = Table()
    with new_folder() as folder, pages.Browser(f"{options.build}/browser/bench") as browser:
        trace = f"{folder}/big.zstall"
        made = json.loads(subprocess.run([f"{options.build}/tests/bench/make_cuda_trace", str(EVENTS), trace], check=True,
                                         stdout=subprocess.PIPE, text=True).stdout)
        print(f"{made['events'] / 1e6:.2f} M CUDA events, {made['steps']} steps, {pathlib.Path(trace).stat().st_size / 1e6:.0f} MB")
        for what, traces in (("one run", [trace]), ("two runs", [trace, trace])):
            out = f"{folder}/report.html"
            seconds = [write(options, traces, out) for _ in range(options.turns)]
            id = f"report.{what.replace(' ', '-')}"
            told = f"page of {what}, {EVENTS / 1e6:.0f} M CUDA events each"
            table.figure(f"{id}.write", f"{told}: written", statistics.median(seconds), "s", f"fastest {min(seconds):.2f}")
            table.figure(f"{id}.size", f"   page of {what}: size", pathlib.Path(out).stat().st_size / 1e6, "MB")
            measure_page(browser, table, what, id, out, options.turns)


if __name__ == "__main__":
    main()
