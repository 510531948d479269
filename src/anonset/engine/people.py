"""Records of people who have several rows each: rows go to buckets by a hash of the id, and each bucket is gathered alone.

A bucket fits into memory, and has all rows of its people. The records are then brought into the order in which people first
appear, as in memory. Items in a second file or table go to the same buckets.
"""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from anonset.data.coding import Table, sets_of_lists, whole_table
from anonset.data.read import Layout, differences, fold_long, gather
from anonset.data.roles import id_like, present
from anonset.engine.source import COPY_ROWS, BatchRef, BatchSource, frame_of, read_batch
from anonset.errors import InputError
from anonset.kernels.arrays import Longs
from anonset.model.dataset import Gathered, Source
from anonset.model.schema import Kind, Schema

BUCKET_ROWS, BUCKET_BYTES = 1 << 18, 1 << 26  # most rows and bytes of a bucket
SAMPLE = 100_000  # rows that tell which columns are ids and items
ROW = "\x1frow"


@dataclass(frozen=True, slots=True)
class GatheredRecords:
    """Batches of records, one a person; the schema with their columns; and what was gathered."""

    source: BatchSource
    schema: Schema
    gathered: Gathered | None = None
    varying: frozenset[str] = frozenset()

    def sample(self, rows: int) -> Table:
        """Return the first records."""
        table = whole_table(map(read_batch, self.source.first(rows)))
        return replace(table, gathered=self.gathered, varying=self.varying)


