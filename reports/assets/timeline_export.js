// The timeline as Chrome trace JSON, which https://ui.perfetto.dev opens: a process for each side, a thread for each
// row. Made here, of what the page holds.
(function (T) {
  "use strict";

  const MANY = 200000;  // slices: from there on launches are not tied to their work, which would double the file
  const PART = 20000;  // slices in one text: all of them in one could be too long for a string

  // Times of the format are microseconds.
  const micros = (ns) => (ns / 1000).toFixed(3).replace(/\.?0+$/, "");

  function nameRows(run, pid, add) {
    let tid = 1000 * pid;  // no number twice: readers take one that is its process's for the main thread
    for (const track of run.tracks)
      for (const [i, row] of track.rows.entries()) {
        row.tid = ++tid;
        const name = T.printable(track.name) + (track.rows.length > 1 ? ` (${i + 1})` : "");
        add({ph: "M", pid, tid, name: "thread_name", args: {name}});
        add({ph: "M", pid, tid, name: "thread_sort_index", args: {sort_index: tid}});
      }
  }

  function argsOf(run, slice) {
    const args = {};
    const facts = T.facts(run, slice);
    if (facts.length) args.facts = facts.join("; ");
    const site = T.siteOf(run, slice);
    if (site >= 0) args.place = T.printable(run.places[site]);
    const kind = T.kind(run, slice);
    if ((kind === T.KIND.copy || kind === T.KIND.memset) && run.value[slice] > 0) args.bytes = run.value[slice];
    if (run.modelled) args.time = "modelled";
    return args;
  }

  // From a launch to its work, from a wait to the idle time it is to blame for.
  function addTie(run, pid, rows, slice, id, add) {
    const from = run.link[slice];
    const wait = T.kind(run, from) === T.KIND.wait;
    const begin = wait ? T.endOf(run, from) - Math.min(1, run.length[from]) : run.begin[from];
    const tie = {cat: wait ? "blame" : "launch", name: wait ? "idle because of" : "launch", id, pid};
    add({ph: "s", ...tie, tid: rows(from).tid, ts: Number(micros(begin))});
    add({ph: "f", bp: "e", ...tie, tid: rows(slice).tid, ts: Number(micros(run.begin[slice]))});
  }

  // Rows are in the order of their slices.
  function rowFinder(run) {
    const rows = run.tracks.flatMap((track) => track.rows);
    return (slice) => {
      let low = 0, high = rows.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle].last > slice) high = middle;
        else low = middle + 1;
      }
      return rows[low];
    };
  }

  // Texts that make one JSON document together. `sides`: [{title, run}], as read by readTimeline.
  T.exportTrace = function (sides) {
    const parts = ['{"displayTimeUnit":"ns","traceEvents":['];
    let events = [], count = 0, flows = 0;
    const flush = () => {
      if (events.length) parts.push((count > events.length ? ",\n" : "\n") + events.join(",\n"));
      events = [];
    };
    const add = (event) => {
      events.push(JSON.stringify(event));
      ++count;
      if (events.length >= PART) flush();
    };
    for (const [side, {title, run}] of sides.entries()) {
      const pid = side + 1;
      const name = (sides.length > 1 ? title : "run") + (run.modelled ? " (modelled times)" : "");
      add({ph: "M", pid, name: "process_name", args: {name}});
      add({ph: "M", pid, name: "process_sort_index", args: {sort_index: pid}});
      nameRows(run, pid, add);
      const rows = rowFinder(run);
      for (let i = 0; i < run.count; ++i) {
        add({ph: "X", pid, tid: rows(i).tid, ts: Number(micros(run.begin[i])), dur: Number(micros(run.length[i])), name: T.nameOf(run, i),
             cat: T.wordOf(run, i), args: argsOf(run, i)});
        const from = run.link[i];
        if (from >= 0 && from < run.count && (run.count < MANY || T.kind(run, from) === T.KIND.wait)) addTie(run, pid, rows, i, ++flows, add);
      }
    }
    flush();
    parts.push("\n]}\n");
    return parts;
  };
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
