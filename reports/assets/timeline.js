// The timeline of a page: window.zerostallTimeline.mount(element). Names of the program reach the page as drawn text
// and textContent only. The other parts are timeline_*.js, in any order.
(function (T) {
  "use strict";

  const GLIDE = 200;  // ms
  const MOST_ROWS = 26;  // of a side, until all are asked for
  const KEYS = [["W S", "zoom"], ["A D", "move"], ["← →", "slice to slice"], ["↑ ↓", "row to row"], ["Enter", "zoom to it"],
                ["L", "follow its line"], ["N P", "next, last wait"], ["[ ]", "step"], ["/", "search"], ["Home", "back"]];
  const WHEEL = "Drag moves. Ctrl + wheel zooms; after a click on the timeline, the wheel alone does.";
  const TOUCH = "Drag moves, two fingers zoom, a tap tells what a slice is, a double tap zooms to it.";
  const LEGEND = [["wait", "host wait"], ["other-wait", "may wait, in no total"], ["bubble", "GPU idle because of a wait"],
                  ["gap", "GPU idle, other"], ["kernel", "kernel"], ["copy", "copy"], ["memset", "memset"], ["graph", "CUDA graph"],
                  ["call", "CUDA call"], ["range", "NVTX range"], ["step", "step"], ["region", "region"]];
  const KIND_OF = {"other-wait": "otherWait"};

  function make(tag, settings, ...children) {
    const element = Object.assign(document.createElement(tag), settings);
    element.append(...children);
    return element;
  }

  // What matters first, until there are enough rows.
  function chooseTracks(run) {
    const thread = (track) => (/\(thread (\d+)\)/.exec(track.name) || ["", ""])[1];
    const waiting = new Set(run.tracks.filter((t) => t.kind === "waits").map(thread));
    const main = thread(run.tracks.find((t) => t.kind === "waits" || t.kind === "calls") || {name: ""});
    const rank = (track) => {
      if (track.kind === "steps") return 0;
      if (track.kind === "waits") return thread(track) === main ? 0 : 2;
      if (track.kind === "idle") return 1;
      if (track.kind === "work") return 2 - track.slices / (run.count + 1);
      if (track.kind === "calls") return thread(track) === main ? 1.5 : waiting.has(thread(track)) ? 3 : 5;
      return thread(track) === main ? 4 : 6;
    };
    const chosen = new Set();
    let rows = 0;
    for (const track of [...run.tracks].sort((a, b) => rank(a) - rank(b))) {
      rows += track.rows.length;
      if (rows > MOST_ROWS && chosen.size > 0) break;
      chosen.add(track);
    }
    return chosen;
  }

  function makeSide(title, run) {
    return {title, run, anchor: 0, step: -1, hits: null, shown: chooseTracks(run)};
  }

  function legendOf(view) {
    const present = new Set();
    for (const {run} of view.sides) for (let i = 0; i < run.kindOf.length; ++i) present.add(run.kindOf[i]);
    const list = make("ul", {className: "zt-legend"});
    list.setAttribute("aria-label", "Colours");
    for (const [colour, text] of LEGEND) {
      if (!present.has(T.KIND[KIND_OF[colour] || colour])) continue;
      const swatch = make("i", {});
      swatch.style.background = `var(--zt-${colour})`;
      list.append(make("li", {}, swatch, text));
    }
    return list;
  }

  function button(text, label, action) {
    const element = make("button", {type: "button", textContent: text, title: label, onclick: action});
    element.setAttribute("aria-label", label);
    return element;
  }

  function barOf(view) {
    view.searchBox = make("input", {type: "search", placeholder: "Search names"});
    view.searchBox.setAttribute("aria-label", "Search names in the timeline");
    view.searchBox.addEventListener("input", () => search(view, view.searchBox.value));
    view.searchBox.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const to = T.nextHit(view, event.shiftKey ? -1 : 1);
      if (to) view.focusOn(to, {follow: true});
    });
    view.found = make("output", {});
    view.allButton = button("", "Show all tracks", () => {
      view.all = !view.all;
      T.layOut(view);
      nameAllButton(view);
      T.schedule(view);
    });
    const wheel = make("span", {className: "zt-wheel", textContent: "Ctrl + wheel zooms"});
    const steps = view.sides.some((side) => side.run.steps.length > 1)
      ? [button("◀ step", "Step before", () => view.step(-1)), button("step ▶", "Next step", () => view.step(1))] : [];
    return make("div", {className: "zt-bar"}, button("+", "Zoom in", () => T.zoom(view, 0.5, undefined, GLIDE)),
      button("−", "Zoom out", () => T.zoom(view, 2, undefined, GLIDE)), ...steps,
      button("Costliest wait", "Back to where the timeline opens", () => view.home()), view.searchBox, view.found, view.allButton, wheel);
  }

  function keysOf() {
    const list = make("p", {className: "zt-keys"});
    for (const [keys, what] of KEYS) {
      list.append(make("span", {}, ...keys.split(" ").flatMap((key) => [make("kbd", {textContent: key}), " "]), what), " ");
    }
    list.append(make("span", {className: "zt-drag", textContent: WHEEL}));
    return list;
  }

  function nameAllButton(view) {
    const text = view.all ? "Fewer tracks" : `All tracks (${view.hidden} more)`;
    view.allButton.textContent = text;
    view.allButton.setAttribute("aria-label", text);
    view.allButton.hidden = !view.all && view.hidden === 0;
  }

  function search(view, text) {
    for (const side of view.sides) side.hits = T.search(side.run, text);
    view.found.textContent = view.sides[0].hits ? T.found(view.sides) : "";
    T.schedule(view);
  }

  const told = (view, {side, slice}) => (view.sides.length > 1 ? `${side.title}: ` : "") + T.describe(side.run, slice);

  function addActions(view) {
    view.hover = (found) => {
      const shown = found || view.focus;
      view.detail.textContent = shown ? told(view, shown) : "Point at a slice, or use the arrow keys.";
    };
    view.focusOn = (to, options = {}) => {
      view.focus = to;
      view.hover(null);
      view.said.textContent = to ? told(view, to) : "nothing focused";
      if (to && options.follow) T.bringIntoView(view, to);
      T.schedule(view);
    };
    view.home = () => view.focusOn(T.open(view, GLIDE));
    view.step = (by) => {
      if (T.nextStep(view, by)) view.said.textContent = stepSaid(view);
    };
    view.followTie = () => {
      if (!view.focus) return;
      const {side, slice} = view.focus;
      const to = side.run.link[slice] >= 0 ? side.run.link[slice] : T.linkedTo(side.run, slice);
      if (to >= 0) view.focusOn({side, slice: to}, {follow: true});
    };
  }

  function stepSaid(view) {
    return view.sides.filter((side) => side.step >= 0)
      .map((side) => `${view.sides.length > 1 ? side.title + ": " : ""}step ${side.run.steps[side.step].number}, ` +
        T.duration(side.run.steps[side.step].end - side.run.steps[side.step].begin) + (side.run.modelled ? " (modelled)" : "")).join("; ");
  }

  T.bringIntoView = function (view, {side, slice}) {
    if (!side.shown.has(T.rowOf(side.run, slice).track) && !view.all) {
      view.all = true;
      T.layOut(view);
      nameAllButton(view);
    }
    const begin = side.run.begin[slice] - side.anchor, end = begin + side.run.length[slice];
    const length = view.end - view.begin;
    if (begin >= view.begin && end <= view.end) return;
    if (end - begin > length * 0.8) return T.zoomToSlice(view, side, slice, GLIDE);
    const middle = (begin + end) / 2;
    T.moveTo(view, middle - length / 2, middle + length / 2, GLIDE);
  };

  function watch(view) {
    const restyle = () => {
      view.colours = T.readColours(view.element);
      T.schedule(view);
    };
    const resize = () => {
      view.width = Math.max(200, view.canvas.clientWidth);
      T.layOut(view);
      nameAllButton(view);
      T.schedule(view);
    };
    new ResizeObserver(resize).observe(view.canvas.parentElement);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    new MutationObserver(restyle).observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme", "class"]});
    restyle();
    view.width = Math.max(200, view.canvas.clientWidth);
    const print = (on) => {
      view.element.classList.toggle("zt-paper", on);
      view.colours = T.readColours(view.element);
      T.draw(view);  // now: nothing is drawn between this and the paper
    };
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
  }

  function build(view) {
    view.canvas = make("canvas", {tabIndex: 0});
    view.canvas.setAttribute("role", "application");
    view.canvas.setAttribute("aria-label", "Timeline of host threads and GPU. Arrow keys go from slice to slice, which are read out.");
    view.detail = make("p", {className: "zt-detail"});
    view.said = make("p", {className: "zt-said"});
    view.said.setAttribute("aria-live", "polite");
    const notes = view.sides.flatMap((side) => T.notes(side.run).map((note) =>
      make("p", {className: "zt-notes", textContent: (view.sides.length > 1 ? `${side.title}: ` : "") + note})));
    view.hint = make("p", {className: "zt-hint", textContent: "Click first, or hold Ctrl, to zoom with the wheel", hidden: true});
    view.element = make("div", {className: "zt"}, barOf(view), make("div", {className: "zt-place"}, view.canvas, view.hint), view.detail, view.said, ...notes,
      legendOf(view), keysOf(), make("p", {className: "zt-keys zt-touch", textContent: TOUCH}));
  }

  const embedded = (side) => {
    const script = document.getElementById(`zerostall-timeline-${side}`);
    return script ? script.textContent.trim() : "";
  };

  let shown = null;

  // Builds the timeline into `element`. `data`: base64 of each side; what is not given is read from the page's scripts.
  // Resolves to false where there is nothing to show, and says why in the element where data cannot be read.
  async function mount(element, data = {}) {
    const texts = [["before", data.before ?? embedded("before")], ["after", data.after ?? embedded("after")]];
    const given = texts.filter(([, text]) => text);
    if (given.length === 0) return false;
    try {
      const sides = [];
      for (const [title, text] of given) sides.push(makeSide(title, await T.readTimeline(text)));
      const view = {sides, all: false, focus: null, glide: null, frame: 0, begin: 0, end: 1, zero: ""};
      addActions(view);
      build(view);
      element.replaceChildren(view.element);
      watch(view);
      T.layOut(view);
      nameAllButton(view);
      T.listen(view);
      view.focusOn(T.open(view, 0));
      view.said.textContent = "";
      shown = view;
      return true;
    } catch (error) {
      element.replaceChildren(make("p", {textContent: `The timeline cannot be shown: ${error.message}`}));
      return false;
    }
  }

  // Shows a wait of that site (its id in the report's data), on the side that has one. False: no wait of it is known.
  function show(siteId) {
    const view = shown;
    if (!view) {
      api.ready.then((isThere) => isThere && shown && show(siteId));
      return false;
    }
    for (const side of view.sides) {
      const wait = T.waitOfSite(side.run, siteId, side.step);
      if (wait < 0) continue;
      const step = T.stepAt(side.run, side.run.begin[wait]);
      if (step >= 0) T.alignAt(view, side, step);
      T.zoomToWait(view, side, wait, GLIDE);
      view.focusOn({side, slice: wait});
      view.element.scrollIntoView({block: "nearest"});
      view.canvas.focus({preventScroll: true});
      return true;
    }
    return false;
  }

  // Times in ns, from the begin of the step that is shown.
  function zoomTo(begin, end) {
    if (shown) T.moveTo(shown, begin, end, GLIDE);
  }

  // Chrome trace JSON of all that is shown, for Perfetto; null: there is nothing.
  function perfetto() {
    return shown && new Blob(T.exportTrace(shown.sides), {type: "application/json"});
  }

  // What is in view, for tests and scripts.
  function state() {
    if (!shown) return null;
    const {begin, end, focus, sides} = shown;
    return {begin, end, slices: sides.map((side) => side.run.count), steps: sides.map((side) => side.step),
            found: sides.map((side) => side.hits && {count: side.hits.count, time: side.hits.time}),
            focus: focus && {side: focus.side.title, text: T.describe(focus.side.run, focus.slice)}};
  }

  // Where the page has a place for it the timeline mounts itself, once the rest of the page stands. `ready`: when that
  // is done, and whether there is something to see.
  const place = document.getElementById("zerostall-timeline");
  const api = {mount, show, zoomTo, state, perfetto, ready: Promise.resolve(false)};
  if (place) api.ready = new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(mount(place)))));
  window.zerostallTimeline = api;
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
