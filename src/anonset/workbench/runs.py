"""Runs: queued, at work in other processes, ended; what came out is kept in the store."""

import hashlib
import json
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from anonset.errors import InputError, ParameterError
from anonset.jobs import Ended, Event, Progressed, Said
from anonset.workbench.store import JOBS, Store, new_id, now
from anonset.workbench.values import JobState, Run
from anonset.workbench.worker import Refused
from anonset.workbench.worker_pool import STOPPED, Crew

OPEN = ("waiting", "running")
STATES: dict[str, JobState] = {"InfeasibleError": "infeasible", "GuaranteeViolated": "failed"}
REFUSED = ("ExposureError", "UncoveredError", "WorthlessError")


@dataclass(frozen=True, slots=True)
class Live:
    """How far a run is."""

    began: float
    phase: str = ""
    share: float = 0.0
    memory_mb: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    algorithm: str | None = None  # the one that fits the data, where none was asked for


class Runs:
    """The runs of all projects; `folders` says where those of a project go."""

    def __init__(self, store: Store, crew: Crew) -> None:
        self._store, self._crew = store, crew
        self._live: dict[str, Live] = {}
        self._lock = threading.Lock()
        self.measured = 0  # how often a run at work had something for the map
        interrupted = JOBS.update().where(JOBS.c.state.in_(OPEN)).values(state="interrupted")
        self._store.change(interrupted)

    def folder(self, project: str, run: str) -> Path:
        """Where the release of a run goes."""
        return self._store.project_folder(project) / "runs" / run / "release"

    def start(self, project: str, request: Mapping[str, Any], work: Any, key: str | None = None) -> str:
        """Queue a run and say its id; the same key again is the same run."""
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

    def again(self, project: str, run: str, work: Any) -> None:
        """Queue a run that has ended without a release once more."""
        row = self.row(project, run)
        if row["state"] in (*OPEN, "done"):
            raise InputError("this run is under way or done already")
        self._store.change(JOBS.update().where(JOBS.c.id == run).values(state="waiting", result={}))
        self._submit(project, run, work)

    def _submit(self, project: str, run: str, work: Any) -> None:
        for place in (self.folder(project, run).parents[1], self.folder(project, run).parent):
            place.mkdir(exist_ok=True, mode=0o700)
        self._crew.submit(run, work(run), lambda event: self._heard(project, run, event))

    def _by_key(self, project: str, key: str) -> Mapping[str, Any] | None:
        found = self._store.rows(select(JOBS).where(JOBS.c.project == project, JOBS.c.key == key))
        return found[0] if found else None

    def _heard(self, project: str, run: str, event: Event) -> None:
        live = self._live.get(run, Live(time.monotonic()))
        match event:
            case Progressed(_, phase, share):
                if run not in self._live:
                    self._set(run, "running", {})
                self._live[run] = replace(live, phase=phase, share=share)
            case Said(_, value):
                self._live[run] = replace(live, **value)
                self.measured += "measures" in value
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
            self._crew.cancel(run)

    def cancel_all(self, project: str) -> None:
        """Stop all runs of a project, and wait until they have."""
        for run in self.all(project):
            self.cancel(project, run.id)
        until = time.monotonic() + 10
        while any(run.state in OPEN for run in self.all(project)) and time.monotonic() < until:
            time.sleep(0.05)

    def forget(self, project: str, run: str) -> None:
        """Delete a run that has ended."""
        if self.row(project, run)["state"] in OPEN:
            raise InputError("this run is under way; cancel it first")
        self._store.change(JOBS.delete().where(JOBS.c.id == run))
        shutil.rmtree(self.folder(project, run).parent, ignore_errors=True)

    def row(self, project: str, run: str) -> Mapping[str, Any]:
        """A run as the store has it."""
        found = self._store.one(JOBS, run, project)
        if found is None:
            raise NotFound("there is no such run")
        return found

    def all(self, project: str, basis: str = "") -> tuple[Run, ...]:
        """The runs of a project, the last one first; `basis` stands for the decisions that hold now."""
        rows = self._store.rows(select(JOBS).where(JOBS.c.project == project).order_by(JOBS.c.number.desc()))
        return tuple(self.shown(row, basis) for row in rows)

    def shown(self, row: Mapping[str, Any], basis: str = "") -> Run:
        """A run as it is shown."""
        asked, result = row["request"]["asked"], row["result"]
        live = self._live.get(row["id"])
        kept = ("reason", "digest", "records", "holds", "measures", "seconds", "memory_mb")
        values: dict[str, Any] = {name: result[name] for name in kept if name in result}
        values |= {name: tuple(result[name]) for name in ("remarks", "guarantees", "usefulness") if name in result}
        if live is not None and row["state"] in OPEN:
            gone = time.monotonic() - live.began
            left = gone * (1 - live.share) / live.share if live.share > 0.02 else None
            values |= {"phase": live.phase, "share": live.share, "seconds": gone, "seconds_left": left}
            values |= {"memory_mb": live.memory_mb, "measures": dict(live.measures)}
        return Run(
            row["id"],
            row["project"],
            asked["kind"],
            result.get("algorithm") or asked["algorithm"] or (live.algorithm if live else None),
            {**asked["parameters"], **result.get("parameters", {})},
            row["state"],
            row["created"],
            current=row["request"]["basis"] == basis,
            ladder=asked.get("ladder", False),
            settings={name: asked[name] for name in ("format", "margins", "ends", "max_risk", "seconds") if name in asked},
            **values,
        )


class NotFound(InputError):
    """There is no such thing, or not for this project."""


def basis_of(*parts: Any) -> str:
    """A short name for decisions: the same for the same ones."""
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:16]
