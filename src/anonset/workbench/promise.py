"""The promise of a project: remarks about it, supports of item sets, and constraints made or uploaded."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Literal

from anonset.errors import InputError, ParameterError
from anonset.model.policy import ConstraintLines, LineFacts
from anonset.model.release import Accepted
from anonset.workbench.files import Draft, ProjectFiles
from anonset.workbench.journal import SetPromise
from anonset.workbench.values import Remark
from anonset.workbench.workers import Workers

LARGEST_UPLOAD = 5_000_000  # bytes of a file of constraints
MOST_LINES = 1_000  # described in one call
MOST_ITEMS = 200  # in one answer


class Promises:
    """The promises of projects. Constraints are only made and read here; the step `SetPromise` stores them."""

    def __init__(self, files: ProjectFiles, workers: Workers) -> None:
        self._files, self._journal, self._workers = files, files.journal, workers

    def remarks(self, project: str, promise: SetPromise | None = None) -> tuple[Remark, ...]:
        """What speaks against the current promise, or another one, on these data."""
        reading, state = self._files.reading(project), self._journal.state(project)
        promise = promise or state.promise
        names = self._files.names(project) | {name for itemset in (*promise.privacy, *promise.utility) for name in itemset}
        accepted = Accepted(state.accepted.exposure, repeats=state.accepted.repeats)
        found: tuple[Remark, ...] = self._workers.ask_once(
            "promise.remarks", names, reading=reading, promise=promise, accepted=accepted
        )
        return found

    def check(self, project: str, step: SetPromise) -> None:
        """Raise where a promise is wrong for these data."""
        if error := next((remark for remark in self.remarks(project, step) if remark.level == "error"), None):
            raise InputError(error.text)

    def supports(self, project: str, itemsets: Sequence[Sequence[str]]) -> tuple[int, ...]:
        """How many people hold all items of each set."""
        lists = [list(itemset) for itemset in itemsets]
        return tuple(self._workers.ask("promise.supports", reading=self._files.reading(project), itemsets=lists))

    def find_items(self, project: str, text: str = "", count: int = 50) -> tuple[tuple[str, int], ...]:
        """Items whose name contains a text, the most frequent first, with their supports."""
        count = min(count, MOST_ITEMS)
        found = self._workers.ask("promise.find_items", reading=self._files.reading(project), text=text, count=count)
        return tuple((name, n) for name, n in found)

    def describe_rules(self, project: str, lines: Sequence[Sequence[str]]) -> tuple[LineFacts, ...]:
        """How many people each line of items is about, and which names do not occur."""
        tuples = [tuple(line) for line in lines[:MOST_LINES]]
        reading = self._files.reading(project).bare()
        found: tuple[LineFacts, ...] = self._workers.ask("promise.describe_rules", reading=reading, lines=tuples)
        return found

    def make_rules(
        self, project: str, privacy: str | None = None, utility: str | None = None, *, seed: int = 0
    ) -> ConstraintLines:
        """Constraints made from the data: pairs:0.1 or PR1 to PR9, level:2, neighbours:25 or UR1 to UR5."""
        if privacy is None and utility is None:
            raise ParameterError("say which constraints to make: privacy, utility or both")
        which = {"privacy": privacy, "utility": utility, "seed": seed}
        names = {name for name in (privacy, utility) if name}
        reading = self._files.reading(project)
        found: ConstraintLines = self._workers.ask("promise.make_rules", names, reading=reading, **which)
        return found

    async def read_rules(
        self, project: str, name: str, chunks: AsyncIterator[bytes], holds: Literal["privacy", "utility"] = "privacy"
    ) -> ConstraintLines:
        """The constraints in a TOML or JSON file, or those of one kind in CSV; the file is not kept."""
        draft = await self._files.save_upload(project, name, chunks, LARGEST_UPLOAD)
        return await asyncio.to_thread(self._read_rules, draft, holds)

    def _read_rules(self, draft: Draft, holds: str) -> ConstraintLines:
        plain = draft.name.lower().removesuffix(".gz")
        file = draft.with_suffix(next((ending for ending in (".toml", ".json") if plain.endswith(ending)), ".csv"))
        try:
            found: ConstraintLines = self._workers.ask("promise.read_rules", file=file, holds=holds)
            return found
        finally:
            file.unlink(missing_ok=True)
