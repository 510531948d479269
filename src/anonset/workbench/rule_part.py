"""The workbench's part for constraints: made, handed in, and looked at while they are written."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Literal

from anonset.errors import ParameterError
from anonset.workbench.rules import RuleFacts, Rules
from anonset.workbench.uploads import packed_suffix
from anonset.workbench.versus_part import VersusPart

LARGEST = 5_000_000  # bytes of a file
MOST_LINES = 1_000  # looked at in one call


class RulePart(VersusPart):
    """Constraints on sets of items; what is kept of them is part of the promise."""

    def look_at_rules(self, project: str, lines: Sequence[Sequence[str]]) -> tuple[RuleFacts, ...]:
        """How many people each line of items is about, and which names do not occur."""
        wanted = [tuple(line) for line in lines[:MOST_LINES]]
        found: tuple[RuleFacts, ...] = self._ask("look_at_rules", reading=self._projects.reading(project).bare(), lines=wanted)
        return found

    def make_rules(self, project: str, privacy: str | None = None, utility: str | None = None, *, seed: int = 0) -> Rules:
        """Constraints made from the data: pairs:0.1 or PR1 to PR9, level:2, neighbours:25 or UR1 to UR5; nothing is kept."""
        if privacy is None and utility is None:
            raise ParameterError("say which constraints to make: privacy, utility or both")
        asked = {"privacy": privacy, "utility": utility, "seed": seed}
        names = {name for name in (privacy, utility) if name}
        found: Rules = self._ask("make_rules", names, reading=self._projects.reading(project), **asked)
        return found

    async def upload_rules(
        self, project: str, name: str, chunks: AsyncIterator[bytes], holds: Literal["privacy", "utility"] = "privacy"
    ) -> Rules:
        """The constraints in a TOML or JSON file, or those of one kind in CSV; the file is not kept."""
        draft, _, shown = await self._projects.save(project, name, chunks, LARGEST)
        return await asyncio.to_thread(self._read_rules, draft, shown, holds)

    def _read_rules(self, draft: Path, name: str, holds: str) -> Rules:
        plain = name.lower().removesuffix(".gz")
        ending = next((ending for ending in (".toml", ".json") if plain.endswith(ending)), ".csv")
        file = draft.rename(draft.with_suffix(ending + packed_suffix(draft)))
        try:
            found: Rules = self._ask("read_rules", file=file, holds=holds)
            return found
        finally:
            file.unlink(missing_ok=True)