def records_of(source: BatchSource, schema: Schema, work: Path) -> GatheredRecords:
    """Return the records of a source whose rows may be several a person, or whose items are in a second file."""
    sample = whole_table(map(read_batch, source.first(SAMPLE)))
    id = schema.id
    if id is None and schema.items is None and not schema.gives_roles and (id := id_like(sample)) is not None:
        schema = replace(schema, id=id, repeated=True)
    if id is None:
        return GatheredRecords(source, schema)
    sample.require(id, "id")
    width = 1 + frame_of(sample).estimated_size() // len(sample)
    n = -(-max(source.rows, _rows(source.items or ())) // min(BUCKET_ROWS, int(BUCKET_BYTES / width)))
    rows = _spilled(map(read_batch, source.split(COPY_ROWS).batches), id, schema, work / "rows", n)
    if source.items is not None:
        second = _spilled(map(read_batch, source.items), schema.items_key or id, schema, work / "items", n)
        return _folded(rows, second, source, schema, work)
    layout = Layout.of(sample, schema, id)
    if n > 1:
        layout = replace(layout, elsewhere=_elsewhere(rows, schema, id, layout))
    return _gathered(rows, source, schema, layout, work)


def _rows(batches: Iterable[BatchRef]) -> int:
    return sum(ref.rows for ref in batches)


@dataclass(frozen=True, slots=True)
class Spilled:
    """Files of rows sorted by bucket, and where in each file each bucket begins."""

    folder: Path
    starts: list[Longs]

    @property
    def buckets(self) -> int:
        """Return the number of buckets."""
        return len(self.starts[0]) - 1

    def frame(self, bucket: int) -> pl.DataFrame:
        """Return the rows of a bucket."""
        slices = []
        for file, starts in enumerate(self.starts):
            first, last = int(starts[bucket]), int(starts[bucket + 1])
            slices.append(pl.scan_ipc(self.folder / f"{file:06}.arrow").slice(first, last - first).collect())
        return pl.concat(slices)

    def table(self, bucket: int, *sources: Source) -> Table:
        """Return the rows of a bucket as a table that knows their numbers."""
        frame = self.frame(bucket)
        numbers = frame[ROW].to_numpy()
        columns, sets = {}, {}
        for column in frame.drop(ROW).iter_columns():
            if isinstance(column.dtype, pl.List):
                sets[column.name] = sets_of_lists(column, lambda message, _: InputError(message))
            else:
                columns[column.name] = column
        return Table(columns, sources, None, sets, numbers=numbers)

    def add(self, frame: pl.DataFrame, bucket: Longs, n: int) -> None:
        """Write rows, sorted by bucket."""
        order = np.argsort(bucket, kind="stable")
        frame[order].write_ipc(self.folder / f"{len(self.starts):06}.arrow", compression="uncompressed")
        self.starts.append(np.searchsorted(bucket[order], np.arange(n + 1)))

    def in_order(self, folder: Path, files: tuple[Source, ...]) -> BatchSource:
        """Return the records in the order of their first rows; a bucket is a range of rows."""
        _emptied(folder)
        refs, first = list[BatchRef](), 0
        for bucket in range(self.buckets):
            frame = self.frame(bucket).sort(ROW).drop(ROW)
            if frame.height:
                path = folder / f"{bucket:06}.parquet"
                frame.write_parquet(path)
                refs.append(BatchRef(str(path), 0, frame.height, first))
                first += frame.height
        shutil.rmtree(self.folder)
        return BatchSource(tuple(refs), files)


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _spilled(tables: Iterable[Table], id: str, schema: Schema, folder: Path, n: int) -> Spilled:
    """Return the rows of tables in buckets by their id; rows without one are in the same bucket."""
    found, first = Spilled(_emptied(folder), []), 0
    for table in tables:
        table.require(id, "id")
        if id in table.sets:
            raise table.error("one value a row is expected; got sets", column=id)
        rows = pl.Series(ROW, np.arange(first, first + len(table)))
        bucket = (present(table.columns[id], schema).hash(0) % n).to_numpy().astype(np.int64)
        found.add(frame_of(table).with_columns(rows), bucket, n)
        first += len(table)
    return found


def _by_row(made: Spilled, table: Table, rows: int) -> None:
    """Write records with the number of their first row, in ranges of these."""
    assert table.numbers is not None
    bucket = table.numbers // COPY_ROWS
    made.add(frame_of(table).with_columns(pl.Series(ROW, table.numbers)), bucket, -(-rows // COPY_ROWS))


def _folded(rows: Spilled, items: Spilled, source: BatchSource, schema: Schema, work: Path) -> GatheredRecords:
    """Return the records with the items of the second file."""
    assert schema.id is not None
    made, item = Spilled(_emptied(work / "records"), []), ""
    for bucket in range(rows.buckets):
        main, second = rows.table(bucket), items.table(bucket, *source.files[-1:])
        if len(main) or len(second):
            main, item = fold_long(main, [second], schema, schema.id)
            _by_row(made, main, source.rows)
    for spilled in (rows, items):
        shutil.rmtree(spilled.folder)
    return GatheredRecords(made.in_order(work / "people", source.files), replace(schema, items=(item,)))


def _elsewhere(rows: Spilled, schema: Schema, id: str, layout: Layout) -> Mapping[str, Kind]:
    """Return the columns that differ within a person, with their kind in all rows."""
    differing, kinds = set[str](), dict[str, set[Kind]]()
    for bucket in range(rows.buckets):
        table = rows.table(bucket)
        for name, (several, kind) in differences(table, schema, id, layout).items() if len(table) else ():
            differing |= {name} if several else set()
            kinds.setdefault(name, set()).update(() if kind is None else (kind,))
    return {name: "numeric" if kinds[name] == {"numeric"} else "categorical" for name in kinds if name in differing}


def _gathered(rows: Spilled, source: BatchSource, schema: Schema, layout: Layout, work: Path) -> GatheredRecords:
    """Return one record a person."""
    assert schema.id is not None
    made, known, found = Spilled(_emptied(work / "records"), []), schema, list[Gathered]()
    varying = frozenset[str]()
    for bucket in range(rows.buckets):
        table = rows.table(bucket)
        if len(table):
            table, known = gather(table, schema, schema.id, layout)
            assert table.gathered is not None
            found.append(table.gathered)
            varying |= table.varying
            _by_row(made, table, source.rows)
    shutil.rmtree(rows.folder)
    return GatheredRecords(made.in_order(work / "people", source.files), known, _together(found), varying)


def _together(found: list[Gathered]) -> Gathered:
    """Return what was done in all buckets."""
    first = found[0]
    return Gathered(
        first.key,
        sum(one.rows for one in found),
        sum(one.people for one in found),
        {name: sum(one.differing[name] for one in found) for name in first.differing},
        {
            name: dict(sorted({value: parts for one in found for value, parts in one.combined[name].items()}.items()))
            for name in first.combined
        },
        first.ends,
        first.left_out,
    )
