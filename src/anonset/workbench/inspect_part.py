"""The workbench's part for looking into a run and handing it out."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.workbench.again import PROJECT, again
from anonset.workbench.bundles import WHEN, zipped
from anonset.workbench.orders import Order, Reading
from anonset.workbench.projects import MOST_ROWS
from anonset.workbench.run_part import RunPart
from anonset.workbench.values import Again, Beside, Candidates, Verdict, WorstQuery


class InspectPart(RunPart):
    """Runs that are done, and releases."""

    def beside(self, project: str, run: str, start: int = 0, count: int = 50) -> Beside:
        """Records before and after, in the order of the input; at most 200 at once."""
        where = {"start": start, "count": min(count, MOST_ROWS)}
        found: Beside = self._look(project, run, "compare", **where)
        return found

    def story(self, project: str, run: str, row: int | None = None) -> tuple[str, ...]:
        """Why a release is as it is, or the way of one record of the input, counted from 0."""
        folder = self._done(project, run)[1]
        found: tuple[str, ...] = self._ask("story", self._names(project), folder=folder, row=row)
        return found

    def worst_queries(self, project: str, run: str, count: int = 10) -> tuple[WorstQuery, ...]:
        """The counts that come out worst, of 200 drawn ones."""
        found: tuple[WorstQuery, ...] = self._look(project, run, "worst", count=min(count, MOST_ROWS))
        return found

    def verdict(self, project: str, run: str) -> Verdict:
        """What the check of the published files finds, done again now."""
        found: Verdict = self._look(project, run, "check")
        return found

    def candidates(self, project: str, run: str, values: Mapping[str, str], items: Sequence[str] = ()) -> Candidates:
        """Attack me: who fits somebody with these values and items, before and after."""
        found: Candidates = self._look(project, run, "candidates", values=dict(values), items=list(items))
        return found

    def attack(self, project: str, run: str, *, m: int = 2, attackers: int = 200, seed: int = 0) -> Mapping[str, Any]:
        """The attack lab: what sampled attackers of every kind find, before and after."""
        found: Mapping[str, Any] = self._look(project, run, "lab", m=m, attackers=min(attackers, 5_000), seed=seed)
        return found

    def report(self, project: str, run: str) -> bytes:
        """The report of a run, for the owner of the data: an HTML page."""
        return (self._with_pages(project, run) / "report.html").read_bytes()

    def certificate(self, project: str, run: str) -> bytes:
        """The page that goes out with a release: an HTML page without anything raw."""
        return (self._with_pages(project, run) / "published" / "about.html").read_bytes()

    def bundle(self, project: str, run: str, *, private: bool = False) -> Iterator[bytes]:
        """A release as a zip, piece by piece: what may be handed out; with the private half only where it is asked for."""
        folder = self._with_pages(project, run)
        return zipped(folder, private=private)

    def again(self, project: str, run: str) -> Again:
        """How to make the same release elsewhere, ready to copy; the lines expect the kit beside the data."""
        order, name = self._repeatable(project, run)
        return again(project, order, name, self._kit(project, run)[PROJECT])

    def kit(self, project: str, run: str) -> bytes:
        """A zip with all that makes the release again but the data: scripts, schema, project file, hierarchies."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self._kit(project, run).items():
                archive.writestr(zipfile.ZipInfo(name, WHEN), text)
        return out.getvalue()

    def _kit(self, project: str, run: str) -> Mapping[str, str]:
        order, name = self._repeatable(project, run)
        found: Mapping[str, str] = self._ask("kit", self._names(project), order=order, name=name)
        return found

    def _repeatable(self, project: str, run: str) -> tuple[Order, str]:
        """The order behind a run, with everything that was left open to it, and the name of the data."""
        self._done(project, run)
        row = self._runs.row(project, run)
        asked = dict(row["request"]["asked"]) | {"parameters": row["result"]["settled"]}
        order = self._order(project, run, asked | {"algorithm": row["result"]["algorithm"]})
        name = str(order.origin.get("address") or self._projects.facts(project)["name"])
        return order, f"./{name}" if name.startswith("-") else name  # no option of a command

    def _done(self, project: str, run: str) -> tuple[Reading, Path]:
        """How the data are read for a run that is done, and its folder."""
        found = self.run(project, run)
        if found.state != "done":
            raise InputError("this run has made no release")
        if not found.current:
            raise InputError("the decisions have changed since this run; undo them, or run it again")
        return self._projects.reading(project), self._runs.folder(project, run)

    def _look(self, project: str, run: str, verb: str, **arguments: Any) -> Any:
        reading, folder = self._done(project, run)
        return self._ask(verb, self._names(project), reading=reading, folder=folder, **arguments)

    def _with_pages(self, project: str, run: str) -> Path:
        """The folder of a run with its pages; a quick run is made again with them, to the same records."""
        _, folder = self._done(project, run)
        if not (folder / "report.html").exists():
            row = self._runs.row(project, run)
            order = replace(self._repeatable(project, run)[0], report=True)
            made = self._ask("make", self._names(project), order=order)
            if made["digest"] != row["result"]["digest"]:
                raise InputError("this run cannot be made again exactly; start it anew with its report")
        return folder
