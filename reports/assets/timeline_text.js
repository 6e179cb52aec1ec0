// What is said about times and slices: in the detail line, to screen readers, and under a search.
(function (T) {
  "use strict";

  const group = (number) => number.toLocaleString("en-US");
  T.group = group;
  T.plural = (n, noun) => `${group(n)} ${noun}${n === 1 ? "" : "s"}`;

  T.duration = function (ns) {
    const size = Math.abs(ns);
    const [unit, scale] = size >= 1e9 ? ["s", 1e9] : size >= 1e6 ? ["ms", 1e6] : size >= 1e3 ? ["µs", 1e3] : ["ns", 1];
    const value = ns / scale;
    const digits = scale === 1 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
    return `${value.toFixed(digits)} ${unit}`;
  };

  // Names come from the program: marks that turn the direction of text, and what does not print, are shown as such.
  T.printable = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  const shown = new Map();
  T.nameOf = function (run, slice) {
    const text = run.texts[run.name[slice]];
    let name = shown.get(text);
    if (name === undefined) {
      name = T.printable(text) || "(no name)";
      shown.set(text, name);
    }
    return name;
  };

  // "void at::native::reduce_kernel<512, ...>(...)" -> "reduce_kernel": all begin alike, and there is little room.
  const short = new Map();
  T.kernelName = function (run, slice) {
    const name = T.nameOf(run, slice);
    let found = short.get(name);
    if (found === undefined) {
      const plain = name.replace(/^void /, "").split(/[<(]/)[0];
      found = plain.slice(plain.lastIndexOf(":") + 1).trim() || name;
      short.set(name, found);
    }
    return found;
  };

  const WORDS = ["step", "region", "host wait", "may wait, in no total", "CUDA call", "NVTX range", "GPU idle", "GPU idle",
                 "kernel", "copy", "memset", "CUDA graph"];
  T.wordOf = (run, slice) => WORDS[T.kind(run, slice)];

  const known = (code, no, yes) => (code === 1 ? [no] : code === 2 ? [yes] : []);

  function waitFacts(run, slice) {
    const value = run.value[slice];
    const facts = [];
    const site = T.siteOf(run, slice);
    if (site >= 0) facts.push(T.printable(run.places[site]));
    facts.push(...known(value % 4, "the GPU had more work", "the GPU ran dry"));
    facts.push(...known(Math.floor(value / 4) % 4, "", "nothing was queued before it").filter((text) => text));
    if (Math.floor(value / 32) % 2) facts.push("returned an error");
    const bubble = T.linkedTo(run, slice);
    if (bubble >= 0) facts.push(`then the GPU was idle for ${T.duration(run.length[bubble])}`);
    return facts;
  }

  function gapFacts(run, slice) {
    const facts = [T.CAUSES[run.value[slice] % 8] || T.CAUSES[4]];
    const avoidable = Math.floor(run.value[slice] / 8);
    if (T.kind(run, slice) === T.KIND.bubble) facts.push(`${T.duration(avoidable)} of it avoidable`);
    return facts;
  }

  T.facts = function (run, slice) {
    const K = T.KIND;
    const kind = T.kind(run, slice);
    const value = run.value[slice];
    if (kind === K.wait || kind === K.otherWait) return waitFacts(run, slice);
    if (kind === K.gap || kind === K.bubble) return gapFacts(run, slice);
    if ((kind === K.copy || kind === K.memset) && value > 0) return [`${group(value)} B`];
    if (kind === K.call && value) return ["returned an error"];
    if (kind === K.range && value) return ["never closed"];
    if (kind === K.step && value > 0) {
      const step = run.steps[value - 1];
      const facts = [step.judged ? "judged" : "not judged"];
      if (step.leftOut > 0) facts.push(`${T.plural(step.leftOut, "event")} of it not shown`);
      return facts;
    }
    return [];
  };

  // "host wait · 1.2 ms · cudaStreamSynchronize · train.py:12 · the GPU ran dry · 0.4 ms after the begin of step 7"
  T.describe = function (run, slice) {
    const parts = [T.wordOf(run, slice), T.duration(run.length[slice]) + (run.modelled ? " (modelled)" : ""), T.nameOf(run, slice)];
    parts.push(...T.facts(run, slice));
    const step = T.stepAt(run, run.begin[slice]);
    if (step >= 0 && T.kind(run, slice) !== T.KIND.step)
      parts.push(`${T.duration(run.begin[slice] - run.steps[step].begin)} after the begin of step ${run.steps[step].number}`);
    const {track} = T.rowOf(run, slice);
    if (track.kind !== "steps") parts.push(T.printable(track.name));
    return parts.join(" · ");
  };

  T.found = function (sides) {
    return sides.map((side) => {
      const hit = side.hits;
      const name = sides.length > 1 ? `${side.title}: ` : "";
      const time = hit.count > 0 ? `, ${T.duration(hit.time)} in all${side.run.modelled ? " (modelled)" : ""}` : "";
      return `${name}${group(hit.count)} of ${T.plural(hit.of, "slice")}${time}`;
    }).join("; ");
  };

  // What a side has to say for itself, beside its tracks; what is left out stands in the page.
  T.notes = function (run) {
    const notes = [];
    if (run.header.cut_off) notes.push(`the trace is incomplete: ${T.printable(run.header.cut_off)}`);
    if (run.header.lost > 0) notes.push(`${T.plural(run.header.lost, "record")} lost while recording: gaps in the tracks may be no gaps`);
    if (run.steps.length === 0) notes.push("no steps were found");
    return notes;
  };
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
