"""The headline of a run: risk, what is kept in columns and in items, the error of counts. The same figures on every page."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonset.web.elements import element, term
from anonset.web.words import one_in, percent
from anonset.workbench.values import Run


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the headline: its term, its value, what of it is exact, and a remark on it."""

    term: str
    value: str
    exact: str = ""
    remark: str = ""

    @property
    def short(self) -> str:
        """The value in a line."""
        return f"{self.value} · {self.exact}" if self.exact else self.value


def headline_of(measures: Mapping[str, float]) -> tuple[Figure, ...]:
    """The figures of a run by its measures; a part that the data do not have is left out."""
    found = [Figure("after", one_in(measures.get("risk")))]
    if "ncp" in measures:
        found.append(Figure("columns", kept(measures.get("ncp")), _exact(measures, "exact-values")))
    if "ncp-items" in measures or "exact-items" in measures:
        bound = measures.get("exact-bound")
        remark = f"at most {percent(bound)} could be exact" if bound is not None else ""
        found.append(Figure("items", kept(measures.get("ncp-items")), _exact(measures, "exact-items"), remark))
    found.append(Figure("error", percent(measures.get("are"))))
    return tuple(found)


def kept(loss: float | None) -> str:
    """The share of information that is kept, as text."""
    return percent(None if loss is None else 1 - loss)


def _exact(measures: Mapping[str, float], name: str) -> str:
    return f"{percent(measures[name])} exact" if name in measures else ""


def draw_headline(run: Run | None, before: Run | None = None) -> None:
    """Draw the figures of a run; below them, those of the run that was looked at before."""
    then = {figure.term: figure.short for figure in headline_of(before.measures)} if before else {}
    with element("div", "figures", aria_live="polite"):
        for figure in headline_of(run.measures if run else {}):
            with element("div"):
                with element("div", "figure", role="text"):
                    element("span", "", figure.value)
                    if figure.exact:
                        element("span", "figure-exact", f"· {figure.exact}")
                term(figure.term, "soft small")
                if figure.remark:
                    element("div", "soft small", figure.remark)
                if figure.term in then:
                    element("div", "soft small", f"before: {then[figure.term]}")
