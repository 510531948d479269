"""Compare a release with earlier ones that somebody may hold too, before it is published and afterwards."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from anonset.attacks.intersection import Intersection, intersect
from anonset.errors import Fix, GuaranteeViolated, InputError, ParameterError, Set
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, part_of, silent
from anonset.model.release import Accepted, Release
from anonset.releases.earlier import read_earlier
from anonset.releases.gates import earlier_refused


def require_whole(earlier: Sequence[Path]) -> None:
    """Raise where a release in parts is to be compared with earlier ones."""
    if earlier:
        fix = [Fix("leave out {}", Set("earlier"))]
        raise ParameterError("a release in parts cannot be compared with earlier ones yet", fix=fix)


def compared_with(
    original: Dataset,
    release: Release,
    earlier: Sequence[Path],
    *,
    m: int | None = None,
    people: int | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> tuple[Intersection, ...]:
    """Return what somebody learns who holds one of the earlier releases too, for each; of all people, or of some drawn."""
    listeners = [part_of(progress, e / len(earlier), (e + 1) / len(earlier)) for e in range(len(earlier))]
    return tuple(
        intersect(original, release, read_earlier(Path(folder)), m=m, people=people, seed=seed, progress=listener)
        for folder, listener in zip(earlier, listeners, strict=True)
    )


def admitted(
    original: Dataset, release: Release, earlier: Sequence[Path], accepted: Accepted, progress: Progress = silent
) -> tuple[Intersection, ...]:
    """Compare a release with all earlier ones before it is published; raise where they leave fewer than k candidates.

    What cannot be compared is refused too. With `accepted.earlier` the figures are returned, and what cannot be compared is
    left out.
    """
    if not accepted.earlier:
        found = compared_with(original, release, earlier, seed=0, progress=progress)
        if open_to := [one.sentence for one in found if not one.holds]:
            raise earlier_refused("; ".join(open_to))
        return found
    comparable: list[Intersection] = []
    for folder in earlier:
        with suppress(InputError, GuaranteeViolated):
            comparable += compared_with(original, release, [folder], seed=0)
    return tuple(comparable)
