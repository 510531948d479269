"""Finished runs looked into: records before and after, stories, queries, attackers; two releases compared; foreign files."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.errors import ParameterError
from anonset.model.verdict import Verdict
from anonset.workbench.data import LARGEST_UPLOAD
from anonset.workbench.files import MOST_ROWS, Draft, ProjectFiles
from anonset.workbench.runs import Runs
from anonset.workbench.values import (
    Candidates,
    ColumnChoices,
    CountBeside,
    Difference,
    RecordComparison,
    ReleaseComparison,
    ReleaseRecords,
    Run,
    WorstQuery,
)
from anonset.workbench.workers import Workers

MOST_ATTACKERS = 5_000
MOST_OPENED = 1_000  # runs that are remembered as looked into
FILE_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".parquet", ".jsonl")


class Inspection:
    """What can be seen of finished runs; nothing of it is stored."""

    def __init__(self, files: ProjectFiles, runs: Runs, workers: Workers, largest_upload: int = LARGEST_UPLOAD) -> None:
        self._files, self._runs, self._workers, self._largest_upload = files, runs, workers, largest_upload

    def opened(self, project: str, run: str) -> None:
        """Remember that somebody looked into this run."""
        self._runs.get(project, run)
        known = self._files.store.project(project)["facts"].get("opened") or []
        if run not in known:
            self._files.set_facts(project, opened=[*known, run][-MOST_OPENED:])

    def compare(self, project: str, run: str, start: int = 0, count: int = 50) -> RecordComparison:
        """Records before and after, in the order of the input; at most 200 at once."""
        page = {"start": start, "count": min(count, MOST_ROWS)}
        found: RecordComparison = self._ask(project, run, "compare", **page)
        return found

    def story(self, project: str, run: str, row: int | None = None) -> tuple[str, ...]:
        """How a release came about, or what happened to one record of the input, counted from 0."""
        folder = self._runs.require_done(project, run)[1]
        found: tuple[str, ...] = self._workers.ask("inspection.story", self._files.names(project), folder=folder, row=row)
        return found

    def worst_queries(self, project: str, run: str, count: int = 10) -> tuple[WorstQuery, ...]:
        """The queries with the largest error, of 200 random ones."""
        found: tuple[WorstQuery, ...] = self._ask(project, run, "worst_queries", count=min(count, MOST_ROWS))
        return found

    def verdict(self, project: str, run: str) -> Verdict:
        """Verify the published files again, now."""
        found: Verdict = self._ask(project, run, "verify")
        return found

    def candidates(self, project: str, run: str, values: Mapping[str, str], items: Sequence[str] = ()) -> Candidates:
        """The records that fit a person with these values and items, before and after."""
        found: Candidates = self._ask(project, run, "candidates", values=dict(values), items=list(items))
        return found

    def known_values(self, project: str) -> tuple[ColumnChoices, ...]:
        """What somebody can know of each column and of the items, for a form to choose from."""
        reading, names = self._files.reading(project).bare(), self._files.names(project)
        found: tuple[ColumnChoices, ...] = self._workers.ask("inspection.known_values", names, reading=reading)
        return found

    def attack(
        self,
        project: str,
        run: str,
        *,
        m: int = 2,
        attackers: int = 200,
        seed: int = 0,
        earlier: Sequence[str] = (),
        knows_algorithm: bool = False,
    ) -> Mapping[str, Any]:
        """What sampled attackers of every kind find, before and after; with releases of `earlier` runs if any are given."""
        more = {"earlier": self._runs.releases_of(project, earlier), "knows_algorithm": knows_algorithm}
        drawn = {"m": m, "attackers": min(attackers, MOST_ATTACKERS), "seed": seed}
        found: Mapping[str, Any] = self._ask(project, run, "attack", **drawn, **more)
        return found

    def compare_releases(self, project: str, run: str, other: str) -> ReleaseComparison:
        """Two releases of the same data: settings that differ, measures with the better one, what is exact in one alone."""
        if run == other:
            raise ParameterError("two different runs are expected")
        a, b = self._runs.get(project, run), self._runs.get(project, other)
        measures, folder = (dict(a.measures), dict(b.measures)), self._runs.require_done(project, other)[1]
        found = self._ask(project, run, "compare_releases", other=folder, measures=measures)
        return ReleaseComparison(a, b, _setting_differences(a, b), *found)

    def compare_release_records(self, project: str, run: str, other: str, start: int = 0, count: int = 50) -> ReleaseRecords:
        """Records before and in two releases, in the order of the input; at most 200 at once."""
        page = {"start": start, "count": min(count, MOST_ROWS), "other": self._runs.require_done(project, other)[1]}
        found: ReleaseRecords = self._ask(project, run, "release_records", **page)
        return found

    def count(self, project: str, run: str, condition: str = "") -> CountBeside:
        """How many records meet a condition: as the recipient can tell, by exact values alone, and in truth."""
        found: CountBeside = self._ask(project, run, "count", condition=condition)
        return found

    async def check_file(self, project: str, name: str, chunks: AsyncIterator[bytes], *, aligned: bool = False) -> Verdict:
        """Verify a file of another tool against the project's promise and data; the file is not kept.

        Where row i of the file is row i of the data, `aligned`, truthfulness is checked too.
        """
        draft = await self._files.save_upload(project, name, chunks, self._largest_upload)
        return await asyncio.to_thread(self._check_draft, project, draft, aligned)

    def _check_draft(self, project: str, draft: Draft, aligned: bool) -> Verdict:
        suffix = Path(draft.name.lower().removesuffix(".gz")).suffix
        file = draft.with_suffix(suffix if suffix in FILE_SUFFIXES else ".csv")
        try:
            promise, reading = self._files.journal.state(project).promise, self._files.reading(project)
            more = {"file": file, "promise": promise, "aligned": aligned}
            found: Verdict = self._workers.ask("inspection.check_file", self._files.names(project), reading=reading, **more)
            return found
        finally:
            file.unlink(missing_ok=True)

    def _ask(self, project: str, run: str, verb: str, **arguments: Any) -> Any:
        """The result of a verb about the release of a finished run."""
        reading, folder = self._runs.require_done(project, run)
        names = self._files.names(project)
        return self._workers.ask(f"inspection.{verb}", names, reading=reading, folder=folder, **arguments)


def _setting_differences(a: Run, b: Run) -> tuple[Difference, ...]:
    left, right = _settings(a), _settings(b)
    names = dict.fromkeys((*left, *right))
    return tuple(Difference(n, left.get(n), right.get(n)) for n in names if left.get(n) != right.get(n))


def _settings(run: Run) -> dict[str, Any]:
    return {"algorithm": run.algorithm, **run.parameters, "promise": "; ".join(run.guarantees), **run.settings}
