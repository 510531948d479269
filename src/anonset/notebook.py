"""HTML that values show in a notebook: text is escaped, nothing is loaded, and it works on light and dark."""

from collections.abc import Iterable, Sequence
from html import escape

LINE = "1px solid rgba(127,127,127,.35)"
LONGEST = 80  # characters of a cell


def card(title: str, *parts: str) -> str:
    """Return a titled box with parts below each other."""
    style = f"border:{LINE};border-radius:6px;padding:.6em 1em;margin:.3em 0;max-width:70em;line-height:1.45"
    return f'<div style="{style}"><div style="font-weight:600">{escape(title)}</div>{"".join(parts)}</div>'


def line(text: str, *, mark: str = "") -> str:
    """Return a line of text; `mark` is a sign before it."""
    return f'<div style="margin:.25em 0">{escape(mark + " " if mark else "")}{escape(text)}</div>'


def heading(text: str) -> str:
    """Return a small heading."""
    return f'<div style="margin:.7em 0 .1em;opacity:.75">{escape(text)}</div>'


def bullets(lines: Iterable[str]) -> str:
    """Return a list of sentences."""
    lines_html = "".join(f"<li>{escape(text)}</li>" for text in lines)
    return f'<ul style="margin:.2em 0 .2em 1.4em;padding:0">{lines_html}</ul>' if lines_html else ""


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """Return a table that scrolls where it is too wide; numbers are aligned right, and long cells are cut."""
    cell = f"padding:.15em .7em .15em 0;border-bottom:{LINE};vertical-align:top"
    head = "".join(f'<th scope="col" style="{cell};text-align:left">{escape(text)}</th>' for text in header)
    body = "".join(f"<tr>{''.join(_cell(value, cell) for value in row)}</tr>" for row in rows)
    title = f'<caption style="text-align:left;opacity:.75">{escape(caption)}</caption>' if caption else ""
    inner = f"{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.2em 0">{inner}</table></div>'


def side_by_side(*parts: str) -> str:
    """Return parts next to each other, or below each other where the page is narrow."""
    columns = "".join(f'<div style="flex:1 1 20em;min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 2em">{columns}</div>'


def _cell(value: object, style: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (
            f'<td style="{style};text-align:right">{value:,.4g}</td>'
            if isinstance(value, float)
            else (f'<td style="{style};text-align:right">{value:,}</td>')
        )
    text = "" if value is None else str(value)
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f'<td style="{style};text-align:left">{escape(cut)}</td>'
