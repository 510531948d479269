"""A release as a notebook shows it to its owner: what is promised and found, what it is good for, and rows on both sides."""

import polars as pl

from anonset.measure.usefulness import Usefulness
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.frames import dataset_frame, frame_in_order
from anonset.report.promises import promises
from anonset.report.words import words_of
from anonset.runtime.html_cards import bullets, card, heading, line, side_by_side, table

ROWS = 5


def release_card(
    original: Dataset, release: Release, *, verdict: Verdict | None, useful: Usefulness | None, refused: str, aligned: bool
) -> str:
    """The card of a release; what was not looked into is said."""
    words = words_of("en").counting(original.unit)
    kept = promises(release, original.item_column, words)
    return card(
        f"{repr(release)[1:-1].partition(';')[0]}",
        heading("The promise"),
        bullets(f"{p['words']} ({p['name']})" for p in kept) or line(words("verdict.no_promise")),
        _found(verdict),
        line(f"It would not be handed out: {refused}", mark="✗") if refused else "",
        heading("Still good for"),
        bullets(useful.sentences) if useful is not None else line("release.usefulness() tells."),
        _rows(original, release) if aligned else "",
    )


def _found(verdict: Verdict | None) -> str:
    if verdict is None:
        return line("Not yet checked: release.verify() does.")
    if verdict.holds:
        return line(f"The check finds that it holds: {', '.join(finding.guarantee for finding in verdict.findings)}.", mark="✓")
    worst = next(finding for finding in verdict.findings if finding.state != "holds") if verdict.findings else None
    told = "nothing was checked" if worst is None else f"{worst.guarantee} {worst.state}: {worst.worst}"
    return line(f"The check does NOT find that it holds: {told}", mark="✗")


def _rows(original: Dataset, release: Release) -> str:
    """The first rows, and what is published of them: only the owner may see both."""
    picked = release.take(release.rows.argsort(kind="stable")[:ROWS])
    after = frame_in_order(picked, original)
    before = dataset_frame(original.take(picked.rows))
    before = before.select([name for name in before.columns if name in after.columns])
    note = heading("The first rows before and after: this view is for the owner of the data")
    return note + side_by_side(_table(before, "before"), _table(after, "after"))


def _table(frame: pl.DataFrame, caption: str) -> str:
    return table(frame.columns, [[_text(value) for value in row] for row in frame.rows()], caption=caption)


def _text(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
