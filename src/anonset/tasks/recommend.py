"""Try settings within a time limit, and write the best release with the reasons."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonset.algorithms import run as run_algorithm
from anonset.measure.workload import Workload
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.ends import check_ends, with_ends
from anonset.model.progress import Phases, Progress, silent, unheard
from anonset.model.release import Accepted
from anonset.releases.gates import foresee, one_record_a_person
from anonset.releases.publish import Published, publish
from anonset.releases.staging import check_output
from anonset.report.words import words_of
from anonset.study.recommendation import Recommendation, described, recommend, recommend_in_memory
from anonset.study.ru_map import QUERY_ERROR, risk_axis, risk_limit
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.tasks.compare import write_pages
from anonset.tasks.inputs import Input, read_workload
from anonset.tasks.views import release_pages


@dataclass(frozen=True, slots=True)
class RecommendRequest:
    """The data to publish, the risk limit, the queries, and the time limit."""

    source: Input
    output: Path
    max_risk: str = "0.2"
    m: int = 2
    workload: Path | None = None
    seconds: float = 120.0
    processes: int = 1
    accepted: Accepted = field(default_factory=Accepted)
    cover: Cover = field(default_factory=Cover)
    ends: str = "auto"
    risk: str | None = None  # defaults to what suits the guarantees


@dataclass(frozen=True, slots=True)
class Recommended:
    """The chosen setting, the reasons, and its release."""

    setting: str
    found: Recommendation
    published: Published

    def as_json(self) -> dict[str, Any]:
        """Return the setting, the reasons, and the measures."""
        return {
            "setting": self.setting,
            "reasons": self.found.reasons,
            "measures": self.published.measures,
            "output": self.published.folder,
        }


Command = Callable[[str, dict[str, Any], Path], str]  # algorithm, parameters and folder to the command that makes it


def run(request: RecommendRequest, phases: Phases = unheard, *, command: Command = lambda *_: "") -> Recommended:
    """Try the algorithms for such data, and write the release within the risk limit that answers the queries best."""
    words_of(request.cover.language)
    ends = check_ends(request.ends)
    limit, file = risk_limit(request.max_risk), request.source.file
    risk_axis((), request.risk)  # raises for an unknown one before anything runs
    request.output.mkdir(parents=True, exist_ok=True)
    check_output(request.output / "release", overwrite=False)
    queries = None if request.workload is None else read_workload(request.workload)
    data = request.source.read(phases("Reading"))
    one_record_a_person(data, request.accepted)
    foresee(data, request.accepted, 1)
    found = recommend(
        file,
        data,
        request.output / "study",
        schema=request.source.wanted(),
        max_risk=limit,
        m=request.m,
        workload=None if request.workload is None else {"kind": "file", "file": str(request.workload)},
        seconds=request.seconds,
        processes=request.processes,
        progress=phases("Trying"),
        ends=ends,
        risk=request.risk,
    )
    parameters, out = dict(found.best.parameters), request.output / "release"
    chosen = choose(data, AlgorithmChoice(found.best.algorithm, parameters)).algorithm
    words = command(found.best.algorithm, parameters, out)
    release = with_ends(data, run_algorithm(chosen, data, phases("Anonymizing")), ends)
    how: dict[str, Any] = {"command": words, "cover": request.cover}
    pages = release_pages(data, map=found.points, workload=queries, **how)
    how |= {"accepted": request.accepted, "progress": phases("Writing and checking")}
    published = publish(data, release, out, pages=pages, useful=pages is not None, **how)
    write_pages(found.trials, request.output / "study", QUERY_ERROR, limit, request.risk)
    return Recommended(described(found.best), found, published)


def of_dataset(
    data: Dataset,
    *,
    max_risk: str | float = "0.2",
    m: int = 2,
    workload: str | Path | Workload | None = None,
    seconds: float = 120.0,
    progress: Progress = silent,
    ends: str = "auto",
    risk: str | None = None,
) -> Recommendation:
    """Recommend a setting for a dataset in memory; nothing is written."""
    queries = None if workload is None else read_workload(workload)
    limit, axis = risk_limit(str(max_risk)), None if risk is None else risk_axis((), risk)
    return recommend_in_memory(
        data, max_risk=limit, m=m, workload=queries, seconds=seconds, progress=progress, ends=check_ends(ends), risk=axis
    )
