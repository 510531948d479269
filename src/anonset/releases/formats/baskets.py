"""The published item sets as FIMI: one line of numbers a record, and a dictionary of them in the guide."""

from itertools import count
from pathlib import Path

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated, ParameterError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems
from anonset.model.release import Release
from anonset.releases.formats.tokens import Guide, coded, items_from_tokens, joined, split, token_sets

CHUNK = 500_000  # records turned into text at a time


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guide says what the numbers mean."""
    if release.items is None or release.columns:
        raise ParameterError("the format fimi holds item sets and nothing else; choose csv, parquet or jsonl")
    sets = token_sets(release.items, original.item_column)
    used = [sets.tokens[c] for c in np.unique(sets.codes)]
    number = _numbers(used, _named(release.items))
    texts = [str(number.get(token, "")) for token in sets.tokens]
    guide = sets.guide | {"numbers": {str(value): token for token, value in number.items() if str(value) != token}}
    bounds = None
    if sets.errors is not None:
        start = max(number.values(), default=0) + 1
        guide["errors_from"] = start  # the last number of a line, less this one, is the error bound
        bounds = pl.Series(sets.errors.astype(np.int64) + start).cast(pl.String)
    with path.open("wb") as file:
        for first in range(0, len(release), CHUNK):
            last = min(first + CHUNK, len(release))
            lines = joined(*sets.part(first, last), texts, " ")
            if bounds is not None:
                lines = (lines + " " + bounds[first:last]).str.strip_chars_start()
            pl.DataFrame({"line": lines.replace("", None)}).write_csv(file, include_header=False, quote_style="never")
    return [guide]


def read(
    path: Path, guides: list[Guide], original: Dataset, suppressed: Ids
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """The published items of a file that `write` wrote."""
    assert original.transactions is not None
    (guide,) = guides
    lines, errors = split_lines(path, guide)
    offsets, tokens = split(lines, " ")
    numbers, codes = coded(tokens)
    texts = [guide["numbers"].get(number, number) for number in numbers]
    return (), items_from_tokens((offsets, texts, codes), errors, guide, original.transactions.domain, suppressed)


def split_lines(path: Path, guide: Guide) -> tuple[pl.Series, Ids | None]:
    """The lines of the file without their error bounds, and these where it has some."""
    lines = _lines(path)
    if "errors_from" not in guide:
        return lines, None
    bound = lines.str.extract(r"(\d+)$").cast(pl.Int64) - guide["errors_from"]
    if bound.null_count():
        raise GuaranteeViolated(f"{path.name}: a record has no error bound")
    return lines.str.replace(r" ?\d+$", ""), bound.to_numpy().astype(np.int32)


def _named(items: PublishedItems) -> list[str]:
    """The items that the records tell of; what they do not tell of must not show in the numbers either."""
    if isinstance(items, GeneralizedItems):
        shown = np.zeros(len(items.labels), np.bool_)
        shown[items.shown] = True
        told = np.unique(items.labels.members[np.repeat(shown, items.labels.sizes)])
    else:
        told = np.union1d(items.base, items.distance)
    return [items.domain[i] for i in told]


def _numbers(tokens: list[str], domain: list[str]) -> dict[str, int]:
    """The number of each token: its own where all items are numbers and it is one of them, else one that no item has."""
    own = {name: int(name) for name in domain if name.isascii() and name.isdecimal() and str(int(name)) == name}
    if len(own) < len(domain):
        own = {}
    fresh = count(max(own.values(), default=0) + 1)
    return {token: own[token] if token in own else next(fresh) for token in tokens}


def _lines(path: Path) -> pl.Series:
    text = path.read_text("utf-8").removesuffix("\n")
    whole = pl.Series("line", [text], dtype=pl.String)
    return whole.str.split("\n").explode() if text or path.stat().st_size else whole.clear()
