// The viewer's parts without a browser: node timeline_test.js FOLDER_OF_ASSETS PAGE, a page of make_timeline_page.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [assets, page] = process.argv.slice(2);

// A canvas that counts what is drawn.
class Context {
  constructor() {
    this.rects = 0;
    this.texts = [];
    this.strokes = 0;
  }
  fillRect(x, y, width, height) {
    assert.ok([x, y, width, height].every(Number.isFinite), "a rectangle has no place");
    ++this.rects;
  }
  fillText(text) { this.texts.push(text); }
  measureText(text) { return {width: 6 * text.length}; }
  stroke() { ++this.strokes; }
  setTransform() {}
  beginPath() {}
  moveTo() {}
  bezierCurveTo() {}
  arc() {}
  fill() {}
  strokeRect() {}
}

const frames = [];
const window = {devicePixelRatio: 1, matchMedia: () => ({matches: true})};
vm.runInNewContext(
  fs.readdirSync(assets).filter((name) => /^timeline.*\.js$/.test(name)).sort()
    .map((name) => fs.readFileSync(path.join(assets, name), "utf8")).join("\n"),
  {window, document: {getElementById: () => null}, atob, Blob, Response, DecompressionStream, TextDecoder, console, performance, Math,
   requestAnimationFrame: (frame) => frames.push(frame)});
const T = window.zerostallTimelineParts;
const K = T.KIND;

function viewOf(runs) {
  const context = new Context();
  const view = {canvas: {style: {}, getContext: () => context}, width: 1200, all: true, focus: null, glide: null, frame: 0, begin: 0, end: 1};
  view.sides = runs.map((run, i) => ({title: ["before", "after"][i], run, anchor: 0, step: -1, hits: null, shown: new Set(run.tracks)}));
  view.colours = {kinds: Array(12).fill("#888"), texts: Array(12).fill("#000"), font: "sans-serif", text: "#000", back: "#fff",
                  faint: "#555", line: "#eee", dim: "#eee", link: "#f00", focus: "#00f"};
  T.layOut(view);
  return {view, context};
}

// What is shown in words, "modelled times", has a place of its own below all rows.
function checkBadge(run) {
  const {view} = viewOf([run]);
  if (run.modelled) assert.ok(view.height - 19 >= Math.max(...view.lines.map((line) => line.y)) + 17, "the badge covers a row");
}

function checkExport(run) {
  const trace = JSON.parse(T.exportTrace([{title: "before", run}, {title: "after", run}]).join(""));
  const slices = trace.traceEvents.filter((e) => e.ph === "X");
  assert.strictEqual(slices.length, 2 * run.count);
  const begin = Math.floor(run.count / 3);
  assert.ok(Math.abs(slices[begin].ts * 1000 - run.begin[begin]) < 1 && Math.abs(slices[begin].dur * 1000 - run.length[begin]) < 1);
  assert.strictEqual(new Set(trace.traceEvents.filter((e) => e.ph === "s").map((e) => e.id)).size, trace.traceEvents.filter((e) => e.ph === "f").length);
}

const blobs = [...fs.readFileSync(page, "latin1").matchAll(/<script type="application\/octet-stream"[^>]*>([^<]*)<\/script>/g)].map((m) => m[1]);

function checkRows(run) {
  let slices = 0;
  for (const track of run.tracks)
    for (const row of track.rows) {
      slices += row.last - row.first;
      for (let i = row.first + 1; i < row.last; ++i) assert.ok(run.begin[i] >= T.endOf(run, i - 1), "slices of a row overlap");
    }
  assert.strictEqual(slices, run.count);
}

function checkSearches(run) {
  const row = run.tracks.flatMap((t) => t.rows).sort((a, b) => b.last - b.first - (a.last - a.first))[0];
  for (let n = 0; n < 300; ++n) {
    const time = run.end * n / 299;
    let slow = row.first;
    while (slow < row.last && T.endOf(run, slow) <= time) ++slow;
    assert.strictEqual(T.firstAfter(run, row, time), slow);
  }
  const hit = T.search(run, "KERNEL");
  let count = 0, time = 0;
  for (let i = 0; i < run.count; ++i)
    if (/kernel/i.test(run.texts[run.name[i]])) {
      ++count;
      time += run.length[i];
    }
  assert.ok(count > 0);
  assert.deepStrictEqual([hit.count, hit.time, hit.of], [count, time, run.count]);
  assert.strictEqual(T.search(run, "no such name anywhere").count, 0);
  assert.strictEqual(T.search(run, "  "), null);
}

