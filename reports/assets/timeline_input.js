// Keys, pointer, wheel and fingers.
(function (T) {
  "use strict";

  const GLIDE = 130;  // ms

  T.sliceAt = function (view, x, y) {
    const line = T.lineAt(view, y);
    if (!line || x < view.left) return null;
    const {side, row} = line;
    const time = T.timeOf(view, side, x), slack = 3 / view.scale;
    const i = T.firstAfter(side.run, row, time - slack);
    if (i >= row.last || side.run.begin[i] > time + slack) return null;
    // Of several within reach the one right below, else the longest.
    let best = i;
    for (let k = i, end = Math.min(row.last, i + 200); k < end && side.run.begin[k] <= time + slack; ++k) {
      if (side.run.begin[k] <= time && T.endOf(side.run, k) > time) return {side, slice: k};
      if (side.run.length[k] > side.run.length[best]) best = k;
    }
    return {side, slice: best};
  };

  function keys(view) {
    const focusOn = (to) => to && view.focusOn(to, {follow: true});
    return {
      w: () => T.zoom(view, 0.6, undefined, GLIDE), s: () => T.zoom(view, 1 / 0.6, undefined, GLIDE),
      a: () => T.pan(view, -0.2, GLIDE), d: () => T.pan(view, 0.2, GLIDE),
      "+": () => T.zoom(view, 0.6, undefined, GLIDE), "=": () => T.zoom(view, 0.6, undefined, GLIDE),
      "-": () => T.zoom(view, 1 / 0.6, undefined, GLIDE), _: () => T.zoom(view, 1 / 0.6, undefined, GLIDE),
      arrowleft: () => focusOn(T.neighbour(view, -1, 0)), arrowright: () => focusOn(T.neighbour(view, 1, 0)),
      arrowup: () => focusOn(T.neighbour(view, 0, -1)), arrowdown: () => focusOn(T.neighbour(view, 0, 1)),
      home: () => view.home(), n: () => focusOn(T.nextWait(view, 1)), p: () => focusOn(T.nextWait(view, -1)),
      "[": () => view.step(-1), "]": () => view.step(1),
      enter: () => view.focus && T.zoomToSlice(view, view.focus.side, view.focus.slice, GLIDE),
      l: () => view.followTie(), "/": () => view.searchBox.focus(),
      escape: () => {
        if (view.focus) view.focusOn(null);
        else view.canvas.blur();
      },
    };
  }

  function listenToKeys(view) {
    const table = keys(view);
    view.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const action = table[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  function place(view, event) {
    const box = view.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  const timeAt = (view, x) => (x - view.left) / view.scale + view.begin;

  function pinch(view, fingers) {
    const [a, b] = [...fingers.values()];
    const width = Math.max(20, Math.abs(a.x - b.x)), before = Math.max(20, Math.abs(a.from - b.from));
    const at = timeAt(view, (a.from + b.from) / 2);
    const scale = view.scale * (width / before);
    const begin = at - ((a.x + b.x) / 2 - view.left) / scale;
    T.moveTo(view, begin, begin + (view.width - view.left) / scale, 0);
    a.from = a.x;
    b.from = b.x;
  }

  function listenToPointer(view) {
    const canvas = view.canvas;
    const fingers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const {x} = place(view, event);
      fingers.set(event.pointerId, {x, from: x});
      moved = fingers.size > 1 ? 100 : 0;
      canvas.setPointerCapture(event.pointerId);
      view.glide = null;
    });
    canvas.addEventListener("pointermove", (event) => {
      const {x, y} = place(view, event);
      const finger = fingers.get(event.pointerId);
      if (!finger) return view.hover(T.sliceAt(view, x, y));
      finger.x = x;
      if (fingers.size === 2) return pinch(view, fingers);
      moved = Math.max(moved, Math.abs(x - finger.from));
      if (moved < 4) return;
      canvas.classList.add("zt-dragging");
      T.pan(view, (finger.from - x) / (view.width - view.left), 0);
      finger.from = x;
    });
    const end = (event, clicks) => {
      if (!fingers.delete(event.pointerId)) return;
      canvas.classList.remove("zt-dragging");
      if (!clicks || moved >= 4) return;
      const {x, y} = place(view, event);
      view.focusOn(T.sliceAt(view, x, y));
    };
    canvas.addEventListener("pointerup", (event) => end(event, true));
    canvas.addEventListener("pointercancel", (event) => end(event, false));
    canvas.addEventListener("pointerleave", () => view.hover(null));
    canvas.addEventListener("dblclick", (event) => {
      const {x, y} = place(view, event);
      const found = T.sliceAt(view, x, y);
      if (found) T.zoomToSlice(view, found.side, found.slice, GLIDE);
    });
  }

  const HINT = 1500;  // ms
  function hint(view) {
    view.hint.hidden = false;
    clearTimeout(view.hintTimer);
    view.hintTimer = setTimeout(() => (view.hint.hidden = true), HINT);
  }

  // The page scrolls by the wheel until the timeline was clicked, and it says so; with Ctrl it zooms at any time.
  function listenToWheel(view) {
    view.canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== view.canvas && !event.ctrlKey && !event.metaKey) return hint(view);
      view.hint.hidden = true;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        return T.pan(view, ((event.deltaX || event.deltaY) * unit) / (view.width - view.left), 0);
      const factor = Math.pow(1.0018, Math.max(-400, Math.min(400, event.deltaY * unit)));
      T.zoom(view, factor, timeAt(view, place(view, event).x), 0);
    }, {passive: false});
  }

  T.listen = function (view) {
    listenToKeys(view);
    listenToPointer(view);
    listenToWheel(view);
  };
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
