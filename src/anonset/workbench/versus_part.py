"""The workbench's part for two releases side by side."""

from typing import Any

from anonset.errors import ParameterError
from anonset.workbench.check_part import CheckPart
from anonset.workbench.comparisons import Difference, Threefold, Versus
from anonset.workbench.projects import MOST_ROWS
from anonset.workbench.values import Run


class VersusPart(CheckPart):
    """What one release has and another has not."""

    def versus(self, project: str, run: str, other: str) -> Versus:
        """Two releases of the same data: settings that differ, measures with the better one, what is exact in one alone."""
        if run == other:
            raise ParameterError("two different runs are expected")
        a, b = self.run(project, run), self.run(project, other)
        columns, items, count = self._look(project, run, "kept", other=self._done(project, other)[1])
        measures = self._ask("measures", a=dict(a.measures), b=dict(b.measures))
        left, right = _settings(a), _settings(b)
        names = dict.fromkeys((*left, *right))
        settings = tuple(Difference(n, left.get(n), right.get(n)) for n in names if left.get(n) != right.get(n))
        return Versus(a, b, settings, measures, columns, items, count)

    def versus_rows(self, project: str, run: str, other: str, start: int = 0, count: int = 50) -> Threefold:
        """Records before and in two releases, in the order of the input; at most 200 at once."""
        where = {"start": start, "count": min(count, MOST_ROWS), "other": self._done(project, other)[1]}
        found: Threefold = self._look(project, run, "records", **where)
        return found


def _settings(run: Run) -> dict[str, Any]:
    return {"algorithm": run.algorithm, **run.parameters, "promise": "; ".join(run.guarantees), **run.settings}
