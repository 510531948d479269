"""Play the attacker on a release and on its original."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.attacks import AttackResult, attack
from anonset.attacks.inversion import MOST_PEOPLE, InversionAttack, attack_inversion
from anonset.attacks.partitioned import attack_parts
from anonset.engine.measures import looked_at
from anonset.errors import Fix, ParameterError, Set
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Release
from anonset.releases.folder import is_in_parts
from anonset.tasks.earlier import compared_with, require_whole
from anonset.tasks.inputs import Input, Limits, load, schema_of_original


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """A release and its original, what attackers know, and how many of them are drawn.

    `earlier` are folders of releases that somebody may hold too: so many people in both are drawn for each. With
    `knows_algorithm` the algorithm runs again on datasets in which a candidate is the person, for at most 20 people.
    """

    release: Path
    original: Input
    m: int = 2
    attackers: int = 1000
    seed: int | None = None
    aligned: bool = False
    limits: Limits | None = None  # limits for reading a release in parts in batches
    earlier: tuple[Path, ...] = ()
    knows_algorithm: bool = False


def run(request: AttackRequest, phases: Phases = unheard) -> AttackResult:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person."""
    if is_in_parts(request.release):
        require_whole(request.earlier)
        if request.knows_algorithm:
            fix = [Fix("leave out {}", Set("knows_algorithm"))]
            raise ParameterError("the algorithm of a release in parts is not run again", fix=fix)
        schema, limits = schema_of_original(request.release, request.original), request.limits or Limits()
        with looked_at(request.release, request.original.data, schema, limits.resources(), phases) as looked:
            return attack_parts(looked, m=request.m, attackers=request.attackers, seed=request.seed)
    loaded = load(request.release, request.original, phases("Reading"), aligned=request.aligned).require_rows()
    found = attack(
        loaded.original,
        loaded.release,
        m=request.m,
        attackers=request.attackers,
        seed=request.seed,
        progress=phases("Attacking"),
    )
    with_earlier = compared_with(
        loaded.original,
        loaded.release,
        request.earlier,
        m=request.m,
        people=request.attackers,
        seed=request.seed,
        progress=phases("Comparing with earlier releases") if request.earlier else silent,
    )
    inversion = None
    if request.knows_algorithm:
        again = (loaded.original, loaded.release)
        how: dict[str, Any] = {"m": request.m, "people": request.attackers, "seed": request.seed}
        inversion = of_algorithm(*again, **how, progress=phases("Running the algorithm again"))
    return replace(found, earlier=with_earlier, inversion=inversion)


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


def of_algorithm(
    original: Dataset,
    release: Release,
    *,
    m: int = 2,
    people: int = MOST_PEOPLE,
    seed: int | None = None,
    progress: Progress = silent,
) -> InversionAttack:
    """Let somebody who knows the algorithm run it again, for a few people: it runs for each of their candidates."""
    return attack_inversion(original, release, m=m, people=min(people, MOST_PEOPLE), seed=seed, progress=progress)
