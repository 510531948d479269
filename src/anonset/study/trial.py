"""Trials of a study: setting, outcome and measures of each; and trials as a table."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

Outcome = Literal["done", "infeasible", "violated", "failed", "time", "memory"]


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one setting. `key` names it: a study never runs the same key twice."""

    key: str
    data: str
    algorithm: str
    parameters: Mapping[str, Any]
    outcome: Outcome
    reason: str = ""
    measures: Mapping[str, float] = field(default_factory=dict)
    guarantees: tuple[Mapping[str, Any], ...] = ()  # id and values of each
    records: int = 0
    digest: str = ""
    refusal: str = ""  # why the gates would refuse such a release
    seconds: float = 0.0
    memory_mb: float = 0.0

    @property
    def label(self) -> str:
        """Return the setting as text: aa k=5 m=2."""
        return " ".join([self.algorithm, *(f"{name}={value}" for name, value in self.parameters.items())])

    def __repr__(self) -> str:
        figures = [f"{id} {self.measures[id]:.3g}" for id in ("risk", "are", "ncp") if id in self.measures]
        end = ", ".join([self.outcome, *figures]) if self.outcome == "done" else f"{self.outcome}: {self.reason[:80]}"
        return f"<Trial {self.label} on {self.data}: {end}>"


def read_trials(path: Path) -> Iterator[Trial]:
    """Read the trials of a file; skip an incomplete last line, which a crash left."""
    if not path.exists():
        return
    *whole, _ = path.read_text(encoding="utf-8").split("\n")  # not splitlines: texts may hold other line ends
    yield from (msgspec.convert(json.loads(line), Trial) for line in whole)


def trial_table(trials: Sequence[Trial]) -> pl.DataFrame:
    """One row a trial: parameters and measures each in its own column, prefixed with `p.` and `m.`."""
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
    return pl.DataFrame(columns, strict=False)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
