"""Drawings as SVG text: for pages, notebooks and files, in the colour of the text around them, light and dark alike."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import NamedTuple

# Okabe and Ito's colours, which colour-blind readers can tell apart
SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#777777", "#B8A800")
BLUE, GREY = SERIES[0], "#8a8a8a"
DASHES = ("", "7 4", "2 3", "8 3 2 3")
CHARACTER = 0.56  # of the size of a text: how wide a character is, about
SIZE = 12
FONT = "font-family:system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
MARKERS: tuple[str, ...] = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "M-3.6,-3.6h7.2v7.2h-7.2z",
    "M0,-5L5,0L0,5L-5,0z",
    "M0,-5L4.6,3.6h-9.2z",
    "M0,5L4.6,-3.6h-9.2z",
    "M-1.6,-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "M0,-5.6L1.5,-1.8L5.5,-1.7L2.4,0.8L3.4,4.7L0,2.5L-3.4,4.7L-2.4,0.8L-5.5,-1.7L-1.5,-1.8z",
    "M-4.5,-2.5l2,-2l2.5,2.5l2.5,-2.5l2,2l-2.5,2.5l2.5,2.5l-2,2l-2.5,-2.5l-2.5,2.5l-2,-2l2.5,-2.5z",
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture as SVG; a notebook shows it, a page takes its text, and `save` writes a file."""

    width: float
    height: float
    body: str
    label: str

    def __str__(self) -> str:
        size = f'viewBox="0 0 {number(self.width)} {number(self.height)}" style="{FONT};max-width:100%;height:auto"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" role="group" aria-label="{escape(self.label)}" {size}'
        return f'{head} width="{number(self.width)}" fill="currentColor">{self.body}</svg>'

    def __repr__(self) -> str:
        return f"<Drawing: {self.label}>"

    def _repr_html_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> None:
        """Write an SVG file."""
        Path(path).write_text(str(self) + "\n", encoding="utf-8", newline="\n")


def stacked(drawings: Sequence[Drawing], label: str) -> Drawing:
    """Drawings below each other."""
    bodies, top = [], 0.0
    for drawing in drawings:
        bodies.append(f'<g transform="translate(0 {number(top)})">{drawing.body}</g>')
        top += drawing.height
    return Drawing(max((drawing.width for drawing in drawings), default=1.0), max(1.0, top), "".join(bodies), label)


def number(value: float) -> str:
    """A length as SVG has it, the same text for the same drawing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def width_of(text: str, size: float = SIZE) -> float:
    """About how wide a text is."""
    return sum(2.0 if ord(sign) > 0x2E80 else 1.0 for sign in text) * CHARACTER * size


def short(text: str, room: float, size: float = SIZE) -> str:
    """The text, cut to the room there is."""
    most = max(1, int(room / (CHARACTER * size)))
    return text if len(text) <= most else text[: most - 1] + "…"


def text(x: float, y: float, said: str, *, anchor: str = "start", size: float = SIZE, more: str = "") -> str:
    """A line of text; everything in it is escaped."""
    place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" font-size="{number(size)}"'
    return f"<text {place} {more}>{escape(said)}</text>"


def line(x1: float, y1: float, x2: float, y2: float, more: str = 'stroke="currentColor" stroke-opacity=".15"') -> str:
    """A straight line."""
    return f'<path d="M{number(x1)},{number(y1)}L{number(x2)},{number(y2)}" {more}/>'


def rect(x: float, y: float, width: float, height: float, more: str) -> str:
    """A rectangle."""
    sides = f'x="{number(x)}" y="{number(y)}" width="{number(max(0.0, width))}" height="{number(height)}"'
    return f"<rect {sides} {more}/>"


def polyline(points: Iterable[tuple[float, float]], more: str) -> str:
    """Points joined by a line."""
    return f'<polyline points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}" fill="none" {more}/>'


def marker(shape: int, x: float, y: float, colour: str, size: float = 1.0) -> str:
    """The mark of a series."""
    place = f"translate({number(x)} {number(y)}) scale({number(size)})"
    return f'<path d="{MARKERS[shape % len(MARKERS)]}" transform="{place}" fill="{colour}"/>'


def ring(x: float, y: float, colour: str, radius: float) -> str:
    """A circle around a point."""
    place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    return f'<circle {place} fill="none" stroke="{colour}" stroke-width="1.8"/>'


def joined(points: Iterable[tuple[float, float]], colour: str, dashes: str) -> str:
    """The line of a series."""
    return polyline(points, f'stroke="{colour}" stroke-width="1.4" stroke-dasharray="{dashes}"')


def series_sign(series: int) -> Callable[[float, float], str]:
    """What stands for a series in a legend: its line and its mark."""
    colour, shape, dashes = look(series)
    return lambda x, y: joined([(x - 10, y), (x + 10, y)], colour, dashes) + marker(shape, x, y, colour)


def look(series: int) -> tuple[str, int, str]:
    """Colour, marker and dashes of a series; what has the colour of another has its own line and marker."""
    turn = series // len(SERIES)
    return SERIES[series % len(SERIES)], (series + turn) % len(MARKERS), DASHES[turn % len(DASHES)]


Entry = tuple[Callable[[float, float], str], str]  # a sign of a legend, and what it stands for


class Axis(NamedTuple):
    """What an axis shows: its words, its ends, whether by ratios, and where it is marked with what."""

    words: str
    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Where a value is, from 0 at the lower end to 1 at the upper."""
        low, high, here = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return (here - low) / (high - low) if high > low else 0.5


