"""A run in a notebook: figures, a bar for each step, the places that wait. Nothing in it is taken for markup but what is
written here."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, List

if TYPE_CHECKING:
    from ._run import Run, Site

MOST_BARS, MOST_SITES = 400, 20
WIDTH, HEIGHT = 600, 80
CELL = 'style="text-align:left;padding:2px 8px"'


def _bars(run: "Run") -> str:
    """Waits of each step as an SVG; steps of the warm-up are pale. Long runs show their last steps."""
    steps = run.steps[-MOST_BARS:]
    most = max((step.waits or 0 for step in steps), default=0)
    if not steps:
        return ""
    width = WIDTH / len(steps)
    bars: List[str] = []
    for i, step in enumerate(steps):
        known = step.waits is not None
        height = HEIGHT * (step.waits or 0) / most if most else 0
        bars.append(f'<rect x="{i * width:.2f}" y="{HEIGHT - max(height, 1):.2f}" width="{max(width - 1, 0.5):.2f}" '
                    f'height="{max(height, 1):.2f}" fill="{"#c2410c" if height else "#15803d"}" '
                    f'opacity="{1 if step.judged else 0.35}"><title>step {step.index}: '
                    f'{step.waits if known else "not known"} waits{"" if step.judged else ", warm-up"}</title></rect>')
    text = f"Host waits per step, {len(steps)} steps, at most {most}"
    return (f'<svg role="img" aria-label="{text}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            f'style="max-width:100%"><title>{text}</title>{"".join(bars)}</svg>')


def _row(site: "Site") -> str:
    cells = (site.place, site.waits_per_step if site.waits_per_step is not None else "not known", site.waits, site.cause,
             site.advice or site.what)
    return "<tr>" + "".join(f"<td {CELL}>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def html_of(run: "Run") -> str:
    """An HTML fragment without scripts, links or anything from elsewhere."""
    waits = "no judged step" if run.waits_per_step is None else f"{run.waits_per_step} host waits per step"
    clock = " · counted, times are modelled" if run.clock == "modelled" else ""
    head = (f"<b>{escape(waits)}</b> · {escape(run.device or 'unknown device')} · {len(run.judged)} of {len(run.steps)} steps "
            f"judged{clock}{'' if run.complete else ' · <b>not complete</b>'}")
    names = ("where", "waits/step", "in all", "cause", "instead")
    rows = "".join(_row(site) for site in run.sites[:MOST_SITES])
    table = "" if not rows else (f"<table><thead><tr>{''.join(f'<th {CELL}>{name}</th>' for name in names)}</tr></thead>"
                                 f"<tbody>{rows}</tbody></table>")
    more = len(run.sites) - MOST_SITES
    return f"<div><p>{head}</p>{_bars(run)}{table}{f'<p>and {more} more places</p>' if more > 0 else ''}</div>"
