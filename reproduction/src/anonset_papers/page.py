"""The page of a reproduction: a summary of all claims, then each with its figures."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anonset import __version__
from anonset_papers.claims import Result

ANSWERS = ("holds", "does not hold", "cannot be tested here")


def write_results(results: Sequence[Result], path: Path, *, quick: bool) -> None:
    """Everything as JSON."""
    rows = [{**asdict(result), "paper": result.paper} for result in results]
    whole = {"version": __version__, "quick": quick, "counts": count_answers(results), "results": _plain(rows)}
    path.write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def count_answers(results: Sequence[Result]) -> dict[str, int]:
    """How many claims have which answer."""
    return {answer: sum(result.answer == answer for result in results) for answer in ANSWERS}


def write_page(results: Sequence[Result], path: Path, *, titles: Mapping[str, str], quick: bool, command: str = "") -> None:
    """Write the page; needs the `report` extra."""
    path.write_text(reproduction_page(results, titles=titles, quick=quick, command=command), encoding="utf-8", newline="\n")


def reproduction_page(results: Sequence[Result], *, titles: Mapping[str, str], quick: bool, command: str = "") -> str:
    """The HTML of the page."""
    from anonset.report.rendering import render
    from anonset_papers.drawing import draw

    papers = dict.fromkeys(result.paper for result in results)
    return render(
        "reproduction.html",
        also="anonset_papers",
        papers=[(paper, titles.get(paper, ""), [r for r in results if r.paper == paper]) for paper in papers],
        counts=count_answers(results),
        drawings={result.id: [draw(plot) for plot in result.plots] for result in results},
        quick=quick,
        command=command,
        version=__version__,
    )


def _plain(value: Any) -> Any:
    """JSON knows no infinity."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