def axis(words: str, values: Sequence[float], *, log: bool = False, room: float = 0.06, zero: bool = False) -> Axis:
    """An axis over the values, some room at its ends, with marks at round numbers; `zero`: it starts at 0."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if log:
        low, high = low / (high / low) ** room, high * (high / low) ** room
        low, high = (low, high) if high > low else (low / 2, high * 2)
        return Axis(words, low, high, True, tuple((tick, f"{tick:.4g}") for tick in _log_ticks(low, high)))
    low = min(0.0, low) if zero else low
    margin = room * (high - low) or abs(high) * 0.1 or 1.0
    low, high = (low if zero else low - margin), high + margin
    step = _step((high - low) / 5)
    first = math.ceil(low / step)
    ticks = [step * n for n in range(first, math.floor(high / step + 1e-9) + 1)]
    return Axis(words, low, high, False, tuple((tick, f"{tick:.6g}") for tick in ticks))


def _step(least: float) -> float:
    """The first of 1, 2 and 5 times a power of ten that is large enough."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * part for part in (1.0, 2.0, 5.0, 10.0) if power * part >= least * 0.999)


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    parts = (1, 2, 5) if len(powers) <= 4 else (1,)
    found = [part * 10.0**power for power in powers for part in parts]
    return [tick for tick in found if low <= tick <= high]


class PlotFrame(NamedTuple):
    """The space of a plot inside a drawing, with its axes."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is drawn."""
        return self.left + self.width * self.x.place(x), self.top + self.height * (1.0 - self.y.place(y))

    def draw(self, size: float = SIZE) -> str:
        """The grid, the marks and the words of both axes."""
        bottom, right = self.top + self.height, self.left + self.width
        parts = []
        for value, said in self.x.ticks:
            x = self.left + self.width * self.x.place(value)
            parts += [line(x, self.top, x, bottom), text(x, bottom + 1.3 * size, said, anchor="middle", size=size)]
        for value, said in self.y.ticks:
            y = self.top + self.height * (1.0 - self.y.place(value))
            parts += [line(self.left, y, right, y), text(self.left - 6, y + 0.35 * size, said, anchor="end", size=size)]
        middle = self.top + self.height / 2
        turned = f'transform="rotate(-90 {number(size)} {number(middle)})"'
        parts.append(text(self.left + self.width / 2, bottom + 2.9 * size, self.x.words, anchor="middle", size=size))
        parts.append(text(size, middle, short(self.y.words, self.height * 1.2, size), anchor="middle", size=size, more=turned))
        return "".join(parts)


def legend(entries: Sequence[Entry], left: float, top: float, width: float) -> tuple[str, float]:
    """Signs with their names in lines as wide as there is room, and where they end."""
    parts, x, y = [], left, top
    for sign, name in entries:
        said = short(name, width - 30)
        needed = 28 + width_of(said) + 14
        if x > left and x + needed > left + width:
            x, y = left, y + 18
        parts += [sign(x + 10, y), text(x + 26, y + 4, said)]
        x += needed
    return "".join(parts), y + 18 if entries else top
