"""Check a table before it is handed out as it is: does it name people, and how many of them could be found in it?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.algorithms.identity import Identity
from anonset.errors import ParameterError
from anonset.measure.risk import record_risks
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, unheard
from anonset.releases.gates import naming_columns
from anonset.tasks.inputs import Input

NAMES_PEOPLE = "identifier"


@dataclass(frozen=True, slots=True)
class TableCheck:
    """Whether a table may be handed out as it is, and what speaks against it."""

    file: str
    records: int
    exposed: float  # share of the records that fewer than k people share
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    def as_json(self) -> Mapping[str, Any]:
        """The fields, and whether the table may be handed out."""
        return {
            "file": self.file,
            "holds": self.holds,
            "records": self.records,
            "exposed": self.exposed,
            "reasons": self.reasons,
        }


def run(source: Input, *, k: int = 5, m: int = 2, phases: Phases = unheard) -> TableCheck:
    """Check a table: columns that name people, people with several rows, and records that fewer than k people share.

    An attacker knows all columns that others may know, and up to m items. Nothing of the data is in the reasons.
    """
    if k < 2 or m < 1:
        raise ParameterError(f"k must be 2 or more and m 1 or more; got k={k}, m={m}")
    data = source.read(phases("Reading"))
    progress = phases("Looking for people")
    naming = {fate.column for fate in data.fates if fate.role == NAMES_PEOPLE} | set(naming_columns(data))
    reasons = [f"{name} names people" for name in sorted(naming)]
    gathered = data.gathered
    tied = data.tied or ((gathered.key,) if gathered is not None and gathered.rows > gathered.people else ())
    reasons += [f"people have several rows ({', '.join(tied)} repeats)"] if tied else []
    exposed = _exposed(data, k, m)
    progress(1.0)
    if exposed > 0:
        reasons.append(f"{_percent(exposed)} of the records look like fewer than {k} to somebody who knows {_known(data, m)}")
    return TableCheck(str(source.data), len(data), exposed, tuple(reasons))


def _exposed(data: Dataset, k: int, m: int) -> float:
    """The share of the records that fewer than k share."""
    if len(data) == 0 or not (data.quasi or data.transactions is not None):
        return 0.0
    risks = record_risks(data, Identity(k=1, m=m).anonymize(data), m)
    return float(np.mean(np.rint(1 / risks) < k))


def _percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{share:.0%}".replace("%", " %")


def _known(data: Dataset, m: int) -> str:
    columns = [", ".join(column.name for column in data.quasi)] if data.quasi else []
    items = [f"{m} items" if m > 1 else "an item"] if data.transactions is not None else []
    return " and ".join(columns + items)
