"""Play the attacker on a release and on its original."""

from dataclasses import dataclass
from pathlib import Path

from anonset.attacks import AttackResult, attack
from anonset.attacks.partitioned import attack_parts
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Release
from anonset.tasks.inputs import Input, Pieces, load
from anonset.tasks.partitioned import looked_at


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """A release and its original, what attackers know, and how many of them are drawn."""

    release: Path
    original: Input
    m: int = 2
    attackers: int = 1000
    seed: int | None = None
    aligned: bool = False
    pieces: Pieces | None = None  # limits for reading a release in parts in batches


def run(request: AttackRequest, phases: Phases = unheard) -> AttackResult:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person."""
    if request.pieces is not None:
        with looked_at(request.release, request.original, request.pieces, phases) as looked:
            return attack_parts(looked, m=request.m, attackers=request.attackers, seed=request.seed)
    loaded = load(request.release, request.original, phases("Reading"), aligned=request.aligned).require_rows()
    return attack(
        loaded.original,
        loaded.release,
        m=request.m,
        attackers=request.attackers,
        seed=request.seed,
        progress=phases("Attacking"),
    )


def of_release(
    original: Dataset,
    release: Release,
    *,
    m: int = 2,
    attackers: int = 1000,
    seed: int | None = None,
    progress: Progress = silent,
) -> AttackResult:
    """Play attackers on a release in memory."""
    return attack(original, release, m=m, attackers=attackers, seed=seed, progress=progress)
