// What the page does beyond showing its tables: sorts, points at steps, copies, saves. Reads no text of the program as
// anything but text: textContent and attributes only.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("zerostall-report").textContent);

  // Tables whose headers say what they sort by.
  function makeSortable(table) {
    const headers = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const original = [...body.rows];
    const valueOf = (row, column) => row.cells[column].dataset.value ?? "";
    const compare = {
      number: (a, b) => Number(a) - Number(b),
      text: (a, b) => a.localeCompare(b, "en"),
    };
    headers.forEach((header, column) => {
      const kind = header.dataset.sort;
      if (!kind) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = header.textContent;
      header.replaceChildren(button);
      button.addEventListener("click", () => {
        const now = header.getAttribute("aria-sort");
        // Most first of figures, A first of texts; then the other way, then as it was.
        const first = kind === "number" ? "descending" : "ascending";
        const second = kind === "number" ? "ascending" : "descending";
        const next = now === first ? second : now === second ? null : first;
        for (const other of headers) other.removeAttribute("aria-sort");
        if (next) header.setAttribute("aria-sort", next);
        const sign = next === "descending" ? -1 : 1;
        const rows = next
          ? [...original].sort((a, b) => sign * compare[kind](valueOf(a, column), valueOf(b, column)))
          : original;
        body.append(...rows);
        fold();
      });
    });
    const fold = makeFoldable(table);
  }

  // Of many rows the first are shown, in whatever order they are, until all are asked for. Returns what folds them again.
  function makeFoldable(table) {
    const few = 20, body = table.tBodies[0], count = body.rows.length;
    if (count <= few + few / 4) return () => {};
    let all = false;
    const fold = () => [...body.rows].forEach((row, i) => { row.hidden = !all && i >= few; });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Show all ${count} places`;
    button.addEventListener("click", () => {
      all = true;
      fold();
      body.rows[few].querySelector("summary").focus();
      more.remove();
    });
    const more = document.createElement("p");
    more.className = "buttons";
    more.append(button);
    table.parentElement.after(more);
    window.addEventListener("beforeprint", () => { for (const row of body.rows) row.hidden = false; });
    window.addEventListener("afterprint", fold);
    fold();
    return fold;
  }

  // A step under the pointer, or chosen by the arrow keys, is read out below the chart.
  function makeReadable(chart) {
    const plot = chart.querySelector(".plot");
    const readout = chart.querySelector(".readout");
    const cursor = plot.querySelector(".cursor");
    const slots = new Map();
    for (const mark of plot.querySelectorAll(".mark")) {
      const slot = Number(mark.dataset.slot);
      if (!slots.has(slot)) slots.set(slot, []);
      slots.get(slot).push(mark);
    }
    const order = [...slots.keys()].sort((a, b) => a - b);
    if (order.length === 0) return;
    const xOf = (slot) => {
      const xs = slots.get(slot).map((mark) => Number(mark.dataset.x));
      return xs.reduce((sum, x) => sum + x, 0) / xs.length;
    };
    const places = order.map(xOf);
    let current = -1;
    function clear() {
      if (current >= 0) for (const mark of slots.get(order[current])) mark.classList.remove("current");
      current = -1;
      cursor.setAttribute("visibility", "hidden");
      readout.textContent = "";
    }
    function choose(position) {
      if (position === current) return;
      clear();
      current = position;
      const marks = slots.get(order[position]);
      for (const mark of marks) mark.classList.add("current");
      cursor.setAttribute("x1", places[position]);
      cursor.setAttribute("x2", places[position]);
      cursor.setAttribute("visibility", "visible");
      readout.textContent = marks.map((mark) => mark.querySelector("title").textContent).join("; ");
    }
    function nearest(event) {
      const box = plot.getBoundingClientRect();
      const view = plot.viewBox.baseVal;
      // The drawing keeps its shape within the box.
      const scale = Math.min(box.width / view.width, box.height / view.height);
      const x = (event.clientX - box.left - (box.width - view.width * scale) / 2) / scale;
      let best = 0;
      places.forEach((place, i) => { if (Math.abs(place - x) < Math.abs(places[best] - x)) best = i; });
      return best;
    }
    const last = order.length - 1;
    const keys = {
      ArrowRight: () => Math.min(current + 1, last),
      ArrowLeft: () => (current < 0 ? last : Math.max(current - 1, 0)),
      Home: () => 0,
      End: () => last,
    };
    plot.setAttribute("tabindex", "0");
    plot.addEventListener("pointermove", (event) => choose(nearest(event)));
    plot.addEventListener("pointerdown", (event) => choose(nearest(event)));
    plot.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") clear(); });
    plot.addEventListener("blur", clear);
    plot.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return clear();
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      choose(keys[event.key]());
    });
  }

  const said = document.getElementById("data-said");

  // Where the clipboard is not given to pages from disk, a selection still is.
  function copyBySelection(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }

  async function copyMarkdown() {
    let done = false;
    try {
      await navigator.clipboard.writeText(data.markdown);
      done = true;
    } catch {
      done = copyBySelection(data.markdown);
    }
    said.textContent = done ? "Copied." : "This browser does not let the page copy; Download JSON has the text as well.";
  }

  function save(blob, name) {
    const link = document.createElement("a");
    const url = URL.createObjectURL(blob);
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    said.textContent = `Saved as ${name}.`;
  }

  function downloadJson() {
    save(new Blob([JSON.stringify(data, null, 2) + "\n"], { type: "application/json" }), "zerostall-report.json");
  }

  function downloadPerfetto() {
    const trace = window.zerostallTimeline?.perfetto();
    if (trace) save(trace, "zerostall-timeline.json");
    else said.textContent = "The timeline is not there yet.";
  }

  // A million slices take seconds: that is said first.
  function askForPerfetto() {
    said.textContent = "Making the file…";
    requestAnimationFrame(() => setTimeout(downloadPerfetto));
  }

  // Its own script comes behind this one.
  function showTimeline() {
    const place = document.getElementById("zerostall-timeline");
    if (!place) return;
    window.addEventListener("DOMContentLoaded", () => window.zerostallTimeline?.mount(place));
    const table = document.getElementById("site-table");
    if (!table) return;
    for (const place of table.querySelectorAll(".show-in-timeline")) place.hidden = false;
    table.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-site]");
      if (!button || !window.zerostallTimeline) return;
      document.getElementById("timeline").scrollIntoView();
      window.zerostallTimeline.show(button.dataset.site);
    });
  }

  // Printed, nothing stays folded; what was folded is so again afterwards.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });

  for (const table of document.querySelectorAll("table.sites")) makeSortable(table);
  for (const chart of document.querySelectorAll(".chart")) makeReadable(chart);
  for (const buttons of document.querySelectorAll(".buttons")) buttons.hidden = false;
  document.getElementById("copy-markdown").addEventListener("click", copyMarkdown);
  document.getElementById("download-json").addEventListener("click", downloadJson);
  document.getElementById("download-perfetto")?.addEventListener("click", askForPerfetto);
  for (const told of document.querySelectorAll(".perfetto-told")) told.hidden = false;
  showTimeline();
})();
