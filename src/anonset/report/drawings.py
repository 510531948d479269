"""Drawings of a report: bars before and after, hierarchies with what is published of them, people who can be found."""

from collections.abc import Sequence
from typing import Any

from anonset.report.findings import Findings
from anonset.report.points import Bars, Block, sized_error_bars
from anonset.report.svg import BLUE, GREY, SERIES, Drawing, axis, line, rect, short, stacked, text, width_of
from anonset.report.words import Words

WIDTH, WIDE = 420.0, 960.0
ROW, TOP, FOOT = 22.0, 46.0, 44.0
HOLLOW = f'fill="none" stroke="{GREY}"'
FILLED = f'fill="{BLUE}"'


def draw_bars(bars: Bars, words: Words, *, width: float = WIDTH) -> Drawing:
    """Horizontal bars: the original hollow, the release filled."""
    labels = [short(bar.label, 0.42 * width) for bar in bars.bars]
    left = max([60.0, *(width_of(label) for label in labels)]) + 10
    most = max([1e-9, bars.most, *(v for bar in bars.bars for v in (bar.before, bar.after) if v is not None)])
    scale = axis(bars.unit, [most], zero=True, room=0.04)
    bottom = TOP + ROW * len(bars.bars)

    def place(value: float) -> float:
        return left + (width - left - 20) * scale.place(value)

    parts = [text(0, 15, short(bars.title, width, 14), size=14, more='font-weight="600"')]
    for value, said in scale.ticks[:: 2 if len(scale.ticks) > 5 else 1]:
        said = words.written(said)
        parts += [line(place(value), TOP - 4, place(value), bottom), text(place(value), bottom + 16, said, anchor="middle")]
    below = words("chart.by", unit=bars.unit, axis=bars.axis)
    fits = width_of(below) <= width - left  # below the bars; otherwise below all
    at = (left + width) / 2 if fits else width / 2
    parts.append(text(at, bottom + 34, short(below, width), anchor="middle"))
    two = any(bar.before is not None for bar in bars.bars)
    for n, (bar, label) in enumerate(zip(bars.bars, labels, strict=True)):
        top = TOP + ROW * n
        parts.append(text(left - 8, top + 14, label, anchor="end"))
        if two:
            parts.append(rect(left, top + 2, place(bar.before or 0.0) - left, 8, HOLLOW))
        parts.append(rect(left, top + (11 if two else 4), place(bar.after or 0.0) - left, 8 if two else 13, FILLED))
    if two:
        parts += [rect(left, 26, 16, 8, HOLLOW), text(left + 21, 34, words("chart.original"))]
        after = left + 35 + width_of(words("chart.original"))
        parts += [rect(after, 26, 16, 8, FILLED), text(after + 21, 34, words("chart.release"))]
    return Drawing(width, bottom + FOOT, "".join(parts), bars.title)


def draw_charts(charts: Sequence[Bars], label: str, words: Words) -> Drawing:
    """Charts below each other in one drawing."""
    return stacked([draw_bars(chart, words, width=560.0) for chart in charts], label)


def draw_cut(blocks: Sequence[Block], title: str, words: Words) -> Drawing:
    """The hierarchy from its leaves up, the published nodes filled."""
    levels = max((block.level for block in blocks), default=0) + 1
    ends = words("chart.root"), words("chart.leaves")
    left, high = 12 + max(map(width_of, ends)), 24.0
    parts = [text(0, 15, short(title, WIDE, 14), size=14, more='font-weight="600"')]
    for block in blocks:
        x, wide = left + (WIDE - left) * block.start, (WIDE - left) * (block.stop - block.start)
        y = 26 + high * (levels - 1 - block.level)
        filled = FILLED if block.in_cut else 'fill="currentColor" fill-opacity=".1"'
        parts.append(rect(x + 0.4, y, wide - 0.8, high - 2, filled))
        said = short(block.label, wide - 6, 11)
        if len(said) > 5 or said == block.label:
            white = 'fill="#fff"' if block.in_cut else ""
            parts.append(text(x + wide / 2, y + 15, said, anchor="middle", size=11, more=white))
    parts += [text(0, 42, ends[0]), text(0, 26 + high * levels - 9, ends[1])]
    return Drawing(WIDE, 30 + high * levels, "".join(parts), title)


FOUND = SERIES[4]
PALE = 'fill="currentColor" fill-opacity=".18"'
STEP, BESIDE = 14.0, 20  # from one person to the next; people in a line
PERSON = "M0,-5.6a2.2,2.2 0 1,1 -.01,0zM-3.5,5.2v-2.2a3.5,3.2 0 0,1 7,0v2.2z"
PEOPLE_WIDE, HIGH = 200.0, 10.0


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
    bar = rect(0, 0, PEOPLE_WIDE, HIGH, f'rx="3" {PALE}') + rect(0, 0, PEOPLE_WIDE * share, HIGH, f'rx="3" {_fill(colour)}')
    return Drawing(PEOPLE_WIDE, HIGH, bar, said)


def _fill(colour: str) -> str:
    return f'fill="{colour}"'
