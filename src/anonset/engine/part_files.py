"""From batches of records to published parts: by one cut for all or each group by itself, and written to files."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl

from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.pcta import ConstraintBased, grouped_release
from anonset.algorithms.recoding import KmByHierarchy, km_release
from anonset.data.formats.base import Guide
from anonset.data.formats.parquet import typed_frame
from anonset.engine.domains import Answer
from anonset.engine.questions import Context, Summed
from anonset.engine.shuffle import Slices, spill, whole
from anonset.engine.source import Piece
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.ends import with_ends
from anonset.model.guarantees import guarantee_data
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.serialization import to_builtins
from anonset.releases.folder import with_sorted_labels


class Rule(Protocol):
    """What is decided once and then applied to every batch."""

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch, all its records."""
        ...


@dataclass(frozen=True, eq=False)
class CutRule:
    """Every item as its node; columns as they are."""

    algorithm: KmByHierarchy
    nodes: Ids

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch."""
        return km_release(self.algorithm, batch, self.nodes)


@dataclass(frozen=True, eq=False)
class ClusterRule:
    """Every item as its cluster, or in no record; columns as they are."""

    algorithm: ConstraintBased
    cluster_of: Ids

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch."""
        return grouped_release(self.algorithm, batch, self.cluster_of)


@dataclass(frozen=True, eq=False)
class AloneRule:
    """Each part as the algorithm publishes it when there is nothing else."""

    algorithm: Algorithm

    def apply(self, batch: Dataset) -> Release:
        """What is published of a part."""
        return self.algorithm.anonymize(batch)


ROW = "\x00row"  # the number of the input record; no column can be called so
SHOWN, PUBLISHED, ROWS = "shown", "published", "rows.parquet"
RECORDS = "records.parquet"  # a folder of parts
MATCHES = "matches.parquet"  # input rows that a record may be of, one for each assignment, and the group they are in
BEHIND, GROUP = "\x00behind", "\x00group"
HIDDEN = (ROW, BEHIND, GROUP)


@dataclass(frozen=True, eq=False)
class Publish(Summed):
    """What a rule publishes of the pieces, written for the parts it belongs to."""

    rule: Rule
    parts: int
    name: ClassVar[str] = "recoding"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """Where the records of a piece are for each part, and how their labels are to be read."""
        number, piece = unit
        rows = np.arange(piece.first, piece.first + piece.rows)
        return published(self.rule, [(context.batch(piece), rows)], self.parts, context, number)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Both, with one explanation of labels."""
        return both_guided(first, second)


def both_guided(first: Answer, second: Answer) -> Answer:
    """Two answers as one, with one explanation of labels."""
    rest = {key: np.concatenate([first[key], second[key]]) for key in first if key != "said"}
    return rest | {"said": asjson(_both_said(unjson(first["said"]), unjson(second["said"])))}


def _both_said(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    return {
        "guides": merged_guides(one["guides"], two["guides"]),
        "guarantees": [weaker(a, b) for a, b in zip(one["guarantees"], two["guarantees"], strict=True)],
        "suppressed": sorted({*one["suppressed"], *two["suppressed"]}),
    }


def weaker(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """What two parts promise together: the same, but for the share of items that may be missing."""
    if "share" in first and second == first | {"share": second["share"]}:
        return first | {"share": max(first["share"], second["share"])}
    assert first == second, "all parts are made by one algorithm"
    return first


def published(rule: Rule, batches: Iterable[tuple[Dataset, Rows]], parts: int, context: Context, number: int) -> Answer:
    """Apply the rule to each batch, and write what it shows of all in one file."""
    shown = [_shown(rule, batch, rows, context, number) for batch, rows in batches]
    said = to_builtins(reduce(_both_said, (said for _, said in shown)))
    frame = pl.concat([frame for frame, _ in shown])
    answer = spill(frame, _buckets(frame, said["guides"], parts), parts, context.work / SHOWN, number)
    return answer | {"said": asjson(said), "batches": np.array([len(shown)], np.int64)}


def _shown(rule: Rule, batch: Dataset, rows: Rows, context: Context, number: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """What the rule shows of a batch, with the input rows, and how it is to be read."""
    release = with_ends(batch, rule.apply(batch), context.ends)
    if len(release) != len(batch):
        raise InfeasibleError("records would be left out, which data in pieces do not allow; set no suppression limit")
    columns, items = with_sorted_labels(release.columns, release.items)  # without labels that nobody shows
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
    """For each published record the original that each assignment maps to it."""
    behind = np.empty(assignments.shape[::-1], np.int64)
    for a, assigned in enumerate(assignments):
        behind[assigned, a] = np.arange(len(assigned))
    return behind


def _buckets(frame: pl.DataFrame, guides: Sequence[Guide], parts: int) -> Rows:
    """The part of each record: by its quasi columns where there are any, else by all it shows."""
    quasi = [name for guide in guides if guide["role"] == "quasi" for name in columns_of(guide)]
    key = pl.struct(quasi or [name for name in frame.columns if name not in HIDDEN])
    return frame.select(key.hash(0) % parts).to_series().to_numpy().astype(np.int64)


def columns_of(guide: Guide) -> list[str]:
    """The columns of the file that an attribute is in."""
    return list(guide["columns"].values()) if "columns" in guide else [guide["column"]]


@dataclass(frozen=True)
class Collect(Summed):
    """The parts as they are published, and apart from them the input record behind each published one."""

    name: ClassVar[str] = "writing"

    def ask(self, unit: Slices, context: Context) -> Answer:
        """The number of records of a part."""
        frame = unit.read(context.work / SHOWN)
        frame = frame.sort([name for name in frame.columns if name not in HIDDEN])
        tables = {
            PUBLISHED + "/" + RECORDS: frame.drop(HIDDEN, strict=False),
            ROWS: frame.select(pl.col(ROW).alias("input_row")),
        }
        if BEHIND in frame.columns:
            tables[MATCHES] = frame.select(pl.col(BEHIND).arr.to_list().alias("input_rows"), pl.col(GROUP).alias("group"))
        for name, table in tables.items():
            (context.work / name).mkdir(parents=True, exist_ok=True)
            with whole(context.work / name / f"part-{unit.number:06}.parquet", context.work) as half:
                table.write_parquet(half)
        return {"part": np.array([unit.number], np.int64), "records": np.array([frame.height], np.int64)}


def merged_guides(first: list[Guide], second: list[Guide]) -> list[Guide]:
    """The guides of two parts as one; a label must stand for the same in both."""
    merged = []
    for a, b in zip(first, second, strict=True):
        meaning = dict(a.get("generalized", {}))
        for token, members in b.get("generalized", {}).items():
            if meaning.setdefault(token, members) != members:
                raise InfeasibleError(f"{a['name']}: {token!r} would stand for one thing in one part and another in the next")
        merged.append(a | ({"generalized": meaning} if "generalized" in a else {}))
    return merged


def checked_guides(guides: list[Guide], roster: Dataset) -> list[Guide]:
    """The guides, where no label for several values is spelled like a single one."""
    for guide in guides:
        assert roster.transactions is not None or guide["role"] != "items"
        domain = roster.transactions.domain if guide["role"] == "items" else roster.column(guide["name"]).domain  # type: ignore[union-attr]
        clash = guide.get("generalized", {}).keys() & set(domain)
        if clash:
            raise InfeasibleError(f"{guide['name']}: {min(clash)!r} is a value, and would stand for several in some part")
    return guides


def asjson(value: Any) -> Any:
    """Plain data as an array."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def unjson(array: Any) -> Any:
    """The plain data of an array."""
    return json.loads(array.tobytes())
