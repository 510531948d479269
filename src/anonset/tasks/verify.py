"""Verify the published files of a release against its original."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from anonset.data.policies import read_policies
from anonset.errors import AnonsetError, Fix, ParameterError, Set
from anonset.model.dataset import Dataset
from anonset.model.guarantees import GUARANTEES, Guarantee, make_guarantee
from anonset.model.policy import Itemsets
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.folder import is_aligned, is_in_parts
from anonset.releases.foreign import read_foreign
from anonset.releases.publish import verify_folder
from anonset.releases.staging import blamed
from anonset.tasks.earlier import compared_with, require_whole
from anonset.tasks.inputs import Input, Limits, load, read_original, schema_of_original
from anonset.verify import verify


@dataclass(frozen=True, slots=True)
class Promise:
    """A guarantee by id, its values, and a file of policies for it; what it leaves open comes from the dataset."""

    guarantee: str
    values: Mapping[str, Any] = field(default_factory=dict)
    policy: Path | None = None


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """A release folder, or a file that any tool wrote, and its original.

    A file needs a promise. Its rows are taken for those of the original where it is `aligned`: then truth is checked too.
    `accept_repeats` counts records although several are one person's. `earlier` are releases that somebody may hold too.
    """

    release: Path
    original: Input
    promise: Promise | None = None
    aligned: bool = False
    limits: Limits | None = None
    accept_repeats: bool = False
    earlier: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict, and whether truthfulness was checked."""

    verdict: Verdict
    truth_checked: bool

    def as_json(self) -> dict[str, Any]:
        """Return the verdict, and whether truthfulness was checked."""
        return self.verdict.as_json() | {"truth_checked": self.truth_checked}


def run(request: VerifyRequest, phases: Phases = unheard) -> Verified:
    """Check the guarantee of what is published against the original."""
    if is_in_parts(request.release):
        require_whole(request.earlier)
        return _in_batches(request, phases)
    if request.release.is_dir():
        try:
            return _of_folder(request, phases)
        except AnonsetError as error:
            raise blamed(request.release, error) from None
    if request.promise is None:
        raise ParameterError(
            "a file has no guarantee of its own", fix=[Fix("pass {} with its values, e.g. k", Set("guarantee"))]
        )
    data = request.original.read(phases("Reading"))
    release = read_foreign(request.release, data, aligned=request.aligned)
    guarantees = [promised(request.promise, data)]
    how: dict[str, bool] = {"truthful": request.aligned, "accept_repeats": request.accept_repeats}
    verdict = verify(data, release, guarantees, progress=phases("Checking"), **how)
    return Verified(verdict, request.aligned)


def _in_batches(request: VerifyRequest, phases: Phases) -> Verified:
    promise = request.promise
    ask = None if promise is None else lambda roster: [promised(promise, roster)]
    return Verified(of_parts(request.release, request.original, request.limits, ask, phases), True)


def of_parts(
    release: Path,
    original: Input,
    limits: Limits | None = None,
    ask: Callable[[Dataset], Sequence[Guarantee]] | None = None,
    phases: Phases = unheard,
) -> Verdict:
    """Verify a release in parts, which is read in batches: its own guarantees, or those that `ask` returns for the domains."""
    from anonset.engine.run import check  # slow to import

    return check(release, original.data, schema_of_original(release, original), (limits or Limits()).resources(), phases, ask)


def _of_folder(request: VerifyRequest, phases: Phases) -> Verified:
    data = read_original(request.release, request.original, phases("Reading"))
    guarantees = None if request.promise is None else [promised(request.promise, data)]
    repeats = request.accept_repeats
    verdict = verify_folder(data, request.release, guarantees, accept_repeats=repeats, progress=phases("Checking"))
    if request.earlier:
        loaded = load(request.release, data).require_rows()
        found = compared_with(data, loaded.release, request.earlier, seed=0, progress=phases("Comparing with earlier releases"))
        verdict = Verdict((*verdict.findings, *(one.finding() for one in found)))
    return Verified(verdict, is_aligned(request.release))


def of_release(
    original: Dataset,
    release: Release,
    guarantees: Sequence[Guarantee] | None = None,
    *,
    truthful: bool = True,
    accept_repeats: bool = False,
    progress: Progress = silent,
) -> Verdict:
    """Verify a release in memory: its own guarantees, or the given ones."""
    how: dict[str, bool] = {"truthful": truthful, "accept_repeats": accept_repeats}
    return verify(original, release, guarantees, progress=progress, **how)


def promised(promise: Promise, data: Dataset) -> Guarantee:
    """Return the requested guarantee; missing values come from the dataset or the policies."""
    id, values = promise.guarantee, dict(promise.values)
    field_names = {f.name for f in fields(GUARANTEES[id])} if id in GUARANTEES else set()
    if "sensitive" in field_names and data.transactions is not None and data.sensitive_items is not None:
        flagged = zip(data.transactions.domain, data.sensitive_items, strict=True)
        values["sensitive"] = tuple(name for name, sensitive in flagged if sensitive)
    if "column" in field_names and "column" not in values and len(data.with_role("sensitive")) == 1:
        values["column"] = data.with_role("sensitive")[0].name
    if "population" in field_names and data.population is not None:
        values.setdefault("population", len(data.population))
    if "population" in field_names and data.sampling is not None:
        values.setdefault("population", round(len(data) / data.sampling))
    if field_names & {"itemsets", "groups"}:
        values |= _from_policies(promise, field_names)
    return make_guarantee(id, values)


def _from_policies(promise: Promise, field_names: set[str]) -> dict[str, Any]:
    if promise.policy is None:
        raise ParameterError(f"{promise.guarantee} needs a file with its constraints", fix=[Set("policy")])
    policies = read_policies(promise.policy)
    found: dict[str, Any] = {}
    if "itemsets" in field_names and isinstance(policies.privacy, Itemsets):
        found["itemsets"] = policies.privacy.itemsets
    if "groups" in field_names and policies.utility is not None:
        found |= {"groups": policies.utility.groups, "suppression": policies.utility.suppression}
    return found
