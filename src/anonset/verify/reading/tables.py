"""Published records in a database, read batch by batch: a running number, and the columns of Parquet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from anonset.errors import GuaranteeViolated
from anonset.verify.reading.formats import add_cells, columns_of
from anonset.verify.reading.written import Attributes, Guide, empty

Batch = Mapping[str, list[Any]]  # the values of each column


class WrittenTable(NamedTuple):
    """A table under its name, the column with the running number, how to read the others, and its rows in that order."""

    name: str
    record: str
    guides: Sequence[Guide]
    batches: Iterable[Batch]


def read_batches(table: WrittenTable) -> Attributes:
    """What stands in a table; its rows must be numbered without a gap."""
    named, found, n = sorted([table.record, *columns_of(table.guides)]), empty(table.guides), 0
    for batch in table.batches:
        if sorted(batch) != named:
            raise GuaranteeViolated(f"{table.name} has the columns {', '.join(batch)}; {', '.join(named)} were written")
        numbers = batch[table.record]
        if numbers != list(range(n + 1, n + 1 + len(numbers))):
            raise GuaranteeViolated(f"{table.name}: {table.record} must number the records from 1 on, without a gap")
        n += len(numbers)
        for guide in table.guides:
            add_cells(found[guide["name"]], guide, dict(batch))
    return found