function checkTies(run) {
  for (let i = 0; i < run.count; ++i) {
    const to = run.link[i];
    if (to < 0) continue;
    assert.strictEqual(T.kind(run, to), T.kind(run, i) === K.bubble ? K.wait : K.call);
    assert.ok(T.linkedTo(run, to) >= 0);
  }
}

function checkMoves(runs) {
  const {view, context} = viewOf(runs);
  const focus = T.open(view, 0);
  assert.strictEqual(T.kind(focus.side.run, focus.slice), K.wait);
  const at = focus.side.run.begin[focus.slice] - focus.side.anchor;
  assert.ok(view.begin < at && view.end > at, "the wait is in view");
  for (const side of view.sides) assert.strictEqual(side.anchor, side.run.steps[side.step].begin);
  view.focus = focus;
  T.draw(view);
  assert.ok(context.strokes > 0 || T.linkedTo(focus.side.run, focus.slice) < 0, "the wait is tied to its idle time");
  const width = view.end - view.begin;
  T.zoom(view, 0.5, at, 0);
  assert.ok(Math.abs((view.end - view.begin) / width - 0.5) < 1e-6);
  for (let n = 0; n < 60; ++n) T.zoom(view, 2, undefined, 0);
  const reach = T.reach(view);
  assert.ok(Math.abs(view.begin - reach.begin) < 1e-3 && Math.abs(view.end - reach.end) < 1e-3, "all is in view");
  for (let n = 0; n < 200; ++n) T.zoom(view, 0.5, undefined, 0);
  assert.ok(view.end - view.begin >= 49.9);
  T.pan(view, 1e9, 0);
  assert.ok(view.end <= T.reach(view).end + 1e-3);
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    const to = T.neighbour(view, dx, dy);
    assert.ok(T.describe(to.side.run, to.slice).length > 0);
  }
  const next = T.nextWait(view, 1);
  if (next) assert.strictEqual(T.kind(next.side.run, next.slice), K.wait);
}

// A frame may not cost more for more slices: rectangles are bound by the pixels.
function checkFrames(runs) {
  const {view, context} = viewOf(runs);
  T.open(view, 0);
  T.moveTo(view, T.reach(view).begin, T.reach(view).end, 0);
  T.draw(view);
  const most = view.lines.length * view.width * 2;
  assert.ok(context.rects > 0 && context.rects < most, `${context.rects} rectangles`);
  const start = performance.now();
  for (let n = 0; n < 40; ++n) {
    T.zoom(view, 0.75, 0.3 * view.begin + 0.7 * view.end, 0);
    T.draw(view);
  }
  return (performance.now() - start) / 40;
}

(async () => {
  assert.ok(blobs.length > 0, "the page has no timeline");
  const runs = [];
  for (const blob of blobs) {
    const start = performance.now();
    runs.push(await T.readTimeline(blob));
    console.log(`${runs[runs.length - 1].count} slices read in ${(performance.now() - start).toFixed(0)} ms`);
  }
  for (const run of runs) {
    checkRows(run);
    checkTies(run);
    checkSearches(run);
    checkBadge(run);
    checkExport(run);
    for (let i = 0; i < run.count; i += Math.ceil(run.count / 500)) assert.ok(!/undefined|NaN|[\u0000-\u001f\u202e]/.test(T.describe(run, i)), T.describe(run, i));
    for (const id of run.sites) {
      const wait = T.waitOfSite(run, id, 0);
      assert.ok(wait < 0 || run.sites[T.siteOf(run, wait)] === id);
    }
    assert.ok(run.steps.length === 0 || run.sites.length === 0 || run.sites.some((id) => T.waitOfSite(run, id, 0) >= 0), "no site has a wait");
    assert.strictEqual(T.waitOfSite(run, "none", 0), -1);
  }
  checkMoves(runs);
  console.log(`${checkFrames(runs).toFixed(1)} ms of script a frame`);
  await assert.rejects(T.readTimeline("AAAA"));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
