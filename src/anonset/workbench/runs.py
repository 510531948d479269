"""Runs: queued, at work in other processes, ended; their results are in the store."""

import hashlib
import json
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from anonset.errors import InputError, ParameterError
from anonset.jobs import Ended, Event, Progressed, Reported
from anonset.model.ends import check_ends
from anonset.model.release import Accepted
from anonset.model.suitability import NamedSetting, Suitability
from anonset.tasks import risk_map
from anonset.workbench.files import ProjectFiles, unconfirmed
from anonset.workbench.journal import ChooseRelease, State
from anonset.workbench.store import JOBS, NotFound, Store, new_id, now
from anonset.workbench.values import JobState, Run, RunPoint
from anonset.workbench.worker_requests import Reading, Refused, RunRequest, WorkerRequest
from anonset.workbench.workers import STOPPED, WorkerPool, Workers

OPEN = ("waiting", "running")
STATES: dict[str, JobState] = {"InfeasibleError": "infeasible", "GuaranteeViolated": "failed"}
REFUSED = ("ExposureError", "UncoveredError", "WorthlessError")
LADDER = (2, 3, 5, 10, 11, 20, 25, 50)
SHOWN_SETTINGS = ("format", "margins", "ends", "max_risk", "seconds", "preset", "earlier", "accept_earlier", "like")
FORMATS = ("csv", "parquet", "jsonl", "fimi")


