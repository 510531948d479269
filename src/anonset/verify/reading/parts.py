"""The verifier's own reader of releases in parts: a part as a table, records sorted back to groups, and tables in slices for
those who read them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from json import dumps, loads
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems
from anonset.model.release import Provenance, Release
from anonset.model.release_files import damage
from anonset.runtime.native_panics import without_panic
from anonset.verify.reading.formats import read_fimi_part, reader_of, require_shown
from anonset.verify.reading.promises import promised, require_known
from anonset.verify.reading.written import (
    DOUBTS,
    Attributes,
    Guide,
    Written,
    WrittenDoubts,
    WrittenSets,
    WrittenValues,
    column_of,
    items_of,
)

READER = "\x00reader"
PLACE = np.dtype(np.int64)
OWN_TEXTS = pl.CompatLevel.oldest()  # a newer stream holds the texts of all rows in every slice


def write_slices(frame: pl.DataFrame, reader: Rows, n: int, path: Path) -> None:
    """Write the rows of each reader 0 .. n-1, in their order; `reader` says whose each row is."""
    marked = frame.rechunk().with_columns(pl.Series(READER, reader))
    slices = marked.partition_by(READER, as_dict=True, include_key=False)
    places = np.zeros(n + 1, PLACE)
    with path.open("wb") as file:
        file.write(places.tobytes())
        for number in range(n):
            places[number] = file.tell()
            rows = slices.pop((number,), None)
            if rows is not None:
                stream = BytesIO()
                rows.write_ipc_stream(stream, compression="zstd", compat_level=OWN_TEXTS)
                file.write(stream.getbuffer())
        places[n] = file.tell()
        file.seek(0)
        file.write(places.tobytes())
    assert not slices, "every row has a reader"


def read_slice(path: Path, number: int) -> pl.DataFrame | None:
    """The rows of one reader; None if it has none."""
    with path.open("rb") as file:
        file.seek(number * PLACE.itemsize)
        start, stop = np.frombuffer(file.read(2 * PLACE.itemsize), PLACE).tolist()
        file.seek(start)
        return pl.read_ipc_stream(BytesIO(file.read(stop - start))) if stop > start else None


def read_slices(path: Path) -> Iterator[pl.DataFrame]:
    """The rows of one reader after the other."""
    with path.open("rb") as file:
        n = int(np.frombuffer(file.read(PLACE.itemsize), PLACE)[0]) // PLACE.itemsize - 1
    for number in range(n):
        rows = read_slice(path, number)
        if rows is not None:
            yield rows


ROW, BEHIND, GROUP = "\x00row", "\x00behind", "\x00group"
TYPED = ("parquet", "feather")  # formats whose files are tables of typed columns
BASE, UNCERTAIN, ERRORS = "\x00base", "\x00uncertain", "\x00errors"  # after the name of an attribute


def records_name(about: Guide) -> str:
    """The name of the file with the records; of a release in parts, of the folder with the files of its parts."""
    return reader_of(about["format"])[0]


def part_name(about: Guide, number: int) -> str:
    """The name of the file of a part."""
    return f"part-{number:06}{Path(records_name(about)).suffix}"


def part_frame(path: Path, about: Guide) -> pl.DataFrame:
    """The records of a part as a table: of a typed file its columns, of any other what each attribute looks like, as JSON."""
    if about["format"] == "parquet":
        return _table(path)
    try:
        with without_panic(f"{path.name} cannot be read as about.json explains it"):
            if about["format"] == "feather":
                return pl.read_ipc(path.read_bytes())
            return _looks(_read(path, about)[0], about["attributes"])
    except GuaranteeViolated:
        raise
    except Exception as error:
        raise GuaranteeViolated(f"{path.name} cannot be read as about.json explains it: {damage(error)}") from None


def shown_numbers(path: Path, about: Guide) -> list[str]:
    """The numbers that a part shows of those that about.json explains, where items are published as numbers."""
    if "numbers" not in about["attributes"][-1]:
        return []
    return sorted(_read(path, about)[1] & about["attributes"][-1]["numbers"].keys())


def _read(path: Path, about: Guide) -> tuple[Attributes, set[str]]:
    """What each attribute of a part shows, and the numbers that it shows."""
    if about["format"] == "fimi":
        return read_fimi_part(path, about["attributes"])
    return reader_of(about["format"])[1](path, about["attributes"]), set()


def _looks(attributes: Attributes, guides: Sequence[Guide]) -> pl.DataFrame:
    """The looks of all records as JSON texts."""
    frame: dict[str, pl.Series] = {}
    for guide in guides:
        name, written = guide["name"], attributes[guide["name"]]
        if isinstance(written, WrittenValues):
            texts = pl.Series([*map(dumps, written.number), None], dtype=pl.String)
            frame[name] = texts.gather(np.where(written.codes < 0, len(texts) - 1, written.codes))
        elif isinstance(written, WrittenSets):
            frame[name] = _lists(written)
        else:
            frame |= {name + BASE: _lists(written.base), name + UNCERTAIN: _lists(written.uncertain)}
            frame[name + ERRORS] = pl.Series(written.errors)
    return pl.DataFrame(frame)


def _lists(written: WrittenSets) -> pl.Series:
    """One list a record, of JSON texts."""
    texts, n = pl.Series([*map(dumps, written.number)], dtype=pl.String), len(written)
    owner = np.repeat(np.arange(n), np.diff(written.offsets))
    filled = pl.DataFrame({"record": owner, "look": texts.gather(written.codes)}).group_by("record", maintain_order=True)
    every = pl.DataFrame({"record": np.arange(n)}).join(filled.agg("look"), on="record", how="left", maintain_order="left")
    return every.select(pl.col("look").fill_null(pl.lit([], dtype=pl.List(pl.String)))).to_series()


class ShownRecords(NamedTuple):
    """What a table of published records shows."""

    columns: tuple[PublishedColumn, ...]
    items: PublishedItems | None


def read_records(frame: pl.DataFrame, about: Guide, original: Dataset) -> ShownRecords:
    """What a table of published records shows; `original` needs to know the domains only."""
    guides, typed = about["attributes"], about["format"] in TYPED
    named = [name for guide in guides for name in frame_columns(guide, typed=typed)]
    if frame.columns != named:
        odd = min(set(frame.columns) ^ set(named), default="")
        raise GuaranteeViolated(f"a part and about.json disagree about the column {odd!r}")
    columns: list[PublishedColumn] = []
    items: PublishedItems | None = None
    for guide in guides:
        written = _typed(frame, guide) if typed else _untyped(frame, guide)
        looks = {} if isinstance(written, WrittenDoubts) else written.number
        if isinstance(written, WrittenValues):
            columns.append(column_of(written, _without_unused(guide, looks), original.column(guide["name"])))
        else:
            assert original.transactions is not None
            domain = original.transactions.domain
            items = items_of(written, _without_unused(guide, looks), domain, _suppressed(about, original))
    return ShownRecords(tuple(columns), items)


def read_part(frame: pl.DataFrame, about: Guide, original: Dataset, rows: Rows) -> Release:
    """The release that a table of published records shows; `original` needs to know the domains only."""
    return Release(*read_records(frame, about, original), promised(about, None), Provenance(str(about["algorithm"])), rows)


def _typed(frame: pl.DataFrame, guide: Guide) -> Written:
    """What typed columns show of an attribute."""
    if guide["role"] == "items":
        return _doubts(frame, guide) if guide["kind"] == DOUBTS else _sets(frame[guide["column"]], guide)
    return _ranges(frame, guide) if guide["labels"] == "ranges" else _texts(frame[guide["column"]], guide)


def _untyped(frame: pl.DataFrame, guide: Guide) -> Written:
    """What JSON texts show of an attribute."""
    name = guide["name"]
    if guide["role"] != "items":
        texts, codes = _coded(frame[name], name)
        values = WrittenValues()
        values.extend([*map(_look, texts), None], np.where(codes < 0, len(texts), codes))
        return values
    if guide["kind"] != DOUBTS:
        return _unspelled(_sets(frame[name], guide))
    base, uncertain = (_unspelled(_sets(frame[name + part], guide)) for part in (BASE, UNCERTAIN))
    return WrittenDoubts.of(base, uncertain, frame[name + ERRORS].to_numpy())


def _unspelled(texts: WrittenSets) -> WrittenSets:
    """The sets of the looks that JSON texts spell."""
    owner = np.repeat(np.arange(len(texts)), np.diff(texts.offsets))
    found = WrittenSets()
    found.extend([_look(str(text)) for text in texts.number], texts.codes.astype(np.int64), owner, len(texts))
    return found


def _look(text: str) -> Any:
    value = loads(text)
    return tuple(value) if isinstance(value, list) else value


def read_all_parts(folder: Path, about: Guide, original: Dataset) -> ShownRecords:
    """What all parts of a folder show, one after the other; raises if about.json explains anything else."""
    paths = sorted(folder.iterdir())
    frame = pl.concat([part_frame(path, about) for path in paths], rechunk=True)
    found = read_records(frame, about, original)
    shown = Release(*found, (), Provenance(""), np.arange(frame.height))
    numbers = sorted({number for path in paths for number in shown_numbers(path, about)})
    require_explained(about, explained(shown, about) | {NUMBERS: numbers}, frame.height)
    return found


def _suppressed(about: Guide, original: Dataset) -> Ids:
    """The suppressed items, if the private half lists them."""
    assert original.transactions is not None
    names = set(about.get("suppressed", ()))
    return np.array([i for i, name in enumerate(original.transactions.domain) if name in names], np.int32)


def read_part_file(path: Path, about: Guide, original: Dataset) -> Release:
    """The release that one published file shows."""
    frame = part_frame(path, about)
    return read_part(frame, about, original, np.arange(frame.height))


def _table(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, memory_map=False)
    except (pl.exceptions.PolarsError, OSError):
        raise GuaranteeViolated(f"{path.name} cannot be read as Parquet") from None


def sort_back(frame: pl.DataFrame, rows: Path, bounds: Rows, copy: Path, matches: Path | None = None) -> None:
    """Write the published records of a part in slices, one for each run of input rows; `bounds` are the first of the runs.

    With `matches` the copy also has the input rows that each record may be of, and the group that they are in.
    """
    behind = _table(rows)["input_row"]
    if len(behind) != frame.height or behind.dtype != pl.Int64 or behind.null_count():
        raise GuaranteeViolated(f"{rows.name} must name one input row for each of {frame.height} records")
    if matches is not None:
        may_be = _table(matches)
        if may_be.schema != {"input_rows": pl.List(pl.Int64), "group": pl.Int64} or may_be.height != frame.height:
            raise GuaranteeViolated(f"{matches.name} must name a group and input rows for each of {frame.height} records")
        frame = frame.with_columns(may_be["input_rows"].alias(BEHIND), may_be["group"].alias(GROUP))
    found = behind.to_numpy()
    if found.min(initial=0) < 0 or found.max(initial=0) >= bounds[-1]:
        raise GuaranteeViolated(f"{rows.name} names a row that the input does not have")
    run = np.searchsorted(bounds, found, side="right") - 1
    write_slices(frame.with_columns(behind.alias(ROW)), run, len(bounds) - 1, copy)


def back_frame(copies: Sequence[Path], run: int, n: int, first: int) -> pl.DataFrame:
    """What is published of a run of n input rows that begin with row `first`: of each of them one record, in their order."""
    slices = [rows for path in copies if (rows := read_slice(path, run)) is not None]
    frame = pl.concat(slices, rechunk=True).sort(ROW) if slices else pl.DataFrame({ROW: []}, {ROW: pl.Int64})
    if frame.height != n or not np.array_equal(frame[ROW].to_numpy() - first, np.arange(n)):
        raise GuaranteeViolated(f"{n} input records are expected to be published once each; {frame.height} are named")
    return frame


def read_back(copies: Sequence[Path], run: int, about: Guide, original: Dataset, first: int) -> Release:
    """What is published of a piece of the input that begins with row `first`: of each of its rows one record."""
    frame = back_frame(copies, run, len(original), first)
    return read_part(_published(frame), about, original, np.arange(len(original)))


def _published(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that are published."""
    return frame.drop(ROW, BEHIND, GROUP, strict=False)


