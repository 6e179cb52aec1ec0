// What can be said of any page. Read by checks.py, run in the page; each returns a list of complaints.
const seen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && e.getClientRects().length > 0;
const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (e.className && e.className.trim ? '.' + e.className.trim().replace(/\s+/g, '.') : '') +
    ' "' + (e.textContent || '').trim().slice(0, 40) + '"';

const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
const colours = new Map();
// [r, g, b, a] of any CSS colour, 0 to 1.
function colour(css) {
  if (!colours.has(css)) {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = css;
    pixel.fillRect(0, 0, 1, 1);
    colours.set(css, [...pixel.getImageData(0, 0, 1, 1).data].map(v => v / 255));
  }
  return colours.get(css);
}
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
function background(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const layer = colour(getComputedStyle(e).backgroundColor);
    layers.push(layer);
    if (layer[3] === 1) break;
  }
  const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches;
  return layers.reverse().reduce((below, layer) => over(layer, below), dark ? [0.07, 0.07, 0.07] : [1, 1, 1]);
}
// WCAG 2.2, "relative luminance" and "contrast ratio".
const luminance = c => c.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
function ratio(a, b) {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

function contrast() {
  const bad = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !seen(e) || ['SCRIPT', 'STYLE', 'TEMPLATE'].includes(e.tagName)) continue;
    const style = getComputedStyle(e), behind = background(e);
    const text = [...colour(e.closest('svg') ? style.fill : style.color)];
    for (let up = e; up; up = up.parentElement) text[3] *= Number(getComputedStyle(up).opacity);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = ratio(over(text, behind), behind);
    if (found < (large ? 3 : 4.5)) bad.add(found.toFixed(2) + ' ' + name(e));
  }
  for (const e of document.querySelectorAll('input[placeholder]')) {
    const found = ratio(over(colour(getComputedStyle(e, '::placeholder').color), background(e)), background(e));
    if (seen(e) && found < 4.5) bad.add(found.toFixed(2) + ' placeholder ' + e.placeholder);
  }
  return [...bad];
}

function too_wide() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const clipped = e => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) if (getComputedStyle(p).overflowX !== 'visible') return true; };
  return ['scrolls to ' + document.documentElement.scrollWidth + ' of ' + width]
      .concat([...document.body.querySelectorAll('*')].filter(e => seen(e) && e.getBoundingClientRect().right > width + 0.5 && !clipped(e)).map(name).slice(0, 5));
}

function tables() {
  const bad = [];
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption?.textContent.trim()) bad.push('no caption: ' + name(table));
    // Laid out otherwise, a table is none for who hears it, unless its parts say so.
    for (const e of [table, ...table.querySelectorAll('thead, tbody, tr, th, td')])
      if (!getComputedStyle(e).display.startsWith('table') && !e.getAttribute('role')) bad.push('no table to hear: ' + name(e));
    if (!table.querySelector('th[scope=col]')) bad.push('no column headers: ' + name(table));
    for (const th of table.querySelectorAll('th')) {
      if (!['col', 'row', 'colgroup', 'rowgroup'].includes(th.scope)) bad.push('no scope: ' + name(th));
      if (th.scope === 'col' && !th.textContent.trim()) bad.push('an empty header in ' + name(table));
    }
    const wide = row => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0);
    const widths = new Set([...table.tBodies].flatMap(body => [...body.rows]).map(wide));  // headers may span rows
    if (widths.size > 1) bad.push('rows of ' + [...widths].join(' and ') + ' cells: ' + name(table));
  }
  return bad;
}

function names() {
  const bad = [];
  const named = e => e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.title || e.textContent.trim() || e.labels?.length || e.alt;
  for (const e of document.querySelectorAll('button, a[href], input, select, [role=button], [role=img], canvas, summary, svg:not([aria-hidden=true])'))
    if (seen(e) && !named(e)) bad.push('no name: ' + name(e));
  const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(seen).map(h => Number(h.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) bad.push('h1: ' + levels.filter(level => level === 1).length);
  levels.forEach((level, i) => { if (i && level > levels[i - 1] + 1) bad.push('h' + level + ' after h' + levels[i - 1]); });
  if (!document.documentElement.lang) bad.push('no lang');
  if (!document.title.trim()) bad.push('no title');
  if (!document.querySelector('meta[name=viewport][content*="width=device-width"]')) bad.push('no viewport: a phone shows it small');
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id), twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  if (twice.length) bad.push('ids given twice: ' + [...new Set(twice)].join(' '));
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-controls]'))
    for (const key of ['aria-labelledby', 'aria-describedby', 'aria-controls'])
      for (const id of (e.getAttribute(key) || '').split(/\s+/).filter(Boolean)) if (!document.getElementById(id)) bad.push(key + ' names nothing: ' + id);
  if (document.querySelector('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])')) bad.push('a tab order of its own');
  return bad;
}

// Where the focus is, and how that looks; null: nowhere.
function focused() {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const style = getComputedStyle(e);
  const ring = parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none' ? ratio(colour(style.outlineColor).slice(0, 3), background(e.parentElement)) : 0;
  e.dataset.tabbed = e.dataset.tabbed || String(document.querySelectorAll('[data-tabbed]').length + 1);
  return {name: name(e), order: Number(e.dataset.tabbed), ring, visible: seen(e), before: !!window.lastFocus && !!(window.lastFocus.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING), last: void (window.lastFocus = e)};
}
function not_reached() {
  return [...document.querySelectorAll('button, a[href], input, select, summary, [tabindex="0"]')]
      .filter(e => seen(e) && !e.disabled && !e.dataset.tabbed).map(name);
}

// Motion that goes on, or would.
function moving() {
  const bad = document.getAnimations().map(a => 'runs: ' + (a.animationName || a.transitionProperty));
  for (const e of document.querySelectorAll('*')) {
    const s = getComputedStyle(e);
    if (s.transitionDuration.split(',').some(d => parseFloat(d) > 0.01) || (s.animationName !== 'none' && s.animationDuration.split(',').some(d => parseFloat(d) > 0.01)) || s.scrollBehavior === 'smooth')
      bad.push('moves: ' + name(e));
  }
  return bad;
}
