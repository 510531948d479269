"""Recode batches of records by a rule, and write them to the published parts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from anonset.algorithms import run as run_algorithm
from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.pcta import ConstraintBased, grouped_release
from anonset.algorithms.recoding import KmByHierarchy, km_release
from anonset.data.formats import RELEASE_FORMATS
from anonset.data.formats.base import Guide, ReleaseFormat
from anonset.data.formats.parquet import from_typed_frame, typed_frame
from anonset.data.formats.tokens import states, uncertain
from anonset.engine.domains import Answer, packed, unpacked
from anonset.engine.questions import Context, Summed
from anonset.engine.shuffle import Slices, spill, whole
from anonset.engine.source import BatchRef
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.ends import with_ends
from anonset.model.guarantees import guarantee_data
from anonset.model.labels import GeneralizedItems, PublishedItems, UncertainItems
from anonset.model.release import Provenance, Release
from anonset.model.serialization import to_builtins
from anonset.releases.folder import with_sorted_labels
from anonset.releases.margins import hidden_counts


class Rule(Protocol):
    """A recoding that is decided once and then applied to every batch."""

    def apply(self, batch: Dataset) -> Release:
        """Return the published records of a batch, all of them."""
        ...


@dataclass(frozen=True, eq=False)
class CutRule:
    """Generalizes every item to its node; columns stay as they are."""

    algorithm: KmByHierarchy
    nodes: Ids

    def apply(self, batch: Dataset) -> Release:
        """Return the published records of a batch."""
        return km_release(self.algorithm, batch, self.nodes)


@dataclass(frozen=True, eq=False)
class ClusterRule:
    """Replaces every item by its cluster, or suppresses it; columns stay as they are."""

    algorithm: ConstraintBased
    cluster_of: Ids

    def apply(self, batch: Dataset) -> Release:
        """Return the published records of a batch."""
        return grouped_release(self.algorithm, batch, self.cluster_of)


@dataclass(frozen=True, eq=False)
class AloneRule:
    """Runs the algorithm on each partition separately."""

    algorithm: Algorithm

    def apply(self, batch: Dataset) -> Release:
        """Return the published records of a partition."""
        return run_algorithm(self.algorithm, batch)


ROW = "\x00row"  # the number of the input record; no input column can have this name
SHOWN, PUBLISHED, ROWS = "shown", "published", "rows.parquet"
MATCHES = "matches.parquet"  # for each record the input rows that assignments map to it, one each, and their group
BEHIND, GROUP = "\x00behind", "\x00group"
HIDDEN = (ROW, BEHIND, GROUP)


@dataclass(frozen=True, eq=False)
class Publish(Summed):
    """Recodes the batches by a rule, and writes the records in slices for the published parts."""

    rule: Rule
    parts: int
    name: ClassVar[str] = "recoding"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Return where the records of a batch are for each part, and the meaning of their labels."""
        number, ref = unit
        rows = np.arange(ref.first, ref.first + ref.rows)
        return published(self.rule, [(context.batch(ref), rows)], self.parts, context, number)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Merge two answers, with one meaning of labels."""
        return both_guided(first, second)


def both_guided(first: Answer, second: Answer) -> Answer:
    """Merge two answers, with one meaning of labels."""
    rest = {key: np.concatenate([first[key], second[key]]) for key in first if key != "said"}
    return rest | {"said": asjson(_merged_meanings(unjson(first["said"]), unjson(second["said"])))}


def _merged_meanings(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    """Merge guides, guarantees and suppressed items of two batches."""
    return {
        "guides": merged_guides(one["guides"], two["guides"]),
        "guarantees": [weaker(a, b) for a, b in zip(one["guarantees"], two["guarantees"], strict=True)],
        "suppressed": sorted({*one["suppressed"], *two["suppressed"]}),
    }


def weaker(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return the guarantee that two batches have together; they may differ only in the share of missing items."""
    if "share" in first and second == first | {"share": second["share"]}:
        return first | {"share": max(first["share"], second["share"])}
    assert first == second, "all parts are made by one algorithm"
    return first


def published(rule: Rule, batches: Iterable[tuple[Dataset, Rows]], parts: int, context: Context, number: int) -> Answer:
    """Recode each batch by the rule, and write all published records to one file."""
    recoded = [_recoded(rule, batch, rows, context, number) for batch, rows in batches]
    said = to_builtins(reduce(_merged_meanings, (said for _, said in recoded)))
    frame = pl.concat([frame for frame, _ in recoded])
    answer = spill(frame, _buckets(frame, said["guides"], parts), parts, context.work / SHOWN, number)
    return answer | {"said": asjson(said), "batches": np.array([len(recoded)], np.int64)}