class Runs:
    """The runs of projects."""

    def __init__(self, files: ProjectFiles, workers: Workers) -> None:
        self._files, self._journal, self._workers = files, files.journal, workers
        self._queue = RunQueue(files.store, workers.runs)

    @cached_property
    def _algorithms(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._workers.ask("runs.algorithms")
        return found

    def algorithms(self) -> Mapping[str, Any]:
        """The algorithms by id, with everything that each declares."""
        return self._algorithms

    @property
    def measurements(self) -> int:
        """The number of times that a run at work reported measures."""
        return self._queue.measurements

    def start(
        self,
        project: str,
        algorithm: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        format: str = "csv",
        margins: bool = False,
        ends: str = "auto",
        key: str | None = None,
        ladder: bool = False,
        pages: bool = True,
        earlier: Sequence[str] = (),
        accept_earlier: bool = False,
        like: str | None = None,
    ) -> Run:
        """Queue a run: by the algorithm that fits the data if none is named, with the promise's values for those not given.

        The same `key` again is the same run. Without `pages` a run is quicker, and its report is made on demand. `earlier` are
        runs whose releases somebody may hold too; `like` is one whose settings, hierarchies and global rules are taken over.
        """
        if format not in FORMATS:
            raise ParameterError(f"the format must be one of {', '.join(FORMATS)}")
        values = self._values(project, algorithm, dict(parameters or {}))
        settings: dict[str, Any] = {
            "kind": "anonymize",
            "algorithm": algorithm,
            "parameters": values,
            "format": format,
            "margins": margins,
        }
        settings |= {"ends": check_ends(ends), "ladder": ladder, "pages": pages}
        self.releases_of(project, [*earlier, *([] if like is None else [like])])
        if earlier:
            settings |= {"earlier": list(earlier), "accept_earlier": accept_earlier}
        if like is not None:
            settings |= {"like": like}
        return self._start(project, settings, key)

    def recommend(self, project: str, *, seconds: float = 60.0, max_risk: float = 0.2, key: str | None = None) -> Run:
        """Queue a search for the best release within a risk and a time; its result is that release and the reasons."""
        if not 1 <= seconds <= 3_600 or not 0 < max_risk <= 1:
            raise ParameterError("a recommendation takes 1 to 3600 seconds, and a risk above 0 and at most 1")
        settings: dict[str, Any] = {
            "kind": "recommend",
            "algorithm": None,
            "parameters": {},
            "seconds": seconds,
            "max_risk": max_risk,
        }
        return self._start(project, settings, key)

    def suitable(self, project: str) -> tuple[Suitability, ...]:
        """What each algorithm is for, and why it is not for these data; those for them first."""
        promise, names = self._journal.state(project).promise, self._files.names(project)
        reading = self._files.reading(project)
        found: tuple[Suitability, ...] = self._workers.ask_once(
            "runs.suitable", names, reading=reading, k=promise.k, m=promise.m
        )
        return found

    def three(self, project: str) -> tuple[Run, ...]:
        """Queue a run for each of three settings that are worth comparing, where there is none yet under these decisions."""
        reading, names = self._files.reading(project), self._files.names(project)
        settings: tuple[NamedSetting, ...] = self._workers.ask_once("runs.three", names, reading=reading)
        there = {run.settings.get("preset") for run in self.presets(project)}
        for one in settings:
            if one.name not in there:
                values = self._values(project, one.algorithm, dict(one.parameters))
                asked = {"kind": "anonymize", "algorithm": one.algorithm, "parameters": values, "format": "csv"}
                more = {"margins": False, "ends": "auto", "ladder": False, "pages": False, "preset": one.name}
                self._start(project, asked | more, None)
        return self.presets(project)

    def presets(self, project: str) -> tuple[Run, ...]:
        """The runs of the three settings under the current promise, the last one of each, but none that was cancelled."""
        promise = self._journal.state(project).promise
        usual = {"k": promise.k, "m": promise.m, "l": promise.l}
        found: dict[str, Run] = {}
        for run in self.all(project):
            name = run.settings.get("preset")
            kept = all(run.parameters.get(p, value) == value for p, value in usual.items())
            if name is not None and run.current and kept and run.state not in ("cancelled", "interrupted"):
                found.setdefault(str(name), run)
        return tuple(found.values())

    def ladder(
        self, project: str, algorithm: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> tuple[Run, ...]:
        """Queue a run for each usual k that has none yet, for a slider to snap to."""
        rest = {name: value for name, value in (parameters or {}).items() if name != "k"}
        people = self._files.facts(project).rows
        settings = {name: value for name, value in self._values(project, algorithm, rest).items() if name != "k"}
        alive = [run for run in self.all(project) if run.current and run.ladder and run.state in (*OPEN, "done")]
        alike = [run for run in alive if algorithm is None or run.algorithm == algorithm]
        present = {
            run.parameters.get("k") for run in alike if {n: v for n, v in run.parameters.items() if n != "k"} == settings
        }
        missing = [k for k in LADDER if k <= people and k not in present]
        return tuple(self.start(project, algorithm, {**rest, "k": k}, ladder=True, pages=False) for k in missing)

    def all(self, project: str) -> tuple[Run, ...]:
        """All runs, the last one first; `current` are those made under the decisions that hold now."""
        file = self._files.file(project)
        if file is None or not file.columns:
            return ()
        return self._queue.all(project, self._basis(project, self._journal.state(project)))

    def get(self, project: str, run: str) -> Run:
        """One run."""
        return self._queue.run_of(self._queue.row(project, run), self._basis(project, self._journal.state(project)))

    def cancel(self, project: str, run: str) -> Run:
        """Stop a run; nothing of it is left."""
        self._queue.cancel(project, run)
        return self.get(project, run)

    def cancel_all(self, project: str) -> None:
        """Stop all runs of a project, and wait until they have ended."""
        self._queue.cancel_all(project)

    def restart(self, project: str, run: str) -> Run:
        """Queue a run again that was interrupted, cancelled or failed, if the decisions are still the same."""
        row = self._queue.row(project, run)
        if row["request"]["basis"] != self._basis(project, self._journal.state(project)):
            raise InputError("the decisions have changed since; start a new run instead")
        self._queue.restart(project, run, lambda id: self._work(project, id, row["request"]["asked"]))
        return self.get(project, run)

    def delete(self, project: str, run: str) -> None:
        """Delete a run and its release."""
        if self._journal.state(project).release == run:
            raise InputError("this run is chosen as the release; choose another one first")
        self._queue.delete(project, run)

    def points(self, project: str, loss: str = "are", max_risk: float = 0.2) -> tuple[RunPoint, ...]:
        """The map of risk and utility of the current runs that are measured, by a measure of loss."""
        runs = [
            {"key": run.id, "algorithm": run.algorithm, "parameters": dict(run.parameters), "measures": dict(run.measures)}
            for run in reversed(self.all(project))
            if run.current and run.measures
        ]
        if not runs:
            return ()
        found = risk_map.run(runs, loss, str(max_risk))
        return tuple(
            RunPoint(key, p.series, p.label, p.utility, p.risk, p.loss, p.on_frontier, p == found.knee, p == found.best)
            for key, p in zip(found.keys, found.points, strict=True)
        )

    def differences(self, project: str, runs: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Each parameter and measure that is not the same in all of these runs, by run."""
        found = [self.get(project, run) for run in runs]
        facts = {run.id: {"algorithm": run.algorithm, **run.parameters, **run.measures} for run in found}
        names = dict.fromkeys(name for values in facts.values() for name in values)
        varied = [name for name in names if len({repr(values.get(name)) for values in facts.values()}) > 1]
        return {name: {run: values.get(name) for run, values in facts.items()} for name in varied}

    def folder(self, project: str, run: str) -> Path:
        """The folder of a run's release."""
        return self._queue.folder(project, run)

    def require_done(self, project: str, run: str) -> tuple[Reading, Path]:
        """How the data of a finished, current run are read, and the folder of its release; else an error."""
        found = self.get(project, run)
        if found.state != "done":
            raise InputError("this run has made no release")
        if not found.current:
            raise InputError("the decisions have changed since this run; undo them, or run it again")
        return self._files.reading(project), self._queue.folder(project, run)

    def releases_of(self, project: str, runs: Sequence[str]) -> tuple[Path, ...]:
        """The folders of the releases of runs, under whatever decisions and of whatever data they were made."""
        for run in runs:
            if self._queue.row(project, run)["state"] != "done":
                raise InputError("an earlier run has made no release")
        return tuple(self._queue.folder(project, run) for run in runs)

    def repeat_request(self, project: str, run: str) -> RunRequest:
        """A request that makes the same release again: everything that a finished run chose itself is given."""
        self.require_done(project, run)
        row = self._queue.row(project, run)
        settings = dict(row["request"]["asked"]) | {"parameters": row["result"]["settled"]}
        return self._request(project, run, settings | {"algorithm": row["result"]["algorithm"]})

    def digest(self, project: str, run: str) -> str:
        """The hash of the records that a finished run published."""
        return str(self._queue.row(project, run)["result"]["digest"])

    def check_release(self, project: str, step: ChooseRelease) -> None:
        """Raise where a run cannot be the release: runs may try other values, a release keeps the promise of the project."""
        if step.run is None:
            return
        run = self.get(project, step.run)
        if run.state != "done" or not run.holds or not run.current:
            raise InputError("only a verified run under the decisions that hold now can be the release")
        promise, settled = self._journal.state(project).promise, self._queue.row(project, step.run)["result"]["settled"]
        for name, least in (("k", promise.k), ("m", promise.m), ("l", promise.l)):
            if least is not None and settled.get(name, least) < least:
                raise InputError(f"this run has {name} = {settled[name]}, the promise says {least}: change one of them first")

    def _basis(self, project: str, state: State) -> str:
        """A hash of the decisions behind a run, without k and m, which runs vary."""
        facts, reading = self._files.facts(project), self._files.reading(project, state)
        promise = (state.promise.privacy, state.promise.utility, state.promise.suppression)
        parts = (facts.sha256, sorted(reading.settings.items()), repr(sorted(reading.hierarchies.items())), promise)
        return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:16]

    def _values(self, project: str, algorithm: str | None, given: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a run: those given, and those of the promise that the algorithm takes."""
        promise = self._journal.state(project).promise
        usual = {"k": promise.k, "m": promise.m} | ({"l": promise.l} if promise.l is not None else {})
        if algorithm is None:
            return {"k": promise.k} | self._known_items(project) | given
        if algorithm not in self._algorithms:
            raise ParameterError(f"there is no such algorithm; there are {', '.join(self._algorithms)}")
        declared = {p["name"]: p["type"] for p in self._algorithms[algorithm]["parameters"]}
        for name in given:
            if declared.get(name) == "policy":
                raise ParameterError("constraints are part of the promise, not of a run")
        return {name: value for name, value in usual.items() if name in declared} | given

    def _known_items(self, project: str) -> dict[str, int]:
        """The m of the promise, where the algorithm that fits takes one: for items without constraints."""
        state = self._journal.state(project)
        roles = {column.role for column in self._files.columns(project)}
        constrained = "quasi" not in roles and (state.promise.privacy or state.promise.utility)
        return {"m": state.promise.m} if "items" in roles and not constrained else {}

    def _start(self, project: str, settings: dict[str, Any], key: str | None) -> Run:
        state = self._journal.state(project)
        if names := unconfirmed(self._files.facts(project), state):
            raise InputError(f"say first what the columns mean: {len(names)} roles are only guessed")
        request = {"asked": settings, "basis": self._basis(project, state)}
        self._workers.end_warm_up()
        return self.get(project, self._queue.start(project, request, lambda id: self._work(project, id, settings), key))

    def _work(self, project: str, run: str, settings: Mapping[str, Any]) -> WorkerRequest:
        """The request to a worker."""
        verb = "runs.make" if settings["kind"] == "anonymize" else "runs.recommend"
        names = (
            self._files.names(project) | {str(value) for value in settings["parameters"].values()} | set(settings["parameters"])
        )
        return WorkerRequest(verb, {"request": self._request(project, run, settings)}, frozenset(names))

    def _request(self, project: str, run: str, settings: Mapping[str, Any]) -> RunRequest:
        state = self._journal.state(project)
        more = {name: settings[name] for name in ("format", "margins", "ends", "seconds", "max_risk") if name in settings}
        return RunRequest(
            self._files.reading(project),
            self._queue.folder(project, run),
            settings["algorithm"],
            settings["parameters"],
            state.promise,
            Accepted(
                state.accepted.exposure, state.accepted.loss, state.accepted.repeats, settings.get("accept_earlier", False)
            ),
            report=settings.get("pages", True),
            cover=dict(state.cover.texts),
            origin=self._files.facts(project).origin or {},
            earlier=self.releases_of(project, settings.get("earlier", ())),
            like=self.releases_of(project, [settings["like"]])[0] if "like" in settings else None,
            **more,
        )


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The progress of a run."""

    began: float
    phase: str = ""
    share: float = 0.0
    memory_mb: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    algorithm: str | None = None  # the one that fits the data, where the request names none


class RunQueue:
    """The runs of all projects: their rows in the store, their jobs in the pool, and their progress."""

    def __init__(self, store: Store, pool: WorkerPool) -> None:
        self._store, self._pool = store, pool
        self._live: dict[str, RunProgress] = {}
        self._lock = threading.Lock()
        self.measurements = 0  # how often a run at work reported measures
        interrupted = JOBS.update().where(JOBS.c.state.in_(OPEN)).values(state="interrupted")
        self._store.change(interrupted)

    def folder(self, project: str, run: str) -> Path:
        """The folder of a run's release."""
        return self._store.project_folder(project) / "runs" / run / "release"

    def start(
        self, project: str, request: Mapping[str, Any], work: Callable[[str], WorkerRequest], key: str | None = None
    ) -> str:
        """Queue a run; its id. The same key again is the same run."""
        with self._lock:
            if key is not None and (known := self._by_key(project, key)) is not None:
                if known["request"]["asked"] != request["asked"]:
                    raise ParameterError("this Idempotency-Key was used for another request")
                return str(known["id"])
            id = new_id()
            number = self._store.rows(select(func.count().label("n")).select_from(JOBS).where(JOBS.c.project == project))[0][
                "n"
            ]
            values = {"id": id, "project": project, "key": key, "number": number, "created": now(), "request": dict(request)}
            self._store.change(JOBS.insert().values(**values, state="waiting", result={}))
        self._submit(project, id, work)
        return id

    def restart(self, project: str, run: str, work: Callable[[str], WorkerRequest]) -> None:
        """Queue a run again that ended without a release."""
        row = self.row(project, run)
        if row["state"] in (*OPEN, "done"):
            raise InputError("this run is under way or done already")
        self._store.change(JOBS.update().where(JOBS.c.id == run).values(state="waiting", result={}))
        self._submit(project, run, work)

    def _submit(self, project: str, run: str, work: Callable[[str], WorkerRequest]) -> None:
        for place in (self.folder(project, run).parents[1], self.folder(project, run).parent):
            place.mkdir(exist_ok=True, mode=0o700)
        self._pool.submit(run, work(run), lambda event: self._on_event(project, run, event))

    def _by_key(self, project: str, key: str) -> Mapping[str, Any] | None:
        found = self._store.rows(select(JOBS).where(JOBS.c.project == project, JOBS.c.key == key))
        return found[0] if found else None

    def _on_event(self, project: str, run: str, event: Event) -> None:
        live = self._live.get(run, RunProgress(time.monotonic()))
        match event:
            case Progressed(_, phase, share):
                if run not in self._live:
                    self._set(run, "running", {})
                self._live[run] = replace(live, phase=phase, share=share)
            case Reported(_, value):
                self._live[run] = replace(live, **value)
                self.measurements += "measures" in value
            case Ended():
                self._live.pop(run, None)
                self._end(project, run, event)

    def _end(self, project: str, run: str, event: Ended) -> None:
        facts = {"seconds": round(event.seconds, 3), "memory_mb": round(event.memory_mb, 1)}
        if event.outcome == "done" and not isinstance(event.value, Refused):
            self._set(run, "done", facts | event.value)
            return
        shutil.rmtree(self.folder(project, run).parent, ignore_errors=True)
        if event.outcome == "done":
            name = event.value.error
            state = "refused" if name in REFUSED else STATES.get(name, "failed")
            self._set(run, state, facts | {"reason": event.value.text, "error": name})
        elif event.reason == STOPPED:
            self._set(run, "interrupted", {})
        else:
            more = {"memory": "; try a simpler algorithm, or have the server started with more --memory"}.get(event.outcome, "")
            state = "cancelled" if event.outcome == "cancelled" else "failed"
            self._set(run, state, facts | {"reason": event.reason + more})

    def _set(self, run: str, state: str, result: Mapping[str, Any]) -> None:
        self._store.change(JOBS.update().where(JOBS.c.id == run).values(state=state, result=dict(result)))

    def cancel(self, project: str, run: str) -> None:
        """Stop a run; its process ends at once, and nothing of it is left."""
        if self.row(project, run)["state"] in OPEN:
            self._pool.cancel(run)

    def cancel_all(self, project: str) -> None:
        """Stop all runs of a project, and wait until they have ended."""
        for run in self.all(project):
            self.cancel(project, run.id)
        until = time.monotonic() + 10
        while any(run.state in OPEN for run in self.all(project)) and time.monotonic() < until:
            time.sleep(0.05)

    def delete(self, project: str, run: str) -> None:
        """Delete a run that has ended."""
        if self.row(project, run)["state"] in OPEN:
            raise InputError("this run is under way; cancel it first")
        self._store.change(JOBS.delete().where(JOBS.c.id == run))
        shutil.rmtree(self.folder(project, run).parent, ignore_errors=True)

    def row(self, project: str, run: str) -> Mapping[str, Any]:
        """The row of a run."""
        found = self._store.one(JOBS, run, project)
        if found is None:
            raise NotFound("there is no such run")
        return found

    def all(self, project: str, basis: str = "") -> tuple[Run, ...]:
        """The runs of a project, the last one first; those with this `basis` are current."""
        rows = self._store.rows(select(JOBS).where(JOBS.c.project == project).order_by(JOBS.c.number.desc()))
        return tuple(self.run_of(row, basis) for row in rows)

    def run_of(self, row: Mapping[str, Any], basis: str = "") -> Run:
        """The run of a row."""
        settings, result = row["request"]["asked"], row["result"]
        live = self._live.get(row["id"])
        names = ("reason", "digest", "records", "holds", "measures", "seconds", "memory_mb")
        values: dict[str, Any] = {name: result[name] for name in names if name in result}
        values |= {name: tuple(result[name]) for name in ("remarks", "guarantees", "usefulness") if name in result}
        if live is not None and row["state"] in OPEN:
            elapsed = time.monotonic() - live.began
            left = elapsed * (1 - live.share) / live.share if live.share > 0.02 else None
            values |= {"phase": live.phase, "share": live.share, "seconds": elapsed, "seconds_left": left}
            values |= {"memory_mb": live.memory_mb, "measures": dict(live.measures)}
        return Run(
            row["id"],
            row["project"],
            settings["kind"],
            result.get("algorithm") or settings["algorithm"] or (live.algorithm if live else None),
            {**settings["parameters"], **result.get("parameters", {})},
            row["state"],
            row["created"],
            current=row["request"]["basis"] == basis,
            ladder=settings.get("ladder", False),
            settings={name: settings[name] for name in SHOWN_SETTINGS if name in settings},
            **values,
        )
