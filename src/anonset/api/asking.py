"""Questions about releases: who is found, why it is as it is, and what it counts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonset.api.bars import Listener, listening
from anonset.api.expecting import expect_dataset, expect_release
from anonset.api.release import Release
from anonset.model.dataset import Dataset
from anonset.model.progress import silent
from anonset.tasks import attack as attacking
from anonset.tasks import explain as explaining
from anonset.tasks import query as querying
from anonset.tasks import workload as drawing

if TYPE_CHECKING:
    from anonset.attacks import AttackResult
    from anonset.measure.qe import Answer
    from anonset.measure.workload import Workload

QueryKind = Literal["random", "held", "frequent", "generalized", "presence"]


def attack(
    release: Release, *, m: int = 2, attackers: int = 1000, seed: int | None = None, progress: Listener = silent
) -> "AttackResult":
    """Play attackers on a release and on its original: each kind knows quasi values, up to m items, or both, of a person.

    `attackers` persons are drawn for each kind; with a `seed` the same ones again.
    """
    expect_release(release)
    original, plain = release.with_rows()
    with listening(progress, "Attacking") as heard:
        return attacking.of_release(original, plain, m=m, attackers=attackers, seed=seed, progress=heard)


def explain(release: Release | str | Path, row: int | None = None) -> tuple[str, ...]:
    """Why a release, in memory or in a folder, is as it is, in sentences; or the way of one input row, from 0. Private."""
    if isinstance(release, Release):
        return release.explain(row)
    return explaining.run(explaining.ExplainRequest(Path(release), row))


def workload(
    data: Dataset | Release,
    kind: QueryKind = "random",
    *,
    n: int | None = None,
    seed: int | None = None,
    **settings: Any,
) -> "Workload":
    """Counting queries drawn from a dataset; those of kind "generalized" from a release.

    `n` says how many, a `seed` makes the draw repeatable; `settings` are those of the kind, e.g. items=2, columns=("age",).
    """
    given = {name: value for name, value in (("n", n), ("seed", seed)) if value is not None}
    if isinstance(data, Release):
        return drawing.draw(data.original, kind, given | settings, data if kind == "generalized" else None)
    expect_dataset(data)
    return drawing.draw(data, kind, given | settings)


def query(
    folder: str | Path, present: Sequence[str] = (), absent: Sequence[str] = (), *, where: Mapping[str, str] | None = None
) -> "Answer":
    """How many records of a nonreciprocal release hold all items `present` and none `absent`, from published/ alone.

    `where` keeps the records that show these values in columns published as they are, e.g. {"illness": "flu"}.
    """
    return querying.run(querying.QueryRequest(Path(folder), tuple(present), tuple(absent), where or {}))
