"""Compile all kernels ahead of use: run all algorithms, checks and measures on a few made-up people."""

import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.algorithms import ALGORITHMS
from anonset.errors import AnonsetError
from anonset.model.parameters import parameters
from anonset.model.progress import Phases, unheard, with_progress
from anonset.model.release import Accepted
from anonset.runtime.kernel_cache import cache_folder
from anonset.samples import write_sample
from anonset.tasks import anonymize, attack, profile
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import AnonymizeRequest
from anonset.tasks.attack import AttackRequest
from anonset.tasks.inputs import Input

PEOPLE = 150
VALUES: dict[str, Any] = {"k": 3, "m": 2, "seconds": 1.0, "seed": 1}  # for algorithms that have these parameters
BASKETS = "1 2 3\n1 2\n2 3\n1 3\n" * 5


@dataclass(frozen=True, slots=True)
class Warmed:
    """The algorithms that made a release, the time it took, and the folder of compiled kernels."""

    algorithms: tuple[str, ...]
    seconds: float
    folder: Path


def run(phases: Phases = unheard) -> Warmed:
    """Compile what the algorithms, the readers, the measures and the attackers use."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        people = write_sample(folder, PEOPLE, 1)
        baskets = folder / "baskets.dat"
        baskets.write_text(BASKETS, encoding="utf-8", newline="\n")
        profile.run(Input(people))
        profile.run(Input(baskets))
        done = [id for id in with_progress(tuple(ALGORITHMS), phases("Compiling")) if _release(id, people, folder / id)]
    return Warmed(tuple(done), time.perf_counter() - start, cache_folder())


def _release(id: str, people: Path, out: Path) -> bool:
    """Return whether a release was made; kernels that compiled before an error stay cached."""
    needs = ALGORITHMS[id].needs
    quasi = ("age", "town") if "quasi" in needs or not needs else ()
    items = ("diagnoses",) if "items" in needs else ()
    sensitive = ("town",) if "sensitive-column" in needs else ()
    roles = {"quasi": quasi, "items": items, "sensitive": sensitive}
    source = Input(people, {**roles, "item_hierarchy": "balanced:5" if items else None})
    taken = {p.name for p in parameters(ALGORITHMS[id])}
    choice = AlgorithmChoice(
        id, {name: value for name, value in VALUES.items() if name in taken} | ({"l": 2} if sensitive else {})
    )
    with suppress(AnonsetError):
        accepted = Accepted((*quasi, *items, *sensitive), loss=True)
        anonymize.run(AnonymizeRequest(source, out, choice, report=False, accepted=accepted))
        attack.run(AttackRequest(out, Input(people), attackers=20, seed=1))
        return True
    return False
