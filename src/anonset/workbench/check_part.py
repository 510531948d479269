"""The workbench's part for files that other tools made."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from anonset.workbench.inspect_part import InspectPart
from anonset.workbench.uploads import packed_suffix
from anonset.workbench.values import Verdict

KNOWN = (".csv", ".tsv", ".txt", ".dat", ".parquet", ".jsonl")


class CheckPart(InspectPart):
    """Does a file keep the promise of a project? It is looked at beside the project's data, and not kept."""

    async def check_file(self, project: str, name: str, chunks: AsyncIterator[bytes], *, aligned: bool = False) -> Verdict:
        """What the check of a file finds; where its rows are those of the data, `aligned`, truth is checked too."""
        draft, _, shown = await self._projects.save(project, name, chunks, self._largest_upload)
        return await asyncio.to_thread(self._check_draft, project, draft, shown, aligned)

    def _check_draft(self, project: str, draft: Path, name: str, aligned: bool) -> Verdict:
        ending = Path(name.lower().removesuffix(".gz")).suffix
        file = draft.rename(draft.with_suffix((ending if ending in KNOWN else ".csv") + packed_suffix(draft)))
        promise, reading = self.journal.state(project).promise, self._projects.reading(project)
        try:
            found: Verdict = self._ask(
                "check_file", self._names(project), reading=reading, file=file, promise=promise, aligned=aligned
            )
            return found
        finally:
            file.unlink(missing_ok=True)