def read_matched(frame: pl.DataFrame, about: Guide, original: Dataset, numbers: Rows) -> Release:
    """What is published of a group of originals, whose rows in the input ascend, and which may be behind each record."""
    release = read_part(_published(frame), about, original, np.arange(frame.height))
    return replace(release, assignments=_assignments(frame[BEHIND], numbers))


def read_matches(folder: Path, n: int) -> NDArray[np.int64]:
    """The assignments of all parts, in their order."""
    parts = [_table(path)["input_rows"] for path in sorted(folder.iterdir())]
    return _assignments(pl.concat(parts), np.arange(n))


def _assignments(may_be: pl.Series, numbers: Rows) -> NDArray[np.int64]:
    """Row a maps each original to the record that it is mapped to by assignment a; -1 where it is mapped to none."""
    width = set(may_be.list.len().to_list())
    if len(width) != 1 or may_be.dtype != pl.List(pl.Int64):
        raise GuaranteeViolated("each record must be named one input row by each assignment")
    found = may_be.explode().to_numpy().reshape(len(may_be), -1)
    place = np.minimum(np.searchsorted(numbers, found), len(numbers) - 1)
    if (numbers[place] != found).any():
        raise GuaranteeViolated("an assignment names an input row that is not in its group")
    assignments = np.full(found.shape[::-1], -1, np.int64)
    for a, originals in enumerate(place.T):
        assignments[a, originals] = np.arange(len(originals))
    return assignments