def _recoded(rule: Rule, batch: Dataset, rows: Rows, context: Context, number: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the published records of a batch with their input rows, and guides, guarantees and suppressed items."""
    release = with_ends(batch, rule.apply(batch), context.ends)
    if len(release) != len(batch):
        raise InfeasibleError("records would be left out, which data in batches do not allow; set no suppression limit")
    columns, items = with_sorted_labels(release.columns, release.items)  # without unused labels
    frame, guides = typed_frame(replace(release, columns=columns, items=items), context.roster, part=True)
    frame = frame.with_columns(pl.Series(ROW, rows[release.rows]))
    if release.assignments is not None:
        behind = pl.Series(BEHIND, rows[_inverse(release.assignments)])
        frame = frame.with_columns(behind, pl.lit(number, pl.Int64).alias(GROUP))
    gone = items.suppressed.tolist() if isinstance(items, GeneralizedItems) else []
    return frame, {
        "guides": guides,
        "guarantees": [guarantee_data(guarantee) for guarantee in release.guarantees],
        "suppressed": sorted(items.domain[i] for i in gone) if items is not None else [],
    }


def _inverse(assignments: Rows) -> Rows:
    """Return for each published record the original that each assignment maps to it."""
    behind = np.empty(assignments.shape[::-1], np.int64)
    for a, assigned in enumerate(assignments):
        behind[assigned, a] = np.arange(len(assigned))
    return behind


def _buckets(frame: pl.DataFrame, guides: Sequence[Guide], parts: int) -> Rows:
    """Return the part of each record, by a hash of its quasi columns if there are any, else of all its values."""
    quasi = [name for guide in guides if guide["role"] == "quasi" for name in columns_of(guide)]
    key = pl.struct(quasi or [name for name in frame.columns if name not in HIDDEN])
    return frame.select(key.hash(0) % parts).to_series().to_numpy().astype(np.int64)


def columns_of(guide: Guide) -> list[str]:
    """Return the columns of the file that hold an attribute."""
    return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]


@dataclass(frozen=True, eq=False)
class Spelling:
    """What is known of the whole release before its parts are written: guides of typed columns and suppressed items."""

    guides: list[Guide]
    suppressed: tuple[str, ...]

    def release(self, frame: pl.DataFrame, roster: Dataset) -> Release:
        """Return the release that a table of typed columns shows, without guarantees."""
        gone = np.zeros(0, np.int32)
        if roster.transactions is not None:
            names = set(self.suppressed)
            gone = np.array([i for i, name in enumerate(roster.transactions.domain) if name in names], np.int32)
        published = from_typed_frame(frame, "a part", self.guides, roster, gone)
        return Release(*with_sorted_labels(*published), (), Provenance(""), np.arange(frame.height))

    def items(self, shown: Answer, roster: Dataset) -> PublishedItems | None:
        """Return a record that shows each item label of the answer of `ShownItems`, or a record for each state of an item."""
        if roster.transactions is None or self.guides[-1]["role"] != "items":
            return None
        if "states" in shown:
            states = shown["states"].astype(np.int32)
            return uncertain(np.arange(len(states) + 1), states, np.zeros(len(states), np.int32), roster.transactions.domain)
        tokens = unpacked(shown["labels"])
        frame = pl.DataFrame({self.guides[-1]["column"]: [tokens]}, {self.guides[-1]["column"]: pl.List(pl.String)})
        return replace(self, guides=self.guides[-1:]).release(frame, roster).items


@dataclass(frozen=True, eq=False)
class ShownItems(Summed):
    """The item labels that all parts show together, or the states of uncertain items."""

    spelling: Spelling
    name: ClassVar[str] = "collecting labels"

    def ask(self, unit: Slices, context: Context) -> Answer:
        """Return the labels of a part."""
        frame = unit.read(context.work / SHOWN).drop(HIDDEN, strict=False)
        items = self.spelling.release(frame, context.roster).items
        if isinstance(items, UncertainItems):
            return {"states": np.unique(states(items)[1])}
        return {"labels": packed(() if items is None else items.labels.texts)}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the labels of both."""
        if "states" in first:
            return {"states": np.union1d(first["states"], second["states"])}
        return {"labels": packed(sorted({*unpacked(first["labels"]), *unpacked(second["labels"])}))}


@dataclass(frozen=True, eq=False)
class Collect(Summed):
    """Writes the parts to publish and, in separate private files, the input record of each published one.

    `whole` has the items of all parts, for formats that spell them alike in all. With `margins` the records are counted by what
    they show of each item.
    """

    format: str
    spelling: Spelling
    whole: PublishedItems | None = None
    margins: bool = False
    name: ClassVar[str] = "writing"

    def ask(self, unit: Slices, context: Context) -> Answer:
        """Write a part; return its number, the number of its records, and how to read it."""
        frame = unit.read(context.work / SHOWN)
        frame = frame.sort([name for name in frame.columns if name not in HIDDEN])
        shown = frame.drop(HIDDEN, strict=False)
        format, roster = RELEASE_FORMATS[self.format], context.roster
        release = self.spelling.release(shown, roster) if self.margins or format.write_frame is None else None
        with self._file(context, f"{PUBLISHED}/{format.file}", unit.number, format.suffixes[0]) as half:
            guides = self._write(format, shown, release, roster, half)
        tables = {ROWS: frame.select(pl.col(ROW).alias("input_row"))}
        if BEHIND in frame.columns:
            tables[MATCHES] = frame.select(pl.col(BEHIND).arr.to_list().alias("input_rows"), pl.col(GROUP).alias("group"))
        for name, table in tables.items():
            with self._file(context, name, unit.number, ".parquet") as half:
                table.write_parquet(half)
        answer = {"part": np.array([unit.number], np.int64), "records": np.array([frame.height], np.int64)}
        answer["said"] = asjson(to_builtins(guides))
        if self.margins and release is not None and isinstance(release.items, GeneralizedItems):
            assert isinstance(self.whole, GeneralizedItems)
            answer |= hidden_counts(roster, release.items, self.whole)._asdict()
        return answer

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return what both parts say, with counts added."""
        found: Answer = {name: np.concatenate([first[name], second[name]]) for name in ("part", "records")}
        found["said"] = asjson(merged_guides(unjson(first["said"]), unjson(second["said"])))
        return found | {name: first[name] + second[name] for name in first if name not in found}

    def _write(
        self, format: ReleaseFormat, shown: pl.DataFrame, release: Release | None, roster: Dataset, path: Path
    ) -> list[Guide]:
        """Write the records of a part; return how to read it."""
        if format.write_frame is not None:
            format.write_frame(shown, path)
            return self.spelling.guides
        assert format.write_part is not None, "the format was checked for parts"
        assert release is not None
        return format.write_part(release, roster, path, self.whole)

    @contextmanager
    def _file(self, context: Context, folder: str, number: int, suffix: str) -> Iterator[Path]:
        """Yield the path to write the file of a part to, which gets its name when it is complete."""
        (context.work / folder).mkdir(parents=True, exist_ok=True)
        with whole(context.work / folder / f"part-{number:06}{suffix}", context.work) as half:
            yield half


def merged_guides(first: list[Guide], second: list[Guide]) -> list[Guide]:
    """Merge the guides of two batches; raise InfeasibleError if a label means different values in them."""
    merged = []
    for a, b in zip(first, second, strict=True):
        meaning = dict(a.get("generalized", {}))
        for token, members in b.get("generalized", {}).items():
            if meaning.setdefault(token, members) != members:
                raise InfeasibleError(f"{a['name']}: {token!r} would stand for one thing in one part and another in the next")
        merged.append(a | ({"generalized": meaning} if "generalized" in a else {}))
    return merged


def typed_part(path: Path, about: Mapping[str, Any], roster: Dataset) -> pl.DataFrame:
    """Return the typed columns of a published part in any format."""
    if about["format"] == "parquet":
        return pl.read_parquet(path, memory_map=False)
    published = RELEASE_FORMATS[about["format"]].read_back(path, about["attributes"], roster, np.zeros(0, np.int32))
    columns, items = with_sorted_labels(*published)
    n = len(items) if items is not None else len(columns[0])
    release = Release(columns, items, (), Provenance(about["algorithm"]), np.arange(n))
    return typed_frame(release, roster, part=True)[0]


def checked_guides(guides: list[Guide], roster: Dataset, suppressed: Sequence[str]) -> list[Guide]:
    """Return the guides; raise InfeasibleError if a label for several values is spelled like a single value."""
    if "suppressed_items" in guides[-1]:  # of all batches
        guides = [*guides[:-1], guides[-1] | {"suppressed_items": len(suppressed)}]
    for guide in guides:
        assert roster.transactions is not None or guide["role"] != "items"
        domain = roster.transactions.domain if guide["role"] == "items" else roster.column(guide["name"]).domain  # type: ignore[union-attr]
        clash = guide.get("generalized", {}).keys() & set(domain)
        if clash:
            raise InfeasibleError(f"{guide['name']}: {min(clash)!r} is a value, and would stand for several in some part")
    return guides


def asjson(value: Any) -> Any:
    """Return plain data as an array of JSON bytes."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def unjson(array: Any) -> Any:
    """Return the plain data of an array of JSON bytes."""
    return json.loads(array.tobytes())
