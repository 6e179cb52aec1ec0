// Reads what reports/timeline_blob.cpp writes: its layout stands there.
(function (T) {
  "use strict";

  T.KIND = {step: 0, region: 1, wait: 2, otherWait: 3, call: 4, range: 5, gap: 6, bubble: 7, kernel: 8, copy: 9, memset: 10, graph: 11};
  T.CAUSES = ["a wait drained the queue", "the next work was launched late", "the next work was queued and did not begin",
              "no more work", "not known"];

  async function inflate(base64) {
    const text = atob(base64.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // One column: `n` LEB128 numbers. Above 2^53 they lose digits, as every number here does.
  function readColumn(bytes, at, n, into) {
    for (let i = 0; i < n; ++i) {
      let byte = bytes[at++];
      let value = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
      }
      into[i] = value;
    }
    return into;
  }

  function readHeader(bytes) {
    const size = new DataView(bytes.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
    if (header.format !== "zerostall/timeline/1") throw new Error("this timeline is of another version");
    return {header, body: 4 + size};
  }

  // Begin, end, and how long the row was busy before each slice: what is drawn of many slices in one pixel.
  function placeRow(run, row) {
    let time = 0, busy = 0, work = 0;
    for (let i = row.first; i < row.last; ++i) {
      time += run.begin[i];
      run.begin[i] = time;
      run.busy[i] = busy;
      const kind = run.kindOf[run.name[i]];
      busy += run.length[i];
      time += run.length[i];
      if (kind === T.KIND.copy || kind === T.KIND.memset) work += run.length[i];
      run.copyBusy[i] = work;
    }
    row.busy = busy;
  }

  function linkRow(run, links, row) {
    let last = 0;
    for (let i = row.first; i < row.last; ++i) {
      const code = links[i] - 1;
      if (code < 0) {
        run.link[i] = -1;
        continue;
      }
      last += code % 2 ? -(code + 1) / 2 : code / 2;
      run.link[i] = last;
    }
  }

  function readTracks(run, header) {
    let first = 0;
    run.tracks = header.tracks.map((track) => {
      const rows = track.rows.map((count) => {
        const row = {first, last: first += count, busy: 0};
        return row;
      });
      return {kind: track.kind, name: track.name, rows, slices: rows.reduce((n, row) => n + row.last - row.first, 0)};
    });
    return first;
  }

  function readSteps(header) {
    const steps = [];
    for (let i = 0; i + 4 < header.steps.length; i += 5) {
      const [number, begin, length, judged, leftOut] = header.steps.slice(i, i + 5);
      steps.push({number, begin, end: begin + length, judged: judged === 1, leftOut});
    }
    return steps;
  }

  // Of one process: columns by slice, rows of slices that are in order and do not overlap, tracks of rows.
  T.readTimeline = async function (base64) {
    const bytes = await inflate(base64);
    const {header, body} = readHeader(bytes);
    const run = {header, modelled: header.modelled, steps: readSteps(header), end: header.length};
    const count = run.count = readTracks(run, header);
    run.kindOf = Uint8Array.from(header.names.filter((_, i) => i % 2 === 0));
    run.texts = header.names.filter((_, i) => i % 2 === 1);
    run.sites = header.sites.filter((_, i) => i % 2 === 0);
    run.places = header.sites.filter((_, i) => i % 2 === 1);
    const starts = [body];
    for (const size of header.bytes) starts.push(starts[starts.length - 1] + size);
    run.begin = readColumn(bytes, starts[0], count, new Float64Array(count));
    run.length = readColumn(bytes, starts[1], count, new Float64Array(count));
    run.name = readColumn(bytes, starts[2], count, new Uint32Array(count));
    const links = readColumn(bytes, starts[3], count, new Float64Array(count));
    run.value = readColumn(bytes, starts[4], count, new Float64Array(count));
    run.busy = new Float64Array(count);
    run.copyBusy = new Float64Array(count);
    run.link = new Int32Array(count);
    for (const track of run.tracks)
      for (const row of track.rows) {
        placeRow(run, row);
        linkRow(run, links, row);
      }
    run.linked = null;
    return run;
  };

  T.endOf = (run, i) => run.begin[i] + run.length[i];
  T.kind = (run, i) => run.kindOf[run.name[i]];

  // First slice of the row that ends after `time`, or row.last. Ends are in order, as the row's slices do not overlap.
  T.firstAfter = function (run, row, time, from) {
    let low = from === undefined ? row.first : from, high = row.last;
    // From the last answer the next is near, most often.
    for (let step = 1; low + step < high; step *= 2) {
      if (run.begin[low + step] + run.length[low + step] > time) {
        high = low + step + 1;
        break;
      }
      low += step;
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.begin[middle] + run.length[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  T.rowOf = function (run, slice) {
    for (const track of run.tracks)
      for (const row of track.rows)
        if (slice >= row.first && slice < row.last) return {track, row};
    return null;
  };

  // What links to this slice: the first piece of work that a call launched, the longest bubble of a wait; -1 = nothing.
  T.linkedTo = function (run, slice) {
    if (!run.linked) {
      run.linked = new Int32Array(run.count).fill(-1);
      for (let i = run.count - 1; i >= 0; --i) {
        const to = run.link[i];
        if (to < 0 || to >= run.count) continue;
        const known = run.linked[to];
        if (known < 0 || T.kind(run, i) !== T.KIND.bubble || run.length[i] >= run.length[known]) run.linked[to] = i;
      }
    }
    return run.linked[slice];
  };

  T.siteOf = function (run, slice) {
    if (T.kind(run, slice) !== T.KIND.wait) return -1;
    return Math.floor(run.value[slice] / 64) - 1;
  };

  // The wait of a site to show: the longest in the step that is shown first, else in a judged step, else anywhere.
  T.waitOfSite = function (run, siteId, near) {
    const site = run.sites.indexOf(siteId);
    let best = -1, bestRank = -1;
    if (site < 0) return best;
    for (const track of run.tracks) {
      if (track.kind !== "waits") continue;
      for (const row of track.rows)
        for (let i = row.first; i < row.last; ++i) {
          if (T.siteOf(run, i) !== site) continue;
          const step = T.stepAt(run, run.begin[i]);
          const rank = (step === near ? 2 : step >= 0 && run.steps[step].judged ? 1 : 0) * 1e18 + run.length[i];
          if (rank > bestRank) [best, bestRank] = [i, rank];
        }
    }
    return best;
  };

  T.stepAt = function (run, time) {
    let low = 0, high = run.steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.steps[middle].begin <= time) low = middle + 1;
      else high = middle;
    }
    return low > 0 && time < run.steps[low - 1].end ? low - 1 : -1;
  };

  // Slices whose name holds the text, letter case ignored.
  T.search = function (run, text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return null;
    const names = Uint8Array.from(run.texts, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
    const before = new Uint32Array(run.count + 1);  // how many of the slices before each
    let count = 0, time = 0;
    for (let i = 0; i < run.count; ++i) {
      if (names[run.name[i]]) {
        ++count;
        time += run.length[i];
      }
      before[i + 1] = count;
    }
    return {names, before, count, time, of: run.count};
  };
})((window.zerostallTimelineParts = window.zerostallTimelineParts || {}));
