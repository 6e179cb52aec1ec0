// Where the view stands, and how it gets elsewhere. Times of a view count from the anchor of each side, the begin of
// the step that both are aligned at.
(function (T) {
  "use strict";

  const SHORTEST = 50;  // ns in view

  T.reach = function (view) {
    let begin = Infinity, end = -Infinity;
    for (const side of view.sides) {
      begin = Math.min(begin, -side.anchor);
      end = Math.max(end, side.run.end - side.anchor);
    }
    const rim = Math.max(SHORTEST, (end - begin) * 0.02);
    return {begin: begin - rim, end: end + rim};
  };

  function limited(view, begin, end) {
    const reach = T.reach(view);
    const length = Math.min(Math.max(end - begin, SHORTEST), reach.end - reach.begin);
    const middle = (begin + end) / 2;
    const first = Math.min(Math.max(middle - length / 2, reach.begin), reach.end - length);
    return [first, first + length];
  }

  T.schedule = function (view) {
    if (view.frame) return;
    view.frame = requestAnimationFrame((now) => {
      view.frame = 0;
      if (view.glide) glide(view, now);
      T.draw(view);
    });
  };

  function glide(view, now) {
    const g = view.glide;
    const part = Math.min(1, (now - g.start) / g.time);
    const eased = 1 - (1 - part) * (1 - part);
    view.begin = g.from[0] + (g.to[0] - g.from[0]) * eased;
    view.end = g.from[1] + (g.to[1] - g.from[1]) * eased;
    if (part >= 1) view.glide = null;
    else T.schedule(view);
  }

  const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  T.moveTo = function (view, begin, end, time) {
    const to = limited(view, begin, end);
    if (!time || still()) {
      [view.begin, view.end] = to;
      view.glide = null;
    } else {
      view.glide = {from: [view.begin, view.end], to, start: performance.now(), time};
    }
    T.schedule(view);
  };

  // Where a glide ends, so that keys pressed during it add up.
  const aim = (view) => (view.glide ? view.glide.to : [view.begin, view.end]);

  T.pan = function (view, part, time) {
    const [begin, end] = aim(view);
    const by = (end - begin) * part;
    const reach = T.reach(view);
    const fit = Math.min(Math.max(by, reach.begin - begin), reach.end - end);
    T.moveTo(view, begin + fit, end + fit, time);
  };

  // `at`: the time that stays where it is; without one the focused slice, or the middle.
  T.zoom = function (view, factor, at, time) {
    const [begin, end] = aim(view);
    let fixed = at;
    if (fixed === undefined && view.focus) {
      const {side, slice} = view.focus;
      fixed = side.run.begin[slice] + side.run.length[slice] / 2 - side.anchor;
    }
    if (fixed === undefined || fixed < begin || fixed > end) fixed = (begin + end) / 2;
    T.moveTo(view, fixed - (fixed - begin) * factor, fixed + (end - fixed) * factor, time);
  };

  T.zoomToSlice = function (view, side, slice, time) {
    const begin = side.run.begin[slice] - side.anchor, length = side.run.length[slice];
    const room = Math.max(length * 1.5, SHORTEST * 4);
    T.moveTo(view, begin - room, begin + length + room, time);
  };

  // A wait with what came before it and what the GPU did behind it.
  T.zoomToWait = function (view, side, slice, time) {
    const run = side.run;
    const bubble = T.linkedTo(run, slice);
    const begin = run.begin[slice] - side.anchor;
    const end = Math.max(T.endOf(run, slice), bubble >= 0 ? T.endOf(run, bubble) : 0) - side.anchor;
    const step = run.steps[side.step];
    const most = step ? step.end - step.begin : Infinity;
    const room = Math.min(Math.max((end - begin) * 1.5, 5000), most);
    T.moveTo(view, begin - room, end + room, time);
  };

  // Aligns all sides at their step of that number; a side without one stays at its own.
  T.alignAt = function (view, side, step) {
    const number = side.run.steps[step].number;
    for (const other of view.sides) {
      const at = other === side ? step : other.run.steps.findIndex((s) => s.number === number);
      if (at < 0) continue;
      other.step = at;
      other.anchor = other.run.steps[at].begin;
    }
    view.zero = "step begins";
  };

  T.nextStep = function (view, by) {
    const side = view.sides[view.sides.length - 1].run.steps.length ? view.sides[view.sides.length - 1] : view.sides[0];
    const to = side.step + by;
    if (to < 0 || to >= side.run.steps.length) return false;
    T.alignAt(view, side, to);
    const step = side.run.steps[to];
    T.moveTo(view, -0.02 * (step.end - step.begin), 1.02 * (step.end - step.begin), 0);
    return true;
  };

  // Without steps each side stands at its costliest wait, or where its GPU begins.
  function anchorOf(run) {
    if (run.header.open.wait !== null) return run.begin[run.header.open.wait];
    const rows = run.tracks.filter((track) => track.kind === "work").flatMap((track) => track.rows).filter((row) => row.last > row.first);
    return rows.length ? Math.min(...rows.map((row) => run.begin[row.first])) : 0;
  }

  // The side whose wait is shown first: before, where it has one.
  T.open = function (view, time) {
    const side = view.sides.find((s) => s.run.header.open.wait !== null) || view.sides[0];
    const {step, wait} = side.run.header.open;
    for (const other of view.sides) {
      const own = other.run.header.open.step;
      other.step = own === null ? -1 : own;
      other.anchor = own === null ? anchorOf(other.run) : other.run.steps[own].begin;
    }
    view.zero = step !== null ? "step begins" : wait !== null ? "costliest wait" : "first GPU work";
    if (step !== null) T.alignAt(view, side, step);
    if (wait !== null) T.zoomToWait(view, side, wait, time);
    else if (step === null) T.moveTo(view, 0, Math.max(...view.sides.map((s) => s.run.end - s.anchor)), time);
    else T.moveTo(view, -0.02 * side.run.steps[step].end + 0.02 * side.anchor, 1.02 * (side.run.steps[step].end - side.anchor), time);
    return wait === null ? null : {side, slice: wait};
  };

  // Focus from slice to slice: along a row, or to the slice of another row that is nearest in time.
  T.neighbour = function (view, dx, dy) {
    if (!view.focus) return first(view);
    const {side, slice} = view.focus;
    const at = view.lines.findIndex((l) => l.side === side && slice >= l.row.first && slice < l.row.last);
    if (at < 0) return first(view);
    if (dx) {
      const row = view.lines[at].row;
      return {side, slice: Math.min(Math.max(slice + dx, row.first), row.last - 1)};
    }
    const middle = side.run.begin[slice] + side.run.length[slice] / 2 - side.anchor;
    for (let i = at + dy; i >= 0 && i < view.lines.length; i += dy) {
      const found = nearest(view.lines[i], middle);
      if (found >= 0) return {side: view.lines[i].side, slice: found};
    }
    return view.focus;
  };

  function nearest(line, time) {
    const {row, side} = line;
    if (row.first >= row.last) return -1;
    const after = T.firstAfter(side.run, row, time + side.anchor);
    if (after >= row.last) return row.last - 1;
    if (after === row.first) return after;
    const ahead = side.run.begin[after] - (time + side.anchor), behind = time + side.anchor - T.endOf(side.run, after - 1);
    return ahead <= behind ? after : after - 1;
  }

  function first(view) {
    const line = view.lines.find((l) => l.track.kind === "waits") || view.lines[0];
    if (!line) return null;
    return {side: line.side, slice: nearest(line, (view.begin + view.end) / 2)};
  }

  // The next host wait behind the focus, or behind the middle of the view.
  T.nextWait = function (view, by) {
    const side = view.focus ? view.focus.side : view.sides[0];
    const run = side.run;
    const from = view.focus ? run.begin[view.focus.slice] : (view.begin + view.end) / 2 + side.anchor;
    let best = -1;
    for (const track of run.tracks) {
      if (track.kind !== "waits") continue;
      for (const row of track.rows)
        for (let i = row.first; i < row.last; ++i) {
          const ahead = (run.begin[i] - from) * by;
          if (T.kind(run, i) !== T.KIND.wait || ahead <= 0) continue;
          if (best < 0 || ahead < (run.begin[best] - from) * by) best = i;
        }
    }
    return best < 0 ? null : {side, slice: best};
  };

  // The next slice that the search found, of the side in focus.
  T.nextHit = function (view, by) {
    const sides = view.focus ? [view.focus.side, ...view.sides.filter((s) => s !== view.focus.side)] : view.sides;
    for (const side of sides) {
      if (!side.hits || side.hits.count === 0) continue;
      const run = side.run;
      const from = view.focus && view.focus.side === side ? view.focus.slice : by > 0 ? -1 : run.count;
      for (let n = 1; n <= run.count; ++n) {
        const i = (((from + by * n) % run.count) + run.count) % run.count;
        if (side.hits.names[run.name[i]]) return {side, slice: i};
      }
    }
    return null;
  };
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
