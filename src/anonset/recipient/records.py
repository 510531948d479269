"""The published records of a release as codes of labels, from published/ alone: all at once, or one part after the other."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.release_files import damage
from anonset.recipient.query import Fields
from anonset.recipient.regions import Value
from anonset.runtime.native_panics import without_panic
from anonset.verify.reading.formats import read_fimi_part, reader_of
from anonset.verify.reading.promises import published_half, read_about
from anonset.verify.reading.written import DOUBTS, WrittenDoubts, WrittenSets, WrittenValues

TYPED = ("parquet", "feather")
CONTINUOUS = 10.0
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ShownValues:
    """Record r shows the label codes[r], or a missing value where that is -1.

    Labels are ranges from low to high, or sets of values. `anything` marks those that may also stand for a missing value.
    """

    codes: Ids
    low: Reals
    high: Reals
    members: Sequence[tuple[Value, ...]]
    anything: Mask

    @property
    def are_ranges(self) -> bool:
        """Whether labels are ranges of numbers."""
        return len(self.low) > 0

    def __len__(self) -> int:
        return len(self.anything)

    def sizes(self, *, whole: bool) -> Reals:
        """How many values each label stands for; a range of numbers that are not whole counts as `CONTINUOUS` if it is wide."""
        if not self.are_ranges:
            return np.array([len(values) for values in self.members], np.float64)
        width = self.high - self.low
        return width + 1.0 if whole else np.where(width > 0, CONTINUOUS, 1.0)

    @property
    def texts(self) -> list[str]:
        """A name for each label that is the same in every part."""
        if self.are_ranges:
            return [f"{low!r}:{high!r}" for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)]
        return [repr(values) for values in self.members]


@dataclass(frozen=True, slots=True, eq=False)
class ShownSets:
    """Record r shows the texts[c] for c in codes[offsets[r] : offsets[r + 1]]."""

    offsets: Offsets
    codes: Ids
    texts: Sequence[str]

    @property
    def owners(self) -> Rows:
        """The record of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True, slots=True, eq=False)
class ShownDoubts:
    """Record r shows a base set, items that may be wrong in it, and how many of these are at most."""

    base: ShownSets
    uncertain: ShownSets
    errors: Ids


@dataclass(frozen=True, slots=True, eq=False)
class ShownBatch:
    """Some published records: all, or those of one part."""

    records: int
    columns: Mapping[str, ShownValues]
    items: ShownSets | ShownDoubts | None


@dataclass(frozen=True, slots=True)
class Extent:
    """What all labels of a column together cover: numbers from low to high, or values."""

    low: float
    high: float
    values: frozenset[Value]
    whole: bool  # all numbers are whole


