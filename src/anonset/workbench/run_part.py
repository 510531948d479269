"""The workbench's part for runs: started, watched, stopped, compared."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from anonset.errors import InputError, ParameterError
from anonset.model.ends import check_ends
from anonset.workbench.orders import Order
from anonset.workbench.readings import unconfirmed
from anonset.workbench.state import State
from anonset.workbench.steps import ChooseRelease
from anonset.workbench.tree_part import TreePart
from anonset.workbench.values import Point, Run

LADDER = (2, 3, 5, 10, 11, 20, 25, 50)
ALIVE = ("waiting", "running", "done")
FORMATS = ("csv", "parquet", "jsonl", "fimi")


class RunPart(TreePart):
    """Runs."""

    @cached_property
    def _algorithms(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._ask("described")
        return found

    def algorithms(self) -> Mapping[str, Any]:
        """What algorithms there are, and what each declares."""
        return self._algorithms

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
    ) -> Run:
        """Queue a run: by the algorithm that fits the data where none is named, under the promise where a value is not given.

        The same `key` again is the same run. Without `pages` a run is quicker, and its report is made when it is asked for.
        """
        if format not in FORMATS:
            raise ParameterError(f"the format must be one of {', '.join(FORMATS)}")
        values = self._values(project, algorithm, dict(parameters or {}))
        asked = {"kind": "anonymize", "algorithm": algorithm, "parameters": values, "format": format, "margins": margins}
        asked["ends"] = check_ends(ends)
        return self._start(project, asked | {"ladder": ladder, "pages": pages}, key)

    def recommend(self, project: str, *, seconds: float = 60.0, max_risk: float = 0.2, key: str | None = None) -> Run:
        """Queue a search for the best release within a risk, for so many seconds; it ends with that release and the reasons."""
        if not 1 <= seconds <= 3_600 or not 0 < max_risk <= 1:
            raise ParameterError("a recommendation takes 1 to 3600 seconds, and a risk above 0 and at most 1")
        asked: dict[str, Any] = {
            "kind": "recommend",
            "algorithm": None,
            "parameters": {},
            "seconds": seconds,
            "max_risk": max_risk,
        }
        return self._start(project, asked, key)

    def ladder(
        self, project: str, algorithm: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> tuple[Run, ...]:
        """Queue a run for each usual k that has none yet, for a slider to snap to."""
        rest = {name: value for name, value in (parameters or {}).items() if name != "k"}
        people = self._projects.facts(project)["rows"]
        asked = {name: value for name, value in self._values(project, algorithm, rest).items() if name != "k"}
        alive = [
            run for run in self.runs(project) if run.current and run.ladder and run.state in ("waiting", "running", "done")
        ]
        alike = [run for run in alive if algorithm is None or run.algorithm == algorithm]
        there = {run.parameters.get("k") for run in alike if {n: v for n, v in run.parameters.items() if n != "k"} == asked}
        wanted = [k for k in LADDER if k <= people and k not in there]
        return tuple(self.start(project, algorithm, {**rest, "k": k}, ladder=True, pages=False) for k in wanted)

    def runs(self, project: str) -> tuple[Run, ...]:
        """All runs, the last one first; `current` are those made under the decisions that hold now."""
        self._projects.row(project)
        file = self._projects.file(project)
        if file is None or not file.columns:
            return ()
        return self._runs.all(project, self._basis(project, self.journal.state(project)))

    def run(self, project: str, run: str) -> Run:
        """One run."""
        return self._runs.shown(self._runs.row(project, run), self._basis(project, self.journal.state(project)))

    def cancel(self, project: str, run: str) -> Run:
        """Stop a run; nothing of it is left."""
        self._runs.cancel(project, run)
        return self.run(project, run)

    def restart(self, project: str, run: str) -> Run:
        """Queue a run that was interrupted, cancelled or failed once more, under the decisions it was made under."""
        row = self._runs.row(project, run)
        if row["request"]["basis"] != self._basis(project, self.journal.state(project)):
            raise InputError("the decisions have changed since; start a new run instead")
        self._runs.again(project, run, lambda id: self._work(project, id, row["request"]["asked"]))
        return self.run(project, run)

    def forget(self, project: str, run: str) -> None:
        """Delete a run and its release."""
        if self.journal.state(project).release == run:
            raise InputError("this run is chosen as the release; choose another one first")
        self._runs.forget(project, run)

    def points(self, project: str, loss: str = "are", max_risk: float = 0.2) -> tuple[Point, ...]:
        """The map of risk and utility of the runs that count, by a measure of loss."""
        runs = [
            {"key": run.id, "algorithm": run.algorithm, "parameters": dict(run.parameters), "measures": dict(run.measures)}
            for run in reversed(self.runs(project))
            if run.current and run.measures
        ]
        found: tuple[Point, ...] = self._known("points", runs=runs, loss=loss, max_risk=max_risk) if runs else ()
        return found

    def differences(self, project: str, runs: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """What differs between runs: each parameter and measure that is not the same in all of them, by run."""
        found = [self.run(project, run) for run in runs]
        facts = {run.id: {"algorithm": run.algorithm, **run.parameters, **run.measures} for run in found}
        names = dict.fromkeys(name for values in facts.values() for name in values)
        varied = [name for name in names if len({repr(values.get(name)) for values in facts.values()}) > 1]
        return {name: {run: values.get(name) for run, values in facts.items()} for name in varied}

    def _values(self, project: str, algorithm: str | None, given: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a run: those given, and those of the promise that the algorithm takes."""
        promise = self.journal.state(project).promise
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
        """The m of the promise, where the algorithm that fits takes one: items that rules do not speak of."""
        state = self.journal.state(project)
        roles = {column.role for column in self._projects.columns(project)}
        ruled = "quasi" not in roles and (state.promise.privacy or state.promise.utility)
        return {"m": state.promise.m} if "items" in roles and not ruled else {}

    def _start(self, project: str, asked: dict[str, Any], key: str | None) -> Run:
        state = self.journal.state(project)
        if names := unconfirmed(self._projects.facts(project), state):
            raise InputError(f"say first what the columns mean: {len(names)} roles are only guessed")
        request = {"asked": asked, "basis": self._basis(project, state)}
        self._end_warm_up()
        return self.run(project, self._runs.start(project, request, lambda id: self._work(project, id, asked), key))

    def _work(self, project: str, run: str, asked: Mapping[str, Any]) -> tuple[str, dict[str, Any], frozenset[str]]:
        """What a worker is asked for."""
        verb = "make" if asked["kind"] == "anonymize" else "advise"
        names = self._names(project) | {str(value) for value in asked["parameters"].values()} | set(asked["parameters"])
        return verb, {"order": self._order(project, run, asked)}, frozenset(names)

    def _order(self, project: str, run: str, asked: Mapping[str, Any]) -> Order:
        state: State = self.journal.state(project)
        more = {name: asked[name] for name in ("format", "margins", "ends", "seconds", "max_risk") if name in asked}
        return Order(
            self._projects.reading(project),
            self._runs.folder(project, run),
            asked["algorithm"],
            asked["parameters"],
            state.promise,
            state.accepted.exposure,
            state.accepted.loss,
            state.accepted.repeats,
            report=asked.get("pages", True),
            origin=self._projects.facts(project).get("origin") or {},
            **more,
        )

    def _check_step(self, project: str, step: Any) -> None:
        if not isinstance(step, ChooseRelease):
            super()._check_step(project, step)
        elif step.run is not None:
            run = self.run(project, step.run)
            if run.state != "done" or not run.holds or not run.current:
                raise InputError("only a verified run under the decisions that hold now can be the release")
            self._check_kept(project, step.run)

    def _check_kept(self, project: str, run: str) -> None:
        """Raise where a run promises less than the project does: runs may try other values, a release keeps its word."""
        promise, settled = self.journal.state(project).promise, self._runs.row(project, run)["result"]["settled"]
        for name, wanted in (("k", promise.k), ("m", promise.m), ("l", promise.l)):
            if wanted is not None and settled.get(name, wanted) < wanted:
                raise InputError(f"this run has {name} = {settled[name]}, the promise says {wanted}: change one of them first")
