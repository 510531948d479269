"""The small drawings of the first page: people who can be found, people who look alike, and what is left."""

from collections.abc import Sequence
from typing import Any

from anonset.report.bar_drawing import draw_bars
from anonset.report.findings import Findings
from anonset.report.points import sized_error_bars
from anonset.report.svg import BLUE, SERIES, Drawing, rect
from anonset.report.words import Words

FOUND = SERIES[4]
PALE = 'fill="currentColor" fill-opacity=".18"'
STEP, BESIDE = 14.0, 20  # from one person to the next; people in a line
PERSON = "M0,-5.6a2.2,2.2 0 1,1 -.01,0zM-3.5,5.2v-2.2a3.5,3.2 0 0,1 7,0v2.2z"
WIDE, HIGH = 200.0, 10.0


def report_drawings(page: dict[str, Any], found: Findings, words: Words) -> dict[str, Any]:
    """What is drawn on the first page of the report: people before and after, the figures, and how far counts are off."""
    risk, useful = page["risk"] or {}, found.useful
    sides = {side: str(_hundred(risk[side]["singled"], words)) for side in ("before", "after") if side in risk}
    counts = useful.counts if useful is not None else ()
    chart = sized_error_bars(counts, words)
    return {
        "risk": sides,
        "figures": _figures(page),
        "counts": str(draw_bars(chart, words, width=480)) if len(counts) > 1 else "",
    }


def certificate_drawings(page: dict[str, Any], alike: int | None, words: Words) -> dict[str, Any]:
    """What is drawn on the certificate: the people among whom one is hidden, and the figures."""
    return {"crowd": "" if alike is None else str(_crowd(alike, words)), "figures": _figures(page), "counts": ""}


def _hundred(share: float, words: Words) -> Drawing:
    """A hundred people, of whom so many stand out: at least one where there is any, and never all where there is another."""
    marked = min(max(round(100 * share), int(share > 0)), 100 - int(share < 1))
    return _people([n < marked for n in range(100)], words("drawn.hundred", marked=marked))


def _crowd(alike: int, words: Words) -> Drawing:
    """So many people of whom one is looked for; of very many, some."""
    shown = min(alike, 3 * BESIDE)
    return _people([n == 0 for n in range(shown)], words("drawn.crowd", alike=words.number(alike)))


def _people(marked: Sequence[bool], label: str) -> Drawing:
    parts = []
    for n, is_marked in enumerate(marked):
        x, y = STEP * (n % BESIDE + 0.5), STEP * (n // BESIDE + 0.5)
        parts.append(f'<path d="{PERSON}" transform="translate({x:g} {y:g})" {_fill(FOUND) if is_marked else PALE}/>')
    lines = -(-len(marked) // BESIDE)
    return Drawing(STEP * min(BESIDE, len(marked)), STEP * lines, "".join(parts), label)


def _figures(page: dict[str, Any]) -> list[str]:
    """A bar below each figure that is a share; nothing below a count."""
    shares = [f if f["value"] <= 1 and f["of"] != "alike" else None for f in page["uses"]["figures"]]
    return ["" if f is None else str(_share(f["value"], f["said"], FOUND if "error" in f["of"] else BLUE)) for f in shares]


def _share(share: float, said: str, colour: str) -> Drawing:
    bar = rect(0, 0, WIDE, HIGH, f'rx="3" {PALE}') + rect(0, 0, WIDE * share, HIGH, f'rx="3" {_fill(colour)}')
    return Drawing(WIDE, HIGH, bar, said)


def _fill(colour: str) -> str:
    return f'fill="{colour}"'
