"""Write a release as a database, from its published files alone."""

from dataclasses import dataclass
from pathlib import Path

from anonset.recipient.export import TABLES, VIEWS
from anonset.recipient.published import open_published
from anonset.recipient.weights import EstimatorName


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """A release, the DuckDB file to make, and how values behind labels are estimated."""

    release: Path
    file: Path
    estimator: EstimatorName | None = None
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The file with its number of records, and the names of its tables and views."""

    file: Path
    records: int
    tables: tuple[str, ...]
    views: tuple[str, ...]


def run(request: ExportRequest) -> ExportResult:
    """Write the file."""
    published = open_published(request.release)
    published.to_duckdb(request.file, overwrite=request.overwrite, estimator=request.estimator)
    return ExportResult(request.file, len(published), ("records", *TABLES), tuple(VIEWS))
