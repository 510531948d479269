"""Uncertain item sets read from published/ alone, as somebody who was handed a release reads them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from anonset.errors import AnonsetError, InputError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets
from anonset.model.labels import UncertainItems
from anonset.model.numbers import plain
from anonset.model.sets import rows_of, take
from anonset.releases.folder import read_about
from anonset.releases.formats import CODECS, baskets, delimited
from anonset.releases.formats.items import UNCERTAIN
from anonset.releases.formats.sets import CERTAIN, DOUBTED, POSSIBLE, coded, exploded, split, uncertain
from anonset.releases.formats.tokens import Guide
from anonset.releases.originals import published_folder


class PublishedSets(NamedTuple):
    """The item sets a release shows, over the items it names, and the values of its exact columns as texts."""

    items: UncertainItems
    columns: dict[str, pl.Series]

    def where(self, column: str, value: str) -> "PublishedSets":
        """The records that show the value in a column."""
        if column not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise InputError(f"there is no column {column!r} with exact values; there are: {names}")
        kept = (self.columns[column] == value).fill_null(False).to_numpy()
        if not kept.any():
            raise InputError(f"no record shows {column} as {value!r}")
        items = self.items
        base, doubt = take(items.base_offsets, items.base, kept), take(items.distance_offsets, items.distance, kept)
        shown = UncertainItems(*base, *doubt, items.threshold[kept], items.domain)
        return PublishedSets(shown, {name: values.filter(pl.Series(kept)) for name, values in self.columns.items()})


def read_published_sets(folder: Path) -> PublishedSets:
    """What published/ shows: a release folder, or the published half of one."""
    place = published_folder(folder)
    about = read_about(place / "about.json")
    path = place / CODECS[about["format"]].file
    guides: list[Guide] = about["attributes"]
    if all(guide["kind"] != UNCERTAIN for guide in guides):
        raise InputError("has no uncertain item sets; those come from nr-k, nr-l, gray-ring and cahd", file=folder)
    try:
        return _READERS[about["format"]](path, guides)
    except (AnonsetError, pl.exceptions.PolarsError, OSError, ValueError, TypeError, LookupError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot be read as about.json explains it: {reason}", file=path) from None


def _csv(path: Path, guides: list[Guide]) -> PublishedSets:
    frame, guide = delimited.read_texts(path, guides), _of_sets(guides)
    tokens = split(frame[guide["column"]], guide["separator"])
    items = _from_tokens(*tokens, frame[guide["errors_column"]].cast(pl.Int32).to_numpy(), guide["marks"])
    return PublishedSets(items, {other["name"]: frame[other["column"]].replace("", None) for other in _exact(guides)})


def _fimi(path: Path, guides: list[Guide]) -> PublishedSets:
    guide = _of_sets(guides)
    lines, errors = baskets.split_lines(path, guide)
    assert errors is not None, "uncertain sets have bounds"
    offsets, numbers = split(lines, " ")
    return PublishedSets(_from_tokens(offsets, numbers.replace(guide["numbers"]), errors, guide["marks"]), {})


def _parquet(path: Path, guides: list[Guide]) -> PublishedSets:
    frame, guide = pl.read_parquet(path), _of_sets(guides)
    base, doubt, errors = (frame[guide["columns"][part]] for part in ("base", "uncertain", "errors"))
    texts = {other["name"]: _texts(frame[other["column"]].to_list()) for other in _exact(guides)}
    return PublishedSets(_from_lists(exploded(base), exploded(doubt), errors.to_numpy()), texts)


def _jsonl(path: Path, guides: list[Guide]) -> PublishedSets:
    with path.open(encoding="utf-8") as file:
        records: list[dict[str, Any]] = [json.loads(line) for line in file]
    cells = [record[_of_sets(guides)["name"]] for record in records]
    base, doubt = (exploded(pl.Series([cell[p] for cell in cells], dtype=pl.List(pl.String))) for p in ("base", "uncertain"))
    items = _from_lists(base, doubt, np.array([cell["errors"] for cell in cells], np.int32))
    names = [guide["name"] for guide in _exact(guides)]
    return PublishedSets(items, {name: _texts([record[name] for record in records]) for name in names})


_READERS = {"csv": _csv, "parquet": _parquet, "jsonl": _jsonl, "fimi": _fimi}


def _of_sets(guides: list[Guide]) -> Guide:
    return next(guide for guide in guides if guide["kind"] == UNCERTAIN)


def _exact(guides: list[Guide]) -> list[Guide]:
    """The attributes that are published as they are."""
    return [guide for guide in guides if guide["role"] in ("sensitive", "other")]


def _texts(values: list[Any]) -> pl.Series:
    """Values as texts: whole numbers without a point, nothing where a value is missing."""
    texts = [None if value is None else str(plain(value) if isinstance(value, float) else value) for value in values]
    return pl.Series(texts, dtype=pl.String)


def _from_tokens(offsets: Offsets, tokens: pl.Series, errors: Ids, marks: Guide) -> UncertainItems:
    """The sets whose items are spelled with marks."""
    texts, codes = coded(tokens)
    names, states = zip(*(unmarked(text, marks) for text in texts), strict=True) if texts else ((), ())
    domain = tuple(sorted(set(names)))
    place = {name: i for i, name in enumerate(domain)}
    shown = np.array([3 * place[name] + state for name, state in zip(names, states, strict=True)], np.int32)[codes]
    order = np.lexsort((shown, rows_of(offsets)))
    return uncertain(offsets, shown[order], errors.astype(np.int32), domain)


def _from_lists(base: tuple[Offsets, pl.Series], doubt: tuple[Offsets, pl.Series], errors: Ids) -> UncertainItems:
    """The sets given as lists of the base and of the uncertain items."""
    domain, codes = coded(pl.concat([base[1].cast(pl.String), doubt[1].cast(pl.String)]))
    parts = collapse(base[0], codes[: len(base[1])]), collapse(doubt[0], codes[len(base[1]) :])
    return UncertainItems(*parts[0], *parts[1], errors.astype(np.int32), tuple(domain))


def unmarked(token: str, marks: Guide) -> tuple[str, int]:
    """The item that a token is about, and its state; the marks are such that no item looks like a marked one."""
    for state, mark in ((POSSIBLE, marks["possible"]), (DOUBTED, marks["doubted"])):
        before, after = mark.split("ITEM")
        if token.startswith(before) and token.endswith(after) and len(token) >= len(before) + len(after):
            return token[len(before) : len(token) - len(after)], state
    return token, CERTAIN
