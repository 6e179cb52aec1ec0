// Draws the tracks of all sides onto one canvas. What is narrower than a pixel is drawn together, as dark as its row is
// busy there: a frame costs as much as there are pixels, not slices.
(function (T) {
  "use strict";

  const ROW = 17, GAP = 4, LABEL = 13, AXIS = 20, TITLE = 20, BADGE = 19;
  const LEVELS = 4;  // of how busy a pixel is

  // By kind; names of the variables of timeline.css.
  const COLOURS = ["step", "region", "wait", "other-wait", "call", "range", "gap", "bubble", "kernel", "copy", "memset", "graph"];

  T.readColours = function (element) {
    const style = getComputedStyle(element);
    const of = (name) => style.getPropertyValue(`--zt-${name}`).trim();
    return {
      kinds: COLOURS.map(of), texts: COLOURS.map((name) => of(`${name}-text`) || of("on-slice")), text: of("text"), faint: of("faint"),
      line: of("line"), back: of("back"), focus: of("focus"), link: of("link"), dim: of("dim"),
      font: style.fontFamily || "sans-serif",
    };
  };

  const isShown = (view, side, track) => view.all || side.shown.has(track);

  function labelWidth(view) {
    const c = view.canvas.getContext("2d", {alpha: false});
    c.font = `11px ${view.colours.font}`;
    let width = 60;
    for (const side of view.sides)
      for (const track of side.run.tracks)
        if (isShown(view, side, track)) width = Math.max(width, c.measureText(T.printable(track.name)).width + 14);
    return Math.min(Math.ceil(width), Math.round(view.width * 0.25));
  }

  // Tracks one below the other: where each row of each side is.
  T.layOut = function (view) {
    view.narrow = view.width < 620;
    view.left = view.narrow ? 0 : labelWidth(view);
    let y = AXIS;
    view.lines = [];
    view.hidden = 0;
    for (const side of view.sides) {
      side.top = y;
      if (view.sides.length > 1 || view.narrow) y += TITLE;
      for (const track of side.run.tracks) {
        if (!isShown(view, side, track)) {
          ++view.hidden;
          continue;
        }
        if (view.narrow) y += LABEL;
        const first = y;
        for (const row of track.rows) {
          view.lines.push({side, track, row, y});
          y += ROW;
        }
        track.y = first;
        y += GAP;
      }
      side.bottom = y;
      y += 8;
    }
    view.height = y + (view.sides.some((side) => side.run.modelled) ? BADGE : 0);  // of its own: it covers no row
  };

  T.xOf = (view, side, time) => view.left + (time - side.anchor - view.begin) * view.scale;
  T.timeOf = (view, side, x) => (x - view.left) / view.scale + view.begin + side.anchor;

  function prepare(view) {
    const ratio = window.devicePixelRatio || 1;
    const canvas = view.canvas;
    const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.height = `${view.height}px`;
    }
    const c = canvas.getContext("2d", {alpha: false});
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = view.colours.back;
    c.fillRect(0, 0, view.width, view.height);
    c.textBaseline = "middle";
    return c;
  }

  // A step of 1, 2 or 5 times a power of ten, at least 90 pixels wide.
  function tickOf(scale) {
    const least = 90 / scale;
    const power = Math.pow(10, Math.floor(Math.log10(least)));
    return power * [1, 2, 5, 10].find((n) => n * power >= least);
  }

  function drawAxis(c, view) {
    const tick = tickOf(view.scale);
    const first = Math.ceil(view.begin / tick);
    c.font = `11px ${view.colours.font}`;
    c.textAlign = "left";
    for (let n = first; n * tick <= view.end; ++n) {
      const x = Math.round(view.left + (n * tick - view.begin) * view.scale) + 0.5;
      c.fillStyle = view.colours.line;
      c.fillRect(x, 14, 1, view.height - 14);
      c.fillStyle = view.colours.faint;
      const text = n === 0 ? view.zero : `${n > 0 ? "+" : "−"}${T.duration(Math.abs(n * tick)).replace(/\.0+(?= )|(\.\d*?)0+(?= )/, "$1")}`;
      c.fillText(text, x + 3, 8);
    }
  }

  // Rectangles and texts by colour: changing it costs more than a rectangle.
  class Brush {
    constructor() {
      this.rects = new Map();
      this.texts = [];
    }
    rect(colour, x, y, width, height) {
      let list = this.rects.get(colour);
      if (!list) this.rects.set(colour, (list = []));
      list.push(x, y, width, height);
    }
    paint(c) {
      for (const [colour, list] of this.rects) {
        c.fillStyle = colour.colour || colour;
        c.globalAlpha = colour.alpha || 1;
        for (let i = 0; i < list.length; i += 4) c.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
      }
      c.globalAlpha = 1;
    }
  }

  // Colours with an alpha, one object each, so that they can be keys.
  const faded = new Map();
  function fade(colour, alpha) {
    let known = faded.get(colour);
    if (!known) faded.set(colour, (known = new Map()));
    let made = known.get(alpha);
    if (!made) known.set(alpha, (made = {colour, alpha}));
    return made;
  }

  function kindOfPixel(run, line, from, to) {
    const kind = run.kindOf[run.name[from]];
    if (line.track.kind !== "work" || to - from < 2) return kind;
    const busy = run.busy[to - 1] - run.busy[from], copies = run.copyBusy[to - 1] - (from > line.row.first ? run.copyBusy[from - 1] : 0);
    return copies * 2 > busy ? T.KIND.copy : T.KIND.kernel;
  }

  function colourOf(view, side, slice, kind) {
    const colour = view.colours.kinds[kind];
    if (side.hits && !side.hits.names[side.run.name[slice]]) return fade(colour, 0.22);
    // Neighbours of one kind stay apart: by name, a little lighter or not.
    if (kind === T.KIND.kernel || kind === T.KIND.call || kind === T.KIND.range) return fade(colour, [1, 0.9, 0.8][side.run.name[slice] % 3]);
    return fade(colour, 1);
  }

  const hitIn = (side, from, to) => side.hits.before[to] > side.hits.before[from];

  function drawRow(view, brush, line) {
    const {side, row, y} = line;
    const run = side.run;
    const begin = T.timeOf(view, side, view.left), end = T.timeOf(view, side, view.width), pixel = 1 / view.scale;
    let i = T.firstAfter(run, row, begin);
    let run0 = null;  // pixels that look alike, drawn as one
    const flush = () => {
      if (run0) brush.rect(run0.colour, run0.x, y, run0.width, ROW - 2);
      run0 = null;
    };
    while (i < row.last && run.begin[i] < end) {
      const x = T.xOf(view, side, run.begin[i]);
      if (run.length[i] >= pixel) {
        flush();
        const left = Math.max(view.left, x), width = Math.max(1, Math.min(view.width, x + run.length[i] * view.scale) - left);
        const kind = run.kindOf[run.name[i]];
        brush.rect(colourOf(view, side, i, kind), left, y, width > 3 ? width - 0.5 : width, ROW - 2);
        if (width > 26) brush.texts.push(i, left, y, width, kind);
        ++i;
        continue;
      }
      const column = Math.floor(Math.max(x, view.left));
      const limit = T.timeOf(view, side, column + 1);
      let next = T.firstAfter(run, row, limit, i);
      if (next === i) ++next;
      const busy = (run.busy[next - 1] + run.length[next - 1] - run.busy[i]) * view.scale;
      const kind = kindOfPixel(run, line, i, next);
      const strong = kind === T.KIND.wait || kind === T.KIND.bubble || kind === T.KIND.otherWait;
      let alpha = strong ? 1 : Math.max(0.3, Math.ceil(Math.min(1, busy) * LEVELS) / LEVELS);
      if (side.hits) alpha = hitIn(side, i, next) ? 1 : 0.15;
      const colour = fade(view.colours.kinds[kind], alpha);
      if (run0 && run0.colour === colour && column <= run0.x + run0.width) run0.width = column + 1 - run0.x;
      else {
        flush();
        run0 = {colour, x: column, width: 1};
      }
      i = next;
    }
    flush();
  }

  function drawTexts(c, view, side, texts) {
    c.font = `11px ${view.colours.font}`;
    c.textAlign = "left";
    for (let n = 0; n < texts.length; n += 5) {
      const [slice, x, y, width, kind] = texts.slice(n, n + 5);
      const name = kind === T.KIND.kernel ? T.kernelName(side.run, slice) : T.nameOf(side.run, slice);
      const fits = Math.floor((width - 6) / 6);
      if (fits < 3) continue;
      c.fillStyle = side.hits && !side.hits.names[side.run.name[slice]] ? view.colours.faint : view.colours.texts[kind];
      c.fillText(name.length > fits ? name.slice(0, fits - 1) + "…" : name, x + 3, y + ROW / 2 - 0.5, width - 5);
    }
  }

  function drawLabels(c, view, side) {
    c.fillStyle = view.colours.text;
    c.textAlign = "left";
    if (view.sides.length > 1 || view.narrow) {
      c.font = `bold 12px ${view.colours.font}`;
      const step = side.run.steps[side.step];
      const parts = view.sides.length > 1 ? [side.title] : [];
      if (step) parts.push(`from the begin of step ${step.number}`);
      c.fillText(parts.join(", "), 4, side.top + TITLE / 2);
    }
    c.font = `11px ${view.colours.font}`;
    for (const track of side.run.tracks) {
      if (!isShown(view, side, track)) continue;
      c.fillStyle = view.colours.faint;
      const name = T.printable(track.name);
      if (view.narrow) c.fillText(name, 4, track.y - LABEL / 2 + 1, view.width - 8);
      else c.fillText(name.slice(0, 40), 4, track.y + ROW / 2 - 1, view.left - 10);
    }
  }

  const lineOf = (view, side, slice) => view.lines.find((l) => l.side === side && slice >= l.row.first && slice < l.row.last);

  // From a slice to the one it is tied to: a launch and its work, a wait and the idle time it is to blame for.
  function drawTie(c, view, side, from, to, strong) {
    const a = lineOf(view, side, from), b = lineOf(view, side, to);
    if (!a || !b) return;
    const run = side.run;
    const isWait = T.kind(run, from) === T.KIND.wait;
    const x1 = T.xOf(view, side, isWait ? T.endOf(run, from) : run.begin[from]), x2 = T.xOf(view, side, run.begin[to]);
    if (Math.max(x1, x2) < view.left || Math.min(x1, x2) > view.width) return;
    const y1 = a.y + ROW - 2, y2 = b.y;
    c.strokeStyle = view.colours.link;
    c.lineWidth = strong ? 2 : 1;
    c.beginPath();
    c.moveTo(Math.max(x1, view.left), y1);
    c.bezierCurveTo(Math.max(x1, view.left), y1 + (y2 - y1) / 2, Math.max(x2, view.left), y2 - (y2 - y1) / 2, Math.max(x2, view.left), y2);
    c.stroke();
    c.beginPath();
    c.arc(Math.max(x2, view.left), y2, strong ? 3 : 2, 0, 7);
    c.fillStyle = view.colours.link;
    c.fill();
  }

  // Those of all bubbles that are wide enough to be told apart.
  function drawTies(c, view, side) {
    for (const line of view.lines) {
      if (line.side !== side || line.track.kind !== "idle") continue;
      const run = side.run, end = T.timeOf(view, side, view.width);
      let shown = 0;
      for (let i = T.firstAfter(run, line.row, T.timeOf(view, side, view.left)); i < line.row.last && run.begin[i] < end; ++i) {
        if (++shown > 400) break;
        if (run.link[i] >= 0 && run.length[i] * view.scale > 4) drawTie(c, view, side, run.link[i], i, false);
      }
    }
  }

  function drawFocus(c, view) {
    if (!view.focus) return;
    const {side, slice} = view.focus;
    const line = lineOf(view, side, slice);
    if (!line) return;
    const run = side.run;
    const to = run.link[slice], back = T.linkedTo(run, slice);
    if (to >= 0) drawTie(c, view, side, to, slice, true);
    if (back >= 0) drawTie(c, view, side, slice, back, true);
    const x = Math.max(view.left - 2, T.xOf(view, side, run.begin[slice])), x2 = Math.min(view.width + 2, T.xOf(view, side, T.endOf(run, slice)));
    if (x2 < view.left || x > view.width) return;
    c.strokeStyle = view.colours.focus;
    c.lineWidth = 2;
    c.strokeRect(x - 1, line.y - 1.5, Math.max(3, x2 - x + 2), ROW + 1);
  }

  function drawSteps(c, view, side) {
    c.fillStyle = view.colours.dim;
    for (const step of side.run.steps) {
      const x = T.xOf(view, side, step.begin), x2 = T.xOf(view, side, step.end);
      if (x2 < view.left || x > view.width || x2 - x < 1) continue;
      if (!step.judged) c.fillRect(Math.max(x, view.left), side.top, Math.min(x2, view.width) - Math.max(x, view.left), side.bottom - side.top);
    }
  }

  function drawModelled(c, view) {
    if (!view.sides.some((side) => side.run.modelled)) return;
    const text = view.sides.every((side) => side.run.modelled) ? "modelled times" : `modelled times: ${view.sides.filter((s) => s.run.modelled).map((s) => s.title).join(", ")}`;
    c.font = `bold 11px ${view.colours.font}`;
    const width = c.measureText(text).width + 12;
    c.fillStyle = view.colours.text;
    c.fillRect(view.width - width, view.height - BADGE, width, BADGE);
    c.fillStyle = view.colours.back;
    c.textAlign = "left";
    c.fillText(text, view.width - width + 6, view.height - BADGE / 2 + 1);
  }

  T.draw = function (view) {
    const c = prepare(view);
    view.scale = (view.width - view.left) / (view.end - view.begin);
    for (const side of view.sides) drawSteps(c, view, side);
    drawAxis(c, view);
    for (const side of view.sides) {
      const brush = new Brush();
      for (const line of view.lines) if (line.side === side) drawRow(view, brush, line);
      brush.paint(c);
      drawTexts(c, view, side, brush.texts);
      drawTies(c, view, side);
      drawLabels(c, view, side);
    }
    drawFocus(c, view);
    drawModelled(c, view);
  };

  T.lineAt = (view, y) => view.lines.find((line) => y >= line.y - 1 && y < line.y + ROW - 1);
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
