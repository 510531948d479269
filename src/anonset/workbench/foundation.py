"""What every part of the workbench stands on: the store, the journal, the runs, and workers to ask."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from anonset import errors
from anonset.errors import AnonsetError, Cancelled
from anonset.jobs import Ended, Event
from anonset.workbench.answers import Answers
from anonset.workbench.crew import Crew
from anonset.workbench.databases import Allowed
from anonset.workbench.journal import Journal
from anonset.workbench.projects import Projects
from anonset.workbench.runs import Runs, basis_of
from anonset.workbench.state import State
from anonset.workbench.store import Store, new_id
from anonset.workbench.worker import Refused, make

LARGEST_UPLOAD = 2_000_000_000  # bytes
LARGEST_HIERARCHY = 50_000_000
ASKED_SECONDS = 300.0
DESKS = 2  # the second is started when somebody waits for the first
GIVE_WAY = 10  # steps of nice, so that pages are drawn while all cores make releases
WARM_UP = "warm-up"


class Foundation:
    """A store with its journal and runs; two workers answer questions, `processes` others make releases and give way."""

    def __init__(
        self,
        store: Path | str,
        *,
        files: Path | None = None,
        processes: int = max(1, (os.cpu_count() or 2) - 1),
        memory_mb: float = float("inf"),
        largest_upload: int = LARGEST_UPLOAD,
        databases: Allowed = Allowed(),  # noqa: B008 - it is frozen
    ) -> None:
        self.store = Store(store, files)
        self.journal = Journal(self.store)
        self._projects = Projects(self.store, self.journal)
        self._desk = Crew(make, processes=DESKS, memory_mb=memory_mb)
        self._makers = Crew(make, GIVE_WAY, processes=processes, memory_mb=memory_mb)
        self._answers = Answers()
        self._runs = Runs(self.store, self._makers)
        self._largest_upload, self._allowed = largest_upload, databases
        self._warm = True

    def warm_up(self) -> None:
        """Let a worker load and, once an installation, compile what it needs, in the background."""
        self._warm = False

        def heard(event: Event) -> None:
            self._warm = self._warm or isinstance(event, Ended)

        self._makers.submit(WARM_UP, ("warm_up", {}, frozenset()), heard)
        self._desk.submit(WARM_UP, ("described", {}, frozenset()), lambda event: None)

    def _end_warm_up(self) -> None:
        """Make way for a run: what is compiled until now is kept, and the run compiles what it needs."""
        self._makers.cancel(WARM_UP)

    @property
    def is_warm(self) -> bool:
        """Whether workers answer at once; the first time they compile for about a minute."""
        return self._warm

    @property
    def beat(self) -> int:
        """Another number whenever there is news: something was decided, began, was measured or ended."""
        return self.store.changes + self._runs.measured

    def close(self) -> None:
        """End all workers, and let go of the store; runs under way will be interrupted ones."""
        self._desk.close()
        self._makers.close()
        self.store.close()

    def _ask(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """The answer of a worker, or the error it raised; `names` may be quoted in it."""
        ended = self._desk.ask(new_id(), (verb, arguments, frozenset(names)), seconds=ASKED_SECONDS)
        if ended.outcome == "cancelled":
            raise Cancelled("the work was stopped")
        if ended.outcome != "done":
            raise AnonsetError(ended.reason)
        if isinstance(ended.value, Refused):
            raise error_of(ended.value)
        return ended.value

    def _known(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """As `_ask`, for what depends on nothing but the arguments: asked once, then kept for a while."""
        return self._answers.get(_question(verb, arguments), lambda: self._ask(verb, names, **arguments))

    def _at_hand(self, verb: str, **arguments: Any) -> Any:
        """What `_known` would answer, if it needs to ask nobody."""
        return self._answers.at_hand(_question(verb, arguments))

    def _names(self, project: str) -> frozenset[str]:
        """The names that errors about a project may quote: those of its columns."""
        return frozenset((*self._projects.facts(project)["columns"], "items"))

    def _basis(self, project: str, state: State) -> str:
        """What tells the decisions behind a run from others: not the k and m, which runs vary."""
        facts = self._projects.facts(project)
        promise = (state.promise.privacy, state.promise.utility, state.promise.suppression)
        reading = self._projects.reading(project, state)
        return basis_of(facts["sha256"], sorted(reading.settings.items()), repr(sorted(reading.hierarchies.items())), promise)


def _question(verb: str, arguments: Mapping[str, Any]) -> str:
    return repr((verb, sorted(arguments.items())))


def error_of(refused: Refused) -> AnonsetError:
    """The error that a worker raised, as one of this process."""
    kind: type[AnonsetError] = getattr(errors, refused.error, AnonsetError)
    return kind(refused.text)