def read_rows(folder: Path) -> Rows:
    """The input row behind each record of all parts, in their order."""
    return np.concatenate([_table(path)["input_row"].to_numpy() for path in sorted(folder.iterdir())]).astype(np.int64)


def tokens_of(guide: Guide, domain: Sequence[str]) -> list[str]:
    """All texts that an attribute of sets may show, in one order."""
    return sorted({*domain, *guide.get("generalized", {})})


def token_numbers(texts: Sequence[str], tokens: Sequence[str]) -> NDArray[np.int64]:
    """The place of each text among the tokens; raises if one is not there."""
    place = {token: n for n, token in enumerate(tokens)}
    try:
        return np.array([place[text] for text in texts], np.int64)
    except KeyError as error:
        raise GuaranteeViolated(f"a part shows {error.args[0]!r}, which the release does not list") from None


def explained(release: Release, about: Guide) -> dict[str, list[str]]:
    """The labels of each attribute that a part shows and about.json explains."""
    texts = {column.name: column.labels.texts for column in release.columns}
    items = release.items.labels.texts if isinstance(release.items, GeneralizedItems) else ()
    return {
        guide["name"]: sorted(guide["generalized"].keys() & set(texts.get(guide["name"]) or items))
        for guide in about["attributes"]
        if "generalized" in guide
    }


