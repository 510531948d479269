"""The published records as CSV: one row a record, generalized values by their texts, items with a separator between."""

from pathlib import Path

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, PublishedItems
from anonset.model.release import Release
from anonset.releases.formats.tokens import (
    Guide,
    TokenSets,
    coded,
    column_from_tokens,
    column_tokens,
    free_name,
    items_from_tokens,
    joined,
    separator_for,
    split,
    token_sets,
)

CHUNK = 250_000  # records turned into text at a time
FORMULA = r"^'*[=+\-@\t\r]"  # how a cell begins that a spreadsheet would run, or that had to be told from one
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    columns = [(column, *column_tokens(column, original.column(column.name))) for column in release.columns]
    texts = [pl.Series([*tokens, ""], dtype=pl.String) for _, tokens, _ in columns]
    sets = None if release.items is None else with_separator(token_sets(release.items, original.item_column), release)
    with path.open("wb") as file:
        for start in range(0, max(1, len(release)), CHUNK):
            stop = min(start + CHUNK, len(release))
            frame = {
                column.name: text.gather(column.codes[start:stop]) for (column, _, _), text in zip(columns, texts, strict=True)
            }
            if sets is not None:
                frame |= set_columns(sets, start, stop)
            cells = {name: no_formulas(part) if part.dtype == pl.String else part for name, part in frame.items()}
            header = no_formulas(pl.Series([*cells], dtype=pl.String)).to_list()
            pl.DataFrame(dict(zip(header, cells.values(), strict=True))).write_csv(file, include_header=start == 0)
    return [guide for _, _, guide in columns] + ([sets.guide] if sets is not None else [])


def read(
    path: Path, guides: list[Guide], original: Dataset, suppressed: Ids
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """The published columns and items of a file that `write` wrote."""
    frame = read_texts(path, guides)
    columns, items = [], None
    for guide in guides:
        column = frame[guide["column"]]
        if guide["role"] != "items":
            texts, codes = coded(column.replace("", None))
            columns.append(column_from_tokens(texts, codes, guide, original.column(guide["name"])))
            continue
        assert original.transactions is not None
        offsets, tokens = split(column, guide["separator"])
        errors = None
        if "errors_column" in guide:
            errors = frame[guide["errors_column"]].cast(pl.Int32).to_numpy().astype(np.int32)
        items = items_from_tokens((offsets, *coded(tokens)), errors, guide, original.transactions.domain, suppressed)
    return tuple(columns), items


def read_texts(path: Path, guides: list[Guide]) -> pl.DataFrame:
    """The columns of the file as texts, under the names that the guides give them."""
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    frame = pl.read_csv(path, infer_schema=False)
    if frame.width != len(names):
        raise GuaranteeViolated(f"{path.name} has {frame.width} columns; about.json explains {len(names)}")
    frame.columns = names
    return frame.with_columns(
        pl.when(text.str.contains(FORMULA)).then(text.str.strip_prefix("'")).otherwise(text)
        for text in (pl.col(name) for name in names)
    )


def with_separator(sets: TokenSets, release: Release) -> TokenSets:
    """The sets with a separator that is in no token, and a name for the column of error bounds."""
    guide = sets.guide | {"separator": separator_for(sets.tokens)}
    if sets.errors is not None:
        names = [column.name for column in release.columns]
        guide["errors_column"] = free_name(f"{guide['column']}.errors", [*names, guide["column"]])
    return sets._replace(guide=guide)


def set_columns(sets: TokenSets, start: int, stop: int) -> dict[str, pl.Series]:
    """The columns of the sets of some records."""
    columns = {sets.guide["column"]: joined(*sets.part(start, stop), sets.tokens, sets.guide["separator"])}
    if sets.errors is not None:
        columns[sets.guide["errors_column"]] = pl.Series(sets.errors[start:stop])
    return columns


def no_formulas(cells: pl.Series) -> pl.Series:
    """The cells with an apostrophe before what a spreadsheet would take for a formula; numbers stay as they are."""
    risky = cells.str.contains(FORMULA) & ~cells.str.contains(NUMBER)
    if not risky.any():
        return cells
    return pl.select(pl.when(risky).then("'" + cells).otherwise(cells)).to_series().alias(cells.name)
