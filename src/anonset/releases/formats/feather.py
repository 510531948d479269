"""The published records as Feather (Arrow IPC), with the columns of Parquet."""

from pathlib import Path

import polars as pl

from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.releases.formats.parquet import Published, from_typed_frame, typed_frame
from anonset.releases.formats.tokens import Guide


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    frame, guides = typed_frame(release, original)
    frame.write_ipc(path, compression="zstd", compat_level=pl.CompatLevel.oldest())
    return guides


def read(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """The published columns and items of a file that `write` wrote."""
    return from_typed_frame(pl.read_ipc(path.read_bytes()), path.name, guides, original, suppressed)
