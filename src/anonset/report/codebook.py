"""What is handed out with the records to say how to read and to count them: README.md and the page codebook.html.

Like the certificate, both say nothing but what follows from the published files and the promise.
"""

import html
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.releases.about import Exactness
from anonset.report.certificate import column_rows
from anonset.report.first_page import counted_words, opening, people_alike, promises
from anonset.report.rendering import render
from anonset.report.snippets import DATABASE, CountQuestion, questions, snippets
from anonset.report.words import Words

CODEBOOK, README = "codebook.html", "README.md"
MARKED = re.compile(r"([\\`*_\[\]|~])")  # signs that Markdown reads


def codebook(
    original: Dataset, release: Release, guide: Mapping[str, Any], cover: Cover, words: Words, seen: Exactness, *, parts: bool
) -> dict[str, Any]:
    """The codebook as plain data, in the order in which it is read; `release` has no private half.

    Of the original it takes the names of what labels stand for, and the column of the items, as the certificate does.
    `seen` is of all records, also where the release is one of several `parts`.
    """
    shown = [*map(seen.column, range(len(release.columns))), seen.items]
    kinds = {one["name"]: _kind(one, share) for one, share in zip(guide["attributes"], shown, strict=False)}
    used = set(kinds.values())
    rows = column_rows(release, seen, original.item_column, words)
    return {
        **opening(release, cover, words, untitled=""),
        "records": {"published": guide["records"], "left_out": guide["suppressed_records"]},
        "file": guide["file"],
        "promises": promises(release, original.item_column, words),
        "counted": counted_words(replace(original, gathered=None), words)["words"],
        "columns": [row | {"reading": words(f"codebook.{kinds[row['name']]}")} for row in rows],
        "kinds": [(words(f"codebook.{name}"), words(f"codebook.{text}")) for name, (text, of) in LABELS.items() if of & used],
        "width": words("codebook.width", width=words.number(seen.width, 1)) if seen.width is not None else "",
        "avoid": _avoid(release, guide, words),
        "widened": _widened(guide, words),
        "questions": [_asked(question, guide, words, parts=parts) for question in questions(original, release)],
        "export": f"anonset export . --duckdb {DATABASE}",
    }


def _kind(attribute: Mapping[str, Any], exact: float) -> str:
    """What one value of an attribute is, where this share of all is exact."""
    if attribute["role"] == "items":
        return "doubts" if attribute["kind"] == "uncertain set" else "exact_set" if exact == 1.0 else "set"
    if attribute["labels"] == "ranges":
        return "exact_number" if exact == 1.0 else "number"
    return "exact_value" if exact == 1.0 else "value"


LABELS = {  # the kinds of labels: the text that explains each, and the kinds of attributes that show it
    "exact": ("exact_is", {"number", "value", "set", "exact_number", "exact_value", "exact_set"}),
    "range": ("range_is", {"number"}),
    "group": ("group_is", {"value"}),
    "anything": ("anything_is", {"number", "value"}),
    "missing": ("missing_is", {"number", "value", "exact_number", "exact_value"}),
    "some": ("some_is", {"set"}),
    "marked": ("marked_is", {"doubts"}),
}
ASKED = {"items": "ask_items", "uncertain": "ask_items", "ranges": "ask_ranges", "values": "ask_items"}


def _avoid(release: Release, guide: Mapping[str, Any], words: Words) -> list[str]:
    said = [words("codebook.no_labels"), words("codebook.no_filter"), words("codebook.no_middle")]
    alike = people_alike(release.guarantees)
    said += [words("codebook.no_few", k=words.number(alike))] if alike is not None and alike > 1 else []
    said += (
        [words("codebook.no_left_out", left_out=words.number(guide["suppressed_records"]))]
        if guide["suppressed_records"]
        else []
    )
    return [*said, words("codebook.no_order"), words("codebook.no_person")]


def _widened(guide: Mapping[str, Any], words: Words) -> list[str]:
    """What moves the bounds beyond the labels."""
    items: Mapping[str, Any] = next((one for one in guide["attributes"] if one["role"] == "items"), {})
    shares = [one["share"] for one in guide["guarantees"] if one["id"] == "partial-items"]
    said = (
        [words("codebook.left_out", left_out=words.number(guide["suppressed_records"]))] if guide["suppressed_records"] else []
    )
    said += (
        [words("codebook.suppressed", number=words.number(items["suppressed_items"]))] if items.get("suppressed_items") else []
    )
    said += [words("codebook.partial", share=words.percent(max(shares)))] if shares and max(shares) else []
    return said + ([words("codebook.margins")] if "margins" in guide else [])


def _asked(question: CountQuestion, guide: Mapping[str, Any], words: Words, *, parts: bool) -> dict[str, Any]:
    values = {
        "attribute": question.attribute,
        "value": question.value,
        "low": f"{question.low:g}",
        "high": f"{question.high:g}",
    }
    return {
        "words": words(f"codebook.{ASKED[question.kind]}", **values),
        "command": f"anonset count . {shlex.quote(question.condition)}",
        "programs": list(snippets(guide, question, parts=parts).items()),
    }


def codebook_pages(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    cover: Cover,
    words: Words,
    seen: Exactness,
    examples: list[tuple[str, str]],
    *,
    parts: bool = False,
) -> dict[str, str]:
    """The text of each of both files by its name; `examples` are labels with what they stand for."""
    page = codebook(original, release, guide, cover, words, seen, parts=parts)
    values: dict[str, Any] = {"words": words, "page": page, "examples": examples}
    return {
        CODEBOOK: render("codebook.html", **values),
        README: render("readme.md", **values, md=_markdown, fenced=_fenced),
    }


def _markdown(text: object) -> str:
    """A text that Markdown shows as it is, on one line."""
    return MARKED.sub(r"\\\1", html.escape(" ".join(str(text).split()), quote=False))


def _fenced(text: str, language: str = "") -> str:
    """A block of code that nothing in it can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
