"""Small pieces of HTML that a notebook shows: everything is escaped, nothing is loaded, light and dark both work."""

from collections.abc import Iterable, Sequence
from html import escape

LINE = "1px solid rgba(127,127,127,.35)"
LONGEST = 80  # characters of a cell


def card(title: str, *parts: str) -> str:
    """A titled box with parts below each other; empty parts are left out."""
    style = f"border:{LINE};border-radius:6px;padding:.6em 1em;margin:.3em 0;max-width:70em;line-height:1.45"
    return f'<div style="{style}"><div style="font-weight:600">{escape(title)}</div>{"".join(parts)}</div>'


def line(text: str, *, mark: str = "") -> str:
    """A line of text; `mark` is a sign in front of it."""
    return f'<div style="margin:.25em 0">{escape(mark + " " if mark else "")}{escape(text)}</div>'


def heading(text: str) -> str:
    """A small heading."""
    return f'<div style="margin:.7em 0 .1em;opacity:.75">{escape(text)}</div>'


def bullets(lines: Iterable[str]) -> str:
    """A list of sentences."""
    found = "".join(f"<li>{escape(text)}</li>" for text in lines)
    return f'<ul style="margin:.2em 0 .2em 1.4em;padding:0">{found}</ul>' if found else ""


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """A table; long cells are cut. Numbers are aligned to the right, and it scrolls where it is too wide."""
    cell = f"padding:.15em .7em .15em 0;border-bottom:{LINE};vertical-align:top"
    head = "".join(f'<th scope="col" style="{cell};text-align:left">{escape(text)}</th>' for text in header)
    body = "".join(f"<tr>{''.join(_cell(value, cell) for value in row)}</tr>" for row in rows)
    said = f'<caption style="text-align:left;opacity:.75">{escape(caption)}</caption>' if caption else ""
    inner = f"{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.2em 0">{inner}</table></div>'


def side_by_side(*parts: str) -> str:
    """Parts next to each other, below each other where there is no room."""
    found = "".join(f'<div style="flex:1 1 20em;min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 2em">{found}</div>'


def _cell(value: object, style: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (
            f'<td style="{style};text-align:right">{value:,.4g}</td>'
            if isinstance(value, float)
            else (f'<td style="{style};text-align:right">{value:,}</td>')
        )
    text = "" if value is None else str(value)
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f'<td style="{style};text-align:left">{escape(shown)}</td>'
