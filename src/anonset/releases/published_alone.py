"""Uncertain item sets read from published/ alone, as somebody who was handed a release reads them."""

from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple, cast

import polars as pl

from anonset.errors import InputError
from anonset.kernels.recode import collapse
from anonset.model.labels import UncertainItems
from anonset.model.literals import plain
from anonset.model.release_files import damage
from anonset.model.sets import places_in, take
from anonset.releases.originals import published_folder
from anonset.runtime.native_panics import without_panic
from anonset.verify.reading.formats import READERS
from anonset.verify.reading.promises import read_about
from anonset.verify.reading.written import DOUBTS, WrittenDoubts, WrittenValues


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
    file, read = READERS[about["format"]]
    path, guides = place / file, about["attributes"]
    sets = next((guide["name"] for guide in guides if guide["kind"] == DOUBTS), None)
    if sets is None:
        raise InputError("has no uncertain item sets; those come from nr-k, nr-l, gray-ring and cahd", file=folder)
    try:
        with without_panic(f"{path}: cannot be read as about.json explains it"):
            found = read(path, guides)
            exact = [guide["name"] for guide in guides if guide["role"] in ("sensitive", "other")]
            columns = {name: _texts(cast(WrittenValues, found[name])) for name in exact}
            return PublishedSets(_items(cast(WrittenDoubts, found[sets])), columns)
    except Exception as error:
        raise InputError(f"cannot be read as about.json explains it: {damage(error)}", file=path) from None


def _items(written: WrittenDoubts) -> UncertainItems:
    """The sets over all items that any of them names."""
    names = [cast(list[str], list(sets.number)) for sets in (written.base, written.uncertain)]
    domain = tuple(sorted({*names[0], *names[1]}))
    both = zip((written.base, written.uncertain), names, strict=True)
    base, doubt = (collapse(sets.offsets, places_in(domain, some)[sets.codes]) for sets, some in both)
    return UncertainItems(*base, *doubt, written.errors, domain)


def _texts(written: WrittenValues) -> pl.Series:
    """Exact values as texts: whole numbers without a point, nothing where a value is missing."""
    texts = [*map(_text, written.number), None]
    return pl.Series([texts[c] for c in written.codes.tolist()], dtype=pl.String)


def _text(look: Hashable) -> str:
    value = look[0] if isinstance(look, tuple) else look
    return str(plain(value) if isinstance(value, float) else value)