NUMBERS = "\x00numbers"  # the numbers that are shown, where items are published as numbers


def require_explained(about: Guide, seen: dict[str, list[str]], records: int) -> None:
    """Raise if about.json explains labels or numbers that no part shows, or gives another number of records."""
    require_known(about)
    require_shown(about["attributes"][-1], set(seen.get(NUMBERS, ())))
    for guide in about["attributes"]:
        unseen = guide.get("generalized", {}).keys() - set(seen.get(guide["name"], ()))
        if unseen:
            raise GuaranteeViolated(f"{guide['name']}: about.json explains {min(unseen)!r}, which no record shows")
    if about["records"] != records:
        raise GuaranteeViolated(f"the parts have {records} records; about.json says {about['records']}")


def frame_columns(guide: Guide, *, typed: bool) -> list[str]:
    """The columns of a table of published records that hold an attribute."""
    if typed:
        return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]
    doubts = guide["role"] == "items" and guide["kind"] == DOUBTS
    return [guide["name"] + part for part in ((BASE, UNCERTAIN, ERRORS) if doubts else ("",))]


def _without_unused(guide: Guide, looks: Mapping[Any, int]) -> Guide:
    """The guide without what this part does not show; that some part does is looked at over all of them."""
    return guide | {"generalized": {look: said for look, said in guide.get("generalized", {}).items() if look in looks}}


def _coded(column: pl.Series, name: str) -> tuple[list[str], Ids]:
    if column.dtype != pl.String:
        raise GuaranteeViolated(f"{name}: texts are expected; got {column.dtype}")
    looks = column.drop_nulls().unique().sort().to_list()
    codes = column.cast(pl.Enum(looks)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return looks, codes.astype(np.int32)


def _texts(column: pl.Series, guide: Guide) -> WrittenValues:
    return WrittenValues.of(*_coded(column, guide["name"]))


def _ranges(frame: pl.DataFrame, guide: Guide) -> WrittenValues:
    """Pairs of numbers, or one for both ends."""
    sides = guide.get("columns", {"lo": guide.get("column"), "hi": guide.get("column")})
    low, high = frame[sides["lo"]], frame[sides["hi"]]
    if not (low.dtype.is_numeric() and low.dtype == high.dtype) or (low.is_null() != high.is_null()).any():
        raise GuaranteeViolated(f"{guide['name']}: a published range must have two numbers")
    there = low.is_not_null().to_numpy()
    ends = np.stack([low.drop_nulls().to_numpy(), high.drop_nulls().to_numpy()])
    pairs, code = np.unique(ends, axis=1, return_inverse=True)
    codes = np.full(frame.height, -1, np.int32)
    codes[there] = code.reshape(-1)
    return WrittenValues.of(zip(*pairs.tolist(), strict=True), codes)


def _doubts(frame: pl.DataFrame, guide: Guide) -> WrittenDoubts:
    base, uncertain, errors = (frame[guide["columns"][name]] for name in ("base", "uncertain", "errors"))
    if not errors.dtype.is_integer() or errors.null_count():
        raise GuaranteeViolated(f"{guide['name']}: each record must say how many items may be wrong")
    return WrittenDoubts.of(_sets(base, guide), _sets(uncertain, guide), errors.to_numpy())


def _sets(column: pl.Series, guide: Guide) -> WrittenSets:
    if column.dtype != pl.List(pl.String):
        raise GuaranteeViolated(f"{guide['name']}: lists of texts are expected; got {column.dtype}")
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    looks, codes = _coded(column.filter(pl.Series(lengths > 0)).explode(), guide["name"])
    if (codes < 0).any():
        raise GuaranteeViolated(f"{guide['name']}: an item of a record is missing")
    owner = np.repeat(np.arange(len(lengths)), lengths)
    keys = np.sort(owner * max(1, len(looks)) + codes, kind="stable")
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]  # many times quicker than np.unique
    offsets = np.searchsorted(keys, np.arange(len(lengths) + 1) * max(1, len(looks)))
    return WrittenSets.of(looks, offsets, (keys % max(1, len(looks))).astype(np.int32))
