"""Trials as a table."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from anonset.study.trial import Trial


def write_parquet(trials: Sequence[Trial], path: Path) -> None:
    """Write one row a trial: parameters and measures each in a column of its own, `p.` and `m.` before their names."""
    parameters = sorted({name for trial in trials for name in trial.parameters})
    measures = sorted({id for trial in trials for id in trial.measures})
    columns = {
        **{
            name: [getattr(trial, name) for trial in trials]
            for name in ("key", "data", "algorithm", "outcome", "reason", "digest")
        },
        **{f"p.{name}": [_text(trial.parameters.get(name)) for trial in trials] for name in parameters},
        **{f"m.{id}": [trial.measures.get(id) for trial in trials] for id in measures},
        **{name: [getattr(trial, name) for trial in trials] for name in ("records", "seconds", "memory_mb")},
    }
    pl.DataFrame(columns, strict=False).write_parquet(path)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
