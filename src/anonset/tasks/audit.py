"""Judge a file that any tool made, synthetic data too, by attacks on the people it was made of and on others."""

from dataclasses import dataclass
from pathlib import Path

from anonset.attacks.audit import Audit, audit
from anonset.data import read
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, unheard
from anonset.model.schema import Schema
from anonset.releases.foreign import read_unaligned
from anonset.tasks.inputs import Input, load


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """A release folder or a file, the data it was made of, and data of the same form about people who were not used."""

    release: Path
    original: Input
    control: str | Path | None = None
    attackers: int = 2000
    seed: int | None = None


def run(request: AuditRequest, phases: Phases = unheard) -> Audit:
    """Attack the people of the original, and those of the control in the same way; the control is read as the original is."""
    if request.release.is_dir():
        loaded = load(request.release, request.original, phases("Reading"))
        original, release, aligned = loaded
    else:
        original, aligned = request.original.read(phases("Reading")), False
        release = read_unaligned(request.release, original)
    control = None if request.control is None else _others(request.control, original, phases)
    return audit(
        original,
        release,
        control=control,
        aligned=aligned,
        attackers=request.attackers,
        seed=request.seed,
        progress=phases("Attacking"),
    )


def _others(control: str | Path, original: Dataset, phases: Phases) -> Dataset:
    return read(control, schema=Schema(**original.reading), progress=phases("Reading the control"))