class PublishedRecords:
    """The files of a release, read when they are needed."""

    def __init__(self, folder: Path) -> None:
        self.place = published_half(folder)
        try:
            self.about: dict[str, Any] = read_about(self.place / "about.json")
            file, self._read = reader_of(self.about["format"])
        except GuaranteeViolated as error:
            raise InputError(f"cannot be opened: {error}", file=folder) from None
        self.path = self.place / file
        if not self.path.exists():
            raise InputError("the published file is missing", file=self.path)
        self.files = sorted(self.path.glob("part-*")) if self.path.is_dir() else [self.path]
        guides = self.about["attributes"]
        self.guides: dict[str, dict[str, Any]] = {guide["name"]: guide for guide in guides if guide["role"] != "items"}
        self.item_guide: dict[str, Any] | None = next((guide for guide in guides if guide["role"] == "items"), None)
        self.fields = Fields(
            {name: guide["kind"] == "numeric" for name, guide in self.guides.items()},
            None if self.item_guide is None else self.item_guide["name"],
        )
        listed = (self.item_guide or {}).get("generalized", {})
        self._members: dict[str, Names] = {text: tuple(names) for text, names in listed.items()}
        self._extents: dict[str, Extent] = {}
        self._measured = not self.in_parts or self.typed

    def __len__(self) -> int:
        return int(self.about["records"])

    @property
    def in_parts(self) -> bool:
        """Whether the records are in several files, which are read one after the other."""
        return self.path.is_dir()

    @property
    def typed(self) -> bool:
        """Whether files have whole columns, of which some can be read without the others."""
        return self.about["format"] in TYPED

    @property
    def members(self) -> dict[str, Names]:
        """The items behind each label of several."""
        self._measure_texts()
        return self._members

    @property
    def uncertain(self) -> bool:
        """Whether item sets are uncertain."""
        return self.item_guide is not None and self.item_guide["kind"] == DOUBTS

    def members_of(self, text: str) -> Names:
        """The items behind a label."""
        return self.members.get(text, (text,))

    @property
    def left_out(self) -> int:
        """The records of the original that are not published."""
        return int(self.about.get("suppressed_records", 0))

    @property
    def suppressed(self) -> int:
        """The items that are in no published record, whoever has them."""
        return int((self.item_guide or {}).get("suppressed_items", 0))

    @property
    def share_missing(self) -> float:
        """The share of all item occurrences that may be missing from the records that have them."""
        return max((float(g["share"]) for g in self.about["guarantees"] if g["id"] == "partial-items"), default=0.0)

    def batches(self, columns: Sequence[str], *, items: bool) -> Iterator[ShownBatch]:
        """All records with these columns, and their items where they are asked for."""
        if not self.in_parts:
            yield self._typed_file if self.typed else self._all
            return
        self._measure_texts()
        for file in self.files:
            yield self._typed(file, columns, items=items) if self.typed else self._texts(file)

    @cached_property
    def _typed_file(self) -> ShownBatch:
        return self._typed(self.path, list(self.guides), items=self.item_guide is not None)

    def _written(self, file: Path) -> Mapping[str, Any]:
        """What a file shows of each attribute, by the reader of texts."""
        try:
            with without_panic(f"{file}: cannot be read as about.json explains it"):
                if self.in_parts and self.about["format"] == "fimi":  # a part need not show every number
                    return read_fimi_part(file, self.about["attributes"])[0]
                return self._read(file, self.about["attributes"])
        except Exception as error:
            raise InputError(f"cannot be read as about.json explains it: {damage(error)}", file=file) from None

    @cached_property
    def _all(self) -> ShownBatch:
        return self._checked(self._texts(self.path))

    def _texts(self, file: Path) -> ShownBatch:
        """The records of a file, by the reader of texts."""
        found = self._written(file)
        columns = {name: self._values(cast(WrittenValues, found[name]), name) for name in self.guides}
        items: ShownSets | ShownDoubts | None = None
        n = max((len(values.codes) for values in columns.values()), default=0)
        if self.item_guide is not None:
            written = found[self.item_guide["name"]]
            items = _doubts(written) if isinstance(written, WrittenDoubts) else self._sets(cast(WrittenSets, written))
            n = len(items.errors) if isinstance(items, ShownDoubts) else len(items.offsets) - 1
        return ShownBatch(n, columns, items)

    def _measure_texts(self) -> None:
        """Find out once what the labels of all parts stand for and cover together, where parts are texts."""
        if self._measured:
            return
        self._measured = True
        looks: dict[str, dict[Any, None]] = {name: {} for name in self.guides}
        for file in self.files:
            found = self._written(file)
            for name, seen in looks.items():
                seen |= dict.fromkeys(found[name].number)
            if self.item_guide is not None and self.item_guide["kind"] != DOUBTS:
                self._sets(cast(WrittenSets, found[self.item_guide["name"]]))
        for name, seen in looks.items():
            self._labels(np.zeros(0, np.int32), list(seen), name)

    def _checked(self, batch: ShownBatch) -> ShownBatch:
        sizes = {len(values.codes) for values in batch.columns.values()}
        if isinstance(batch.items, ShownDoubts):
            sizes.add(len(batch.items.errors))
        elif batch.items is not None:
            sizes.add(len(batch.items.offsets) - 1)
        if sizes - {len(self)}:
            raise InputError(f"has {min(sizes)} records; about.json says {len(self)}", file=self.path)
        return batch

    def _sets(self, written: WrittenSets) -> ShownSets:
        """Labels by their texts; those that the records spell out, as JSON lines do, get one."""
        texts = []
        for look in written.number:
            names = (look,) if isinstance(look, str) else cast(Names, look)
            text = names[0] if len(names) == 1 else json.dumps(names, ensure_ascii=False)
            if len(names) > 1:
                self._members[text] = names
            texts.append(text)
        return ShownSets(written.offsets, written.codes, texts)

    def _values(self, written: WrittenValues, name: str) -> ShownValues:
        return self._labels(written.codes, list(written.number), name)

    def _labels(self, codes: Ids, looks: Sequence[Any], name: str) -> ShownValues:
        """The labels of a column from how they look in the file: a text, a number, a pair or the values themselves."""
        guide = self.guides[name]
        listed: Mapping[str, Any] = guide.get("generalized", {})
        if guide["labels"] == "ranges":
            ends = [_ends(look, listed) for look in looks]
            low, high = (np.array([pair[side] for pair in ends], np.float64) for side in (0, 1))
            if name not in self._extents:
                whole = bool((low == np.floor(low)).all() and (high == np.floor(high)).all())
                self._extents[name] = Extent(low.min(initial=np.inf), high.max(initial=-np.inf), frozenset(), whole)
            extent = self._extents[name]
            anything = (low <= extent.low) & (high >= extent.high) & (guide["role"] == "quasi")
            return ShownValues(codes, low, high, (), anything)
        number = guide["kind"] == "numeric"
        members = [_values_of(look, listed, number=number) for look in looks]
        if name not in self._extents:
            everything = frozenset(value for values in members for value in values)
            self._extents[name] = Extent(0.0, 0.0, everything, _are_whole(everything))
        covered = self._extents[name].values
        anything = np.array([guide["role"] == "quasi" and covered <= set(values) for values in members], np.bool_)
        return ShownValues(codes, np.zeros(0), np.zeros(0), members, anything)

    def _typed(self, file: Path, columns: Sequence[str], *, items: bool) -> ShownBatch:
        """The records of a Parquet or Feather file: whole columns at once."""
        named = [column for name in columns for column in _columns(self.guides[name])]
        named += _columns(self.item_guide) if items and self.item_guide is not None else []
        try:
            with without_panic(f"{file}: cannot be read as about.json explains it"):
                if self.about["format"] == "feather":
                    frame = pl.read_ipc(file.read_bytes(), columns=named or None)
                elif named:
                    frame = pl.read_parquet(file, columns=named)
                else:
                    return ShownBatch(int(self.scan([file]).select(pl.len()).collect().item()), {}, None)
                found = {name: self._typed_values(frame, name) for name in columns}
                sets = self._typed_items(frame) if items else None
        except (pl.exceptions.PolarsError, OSError, KeyError) as error:
            raise InputError(f"cannot be read as about.json explains it: {damage(error)}", file=file) from None
        batch = ShownBatch(frame.height, found, sets)
        return batch if self.in_parts else self._checked(batch)

    def _typed_values(self, frame: pl.DataFrame, name: str) -> ShownValues:
        guide = self.guides[name]
        self._measure_extent(name)
        if guide["labels"] == "ranges":
            sides = guide.get("columns", {"lo": guide.get("column"), "hi": guide.get("column")})
            low, high = (frame[sides[side]].cast(pl.Float64) for side in ("lo", "hi"))
            codes, pairs = _pairs(low, high)
            return self._labels(codes, pairs, name)
        codes, looks = _coded(frame[guide["column"]])
        return self._labels(codes, looks, name)

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Files of whole columns, read no further than is needed."""
        return pl.scan_ipc(files) if self.about["format"] == "feather" else pl.scan_parquet(files)

    def _measure_extent(self, name: str) -> None:
        """Find out once what all labels of a column cover, over all parts."""
        if name in self._extents or not self.in_parts:
            return
        guide, scan = self.guides[name], self.scan(self.files)
        if guide["labels"] == "ranges":
            sides = guide.get("columns", {"lo": guide.get("column"), "hi": guide.get("column")})
            low, high = pl.col(sides["lo"]).cast(pl.Float64), pl.col(sides["hi"]).cast(pl.Float64)
            whole = (low == low.floor()).all() & (high == high.floor()).all()
            found = scan.select(low.min().alias("low"), high.max().alias("high"), whole.alias("whole")).collect(
                engine="streaming"
            )
            least, most, is_whole = found.row(0)
            self._extents[name] = Extent(
                np.inf if least is None else least, -np.inf if most is None else most, frozenset(), bool(is_whole)
            )
            return
        looks = scan.select(pl.col(guide["column"]).drop_nulls().unique()).collect(engine="streaming").to_series().to_list()
        listed, number = guide.get("generalized", {}), guide["kind"] == "numeric"
        everything = frozenset(value for look in looks for value in _values_of(look, listed, number=number))
        self._extents[name] = Extent(0.0, 0.0, everything, _are_whole(everything))

    def _typed_items(self, frame: pl.DataFrame) -> ShownSets | ShownDoubts:
        guide = self.item_guide
        assert guide is not None
        if guide["kind"] == DOUBTS:
            base, uncertain, errors = (frame[guide["columns"][part]] for part in ("base", "uncertain", "errors"))
            return ShownDoubts(_lists(base), _lists(uncertain), errors.to_numpy().astype(np.int32))
        return _lists(frame[guide["column"]])

    def is_whole(self, name: str) -> bool:
        """Whether all numbers of a column are whole, as far as is published."""
        if name not in self._extents:
            for _ in self.batches([name], items=False):
                break
        return self._extents[name].whole

    def ends_of(self, name: str) -> tuple[float, float]:
        """The least and the largest number that a column of ranges can have."""
        self.is_whole(name)
        return self._extents[name].low, self._extents[name].high

    def values_of(self, name: str) -> list[Value]:
        """All values that labels of a column of sets stand for, in order."""
        self.is_whole(name)
        return sorted(self._extents[name].values)


def _ends(look: Any, listed: Mapping[str, Any]) -> tuple[float, float]:
    if isinstance(look, tuple):
        return float(look[0]), float(look[1])
    if look in listed:
        return float(listed[look]["lo"]), float(listed[look]["hi"])
    return float(look), float(look)


def _values_of(look: Any, listed: Mapping[str, Any], *, number: bool) -> tuple[Value, ...]:
    values = look if isinstance(look, tuple) else listed.get(look, (look,))
    return tuple(float(value) if number else str(value) for value in values)


def _are_whole(values: frozenset[Value]) -> bool:
    return all(isinstance(value, float) and value.is_integer() for value in values)


def _columns(guide: Mapping[str, Any]) -> list[str]:
    """The columns of the file that hold an attribute."""
    return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]


def _coded(column: pl.Series) -> tuple[Ids, list[Any]]:
    """The place of each value among those that occur, -1 where it is missing; and these."""
    looks = column.drop_nulls().unique()
    if column.dtype != pl.String:
        looks = looks.sort()
        codes = np.searchsorted(looks.to_numpy(), column.fill_null(0).to_numpy()).astype(np.int32)
        codes[column.is_null().to_numpy()] = -1
        return codes, looks.to_list()
    codes = column.cast(pl.Enum(looks)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int32)
    return codes, looks.to_list()


def _pairs(low: pl.Series, high: pl.Series) -> tuple[Ids, list[tuple[float, float]]]:
    """The place of each range among those that occur, -1 where it is missing; and these."""
    both = pl.DataFrame({"low": low, "high": high})
    distinct = both.drop_nulls().unique().sort("low", "high").with_row_index("code")
    joined = both.join(distinct, on=["low", "high"], how="left", maintain_order="left")
    codes = joined["code"].cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int32)
    return codes, distinct.select("low", "high").rows()


def _lists(column: pl.Series) -> ShownSets:
    """Lists of texts as sets of codes."""
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = column.filter(pl.Series(lengths > 0)).explode()
    codes, texts = _coded(flat)
    return ShownSets(np.concatenate([[0], np.cumsum(lengths)]), codes, texts)


def _doubts(written: WrittenDoubts) -> ShownDoubts:
    base, uncertain = (
        ShownSets(s.offsets, s.codes, [str(look) for look in s.number]) for s in (written.base, written.uncertain)
    )
    return ShownDoubts(base, uncertain, written.errors)
