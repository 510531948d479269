"""From a dataset to a release, to many, or to the best; and from a DataFrame to a DataFrame."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from anonset.api.bars import Listener, listening
from anonset.api.expecting import expect_dataset
from anonset.api.release import Release
from anonset.errors import InputError, ParameterError
from anonset.model.dataset import Dataset
from anonset.model.progress import silent
from anonset.model.schema import Schema
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import compare as comparing
from anonset.tasks import frames, inputs
from anonset.tasks import recommend as recommending

if TYPE_CHECKING:
    from anonset.measure.workload import Workload
    from anonset.study.recommendation import Recommendation

Frame = TypeVar("Frame")


def anonymize(
    dataset: Dataset, algorithm: str | None = None, *, ends: str = "auto", progress: Listener = silent, **parameters: Any
) -> Release:
    """A release of the dataset by the algorithm of that id (see ALGORITHMS) with these parameters, e.g. k=5, m=2.

    Without an id, by the one that fits the data. `ends` of numeric ranges are values of people unless they are rounded: "auto"
    rounds them in columns with numbers of four digits or more, "rounded" in all, "exact" in none. `progress` is "bar" (or
    True) for a bar, or a function that hears the share done and may raise `Cancelled`.
    """
    expect_dataset(dataset)
    if isinstance(algorithm, int | float):
        raise ParameterError(f"the second argument is the algorithm; parameters go by their names: k={algorithm}")
    with listening(progress, "Anonymizing") as heard:
        return Release.of(dataset, anonymizing.of_dataset(dataset, algorithm, parameters, heard, ends=ends))


def anonymize_frame(
    frame: Frame,
    algorithm: str | None = None,
    *,
    structured: bool = False,
    accept_exposure: Sequence[str] | str = (),
    accept_loss: bool = False,
    accept_repeats: bool = False,
    parameters: Mapping[str, Any] | None = None,
    ends: str = "auto",
    progress: Listener = silent,
    **settings: Any,
) -> Frame:
    """A DataFrame that may be handed out, of the library of the one given: df.pipe(anonymize_frame, quasi=["age"], k=5).

    `settings` are fields of Schema (quasi, sensitive, items, ...) and parameters of the algorithm (k, m, ...); a parameter
    that is called like a field goes into `parameters`. `ends` as for `anonymize`. Verified, and refused where `release.write`
    would refuse it. The rows are in an order that says nothing about those given, and under a new index.
    """
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"a DataFrame is expected (pandas, polars, Arrow); got {type(frame).__name__}")
    known = {"key", *(f.name for f in fields(Schema))}
    data = inputs.Input(frame, {name: value for name, value in settings.items() if name in known}).read()
    given = {name: value for name, value in settings.items() if name not in known} | dict(parameters or {})
    release = anonymize(data, algorithm, ends=ends, progress=progress, **given)
    taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
    table = release.to_polars(structured=structured, accept_exposure=accept_exposure, **taken)
    handed: Frame = frames.handed_out(table, frames.library_of(frame))
    return handed


def compare(
    dataset: Dataset,
    runs: comparing.Runs,
    *,
    workload: "Workload | Mapping[str, Any] | None" = None,
    measures: Sequence[str] | None = None,
    seeds: Sequence[int] = (),
    loss: str = "are",
    max_risk: str | float = 0.2,
    seconds: float = float("inf"),
    ends: str = "auto",
    progress: Listener = silent,
) -> comparing.Compared:
    """Try algorithms with every combination of listed values, e.g. {"rmerge-rt": {"k": [2, 5, 10], "m": 2}}; a map of them.

    `workload`: queries, or how to draw them ({"kind": "random", "n": 200}). `measures`: all that apply, if none are named.
    `loss`: the measure behind utility. `max_risk`: the limit on the map, 0.2 or "k=5". After `seconds` no more is tried.
    `ends`: as for `anonymize`.
    Everything runs here, one after the other; `anonset compare` runs plans in processes, and goes on after a crash.
    """
    expect_dataset(dataset)
    with listening(progress, "Trials") as heard:
        return comparing.of_dataset(
            dataset,
            runs,
            workload=workload,
            measures=measures,
            seeds=seeds,
            loss=loss,
            max_risk=max_risk,
            seconds=seconds,
            ends=ends,
            progress=heard,
        )


def recommend(
    dataset: Dataset,
    *,
    max_risk: str | float = 0.2,
    m: int = 2,
    workload: "str | Path | Workload | None" = None,
    seconds: float = 120.0,
    ends: str = "auto",
    progress: Listener = silent,
) -> "Recommendation":
    """What to take within a risk (0.2, or "k=5") against attackers who know m items, tried for so many seconds, and why.

    `best.algorithm` and `best.parameters` make the release: anonymize(dataset, best.algorithm, **best.parameters). `ends`: as
    for `anonymize`.
    """
    expect_dataset(dataset)
    with listening(progress, "Trying") as heard:
        return recommending.of_dataset(
            dataset, max_risk=max_risk, m=m, workload=workload, seconds=seconds, progress=heard, ends=ends
        )
