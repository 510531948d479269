"""What is in a file, how it would be read, and how identifying it is as it stands."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anonset.attacks.linkage import Rate, share
from anonset.measure.risk import Identifiability, alone_with, identifiability
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, part_of, unheard
from anonset.model.schema import Fate
from anonset.releases.gates import gathering, naming_columns
from anonset.runtime.html_cards import bullets, card, heading, line, table
from anonset.tasks.inputs import Input
from anonset.tasks.profile_facts import column_facts, item_facts

SAMPLE = 20_000  # records whose items are looked up, where there are more
GROWTH = 0.01  # of the people who become unique with one more item, for it to matter
KNOWN = ("1 item", "2 items", "3 items")


@dataclass(frozen=True, slots=True)
class Profile:
    """The number of records, facts about each column and about the items, and who is unique to whom.

    `identifying`: how many people more are unique by the quasi values because of each column; the most telling first.
    """

    records: int
    columns: tuple[Mapping[str, Any], ...]
    items: Mapping[str, Any] | None
    unique: Identifiability
    identifying: Mapping[str, int]
    naming: tuple[str, ...] = ()  # columns and items that name people, in sentences

    def __repr__(self) -> str:
        most = max((rate.value for _, rate in self.unique_to()), default=0.0)
        return f"<Profile of {self.records:,} records, {len(self.columns)} columns; up to {most:.0%} are unique>"

    def unique_to(self) -> list[tuple[str, Rate]]:
        """The share of unique records by what somebody knows; with a 95 % interval where it was sampled."""
        u = self.unique
        rows = [("the quasi values", Rate(u.quasi, u.quasi, u.quasi))] if u.quasi is not None else []
        rows += [(text, self._rate(alone)) for text, alone in zip(KNOWN, u.items or (), strict=False)]
        rows += [(f"the quasi values and {text}", self._rate(alone)) for text, alone in zip(KNOWN, u.both or (), strict=False)]
        return rows

    def _rate(self, alone: float) -> Rate:
        n = self.unique.sampled
        return Rate(alone, alone, alone) if n is None else share(round(alone * n), n)

    @property
    def advice(self) -> tuple[str, ...]:
        """What follows for the promise to ask for."""
        return (*_advice_on_items(self.unique), *_advice_on_columns(self.identifying, self.records))

    @property
    def suspicions(self) -> tuple[str, ...]:
        """The columns to look at before anything is published."""
        tied = [f"{c['name']}: {_ties(c['name'])}" for c in self.columns if c["ties"]]
        return (*tied, *self.naming, *(f"{c['name']}: {what}" for c in self.columns for what in c.get("suspicions", ())))

    def _repr_html_(self) -> str:
        facts = table(
            ("column", "role", "kind", "values", "missing", "looks like", "commonest", "unique because of it"),
            [
                [
                    c["name"],
                    c["role"],
                    c["kind"],
                    c.get("values"),
                    c.get("missing"),
                    *spread(c),
                    self.identifying.get(c["name"]),
                ]
                for c in self.columns
            ],
        )
        items = () if self.items is None else (line(items_line(self.items)), line(commonest_line(self.items["commonest"])))
        known = table(("to somebody who knows", "unique records"), [(text, rate_text(r)) for text, r in self.unique_to()])
        odd = (heading("To look at"), bullets(self.suspicions)) if self.suspicions else ()
        return card(f"{self.records:,} records", facts, *items, known, *odd, heading("Advice"), bullets(self.advice))

    def as_json(self) -> dict[str, Any]:
        """The profile as plain data."""
        u = self.unique
        intervals = {text: [rate.low, rate.high] for text, rate in self.unique_to()}
        unique = {"quasi": u.quasi, "items": u.items, "quasi_and_items": u.both, "sampled": u.sampled, "intervals": intervals}
        said = {"suspicions": list(self.suspicions), "advice": list(self.advice)}
        return {
            "records": self.records,
            "columns": list(self.columns),
            "items": self.items,
            "unique": unique,
            "identifying": dict(self.identifying),
            **said,
        }


def rate_text(rate: Rate) -> str:
    """A share, with its interval where it was sampled."""
    exact = rate.low == rate.high
    return f"{100 * rate.value:.2f} %" if exact else f"{100 * rate.value:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def items_line(items: Mapping[str, Any]) -> str:
    """The items in a line."""
    median = items["lengths"]["50%"]
    return (
        f"{items['items']:,} items, {items['mean']:.3g} a record ({median:g} in the middle), at most {items['most']:,}; "
        f"{items['empty']:,} records have none; {items['rare']:,} items are held by fewer than 10 people"
    )


def commonest_line(commonest: list[Mapping[str, Any]]) -> str:
    """The commonest values or items in a line."""
    return ", ".join(f"{top['value']} {top['share']:.0%}" for top in commonest) or "none that 10 people share"


def run(source: Input | Dataset, phases: Phases = unheard) -> Profile:
    """The profile of an input, or of a dataset that was read."""
    dataset = source if isinstance(source, Dataset) else source.read(phases("Reading"))
    progress = phases("Looking for unique records")
    unique = identifiability(dataset, sample=SAMPLE, progress=part_of(progress, 0.0, 0.8))
    telling = _identifying(dataset)
    columns = tuple(_column(dataset, fate) for fate in dataset.fates)
    progress(1.0)
    return Profile(len(dataset), columns, item_facts(dataset), unique, telling, _naming(dataset))


def _naming(dataset: Dataset) -> tuple[str, ...]:
    return tuple(f"{found}; {found.way_out}" for found in naming_columns(dataset).values())


def _column(dataset: Dataset, fate: Fate) -> dict[str, Any]:
    known = next((column for column in dataset.columns if column.name == fate.column), None)
    facts = {name: value for name, value in asdict(fate).items() if name != "column"}
    return {"name": fate.column, **facts, **({} if known is None else column_facts(known))}


def _identifying(dataset: Dataset) -> dict[str, int]:
    """For each quasi column how many people are unique with it and not without it, the most first."""
    alone = alone_with(dataset.quasi, len(dataset))
    found = {name: alone[""] - alone[name] for name in alone if name}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def spread(column: Mapping[str, Any]) -> tuple[str, str]:
    """What values look like, masked, and the commonest of them or where the numbers are."""
    shapes = ", ".join(column.get("shapes", ()))
    if "quantiles" in column:
        q = column["quantiles"]
        return shapes, f"{q['5%']:g} to {q['95%']:g}, {q['50%']:g} in the middle"
    return shapes, commonest_line(column["commonest"]) if "commonest" in column else ""


def _advice_on_items(unique: Identifiability) -> tuple[str, ...]:
    """How many items somebody may know before it stops to matter."""
    if unique.items is None:
        return ()
    gains = np.diff((0.0, *unique.items))
    m = max([size for size, gain in enumerate(gains, 1) if gain >= GROWTH], default=1)
    spelled = ", ".join(f"{alone:.0%} by {known}" for alone, known in zip(unique.items, KNOWN, strict=True))
    return (f"m: {spelled} are unique; m = {m} covers what makes a difference of a hundredth of the people or more.",)


def _advice_on_columns(identifying: Mapping[str, int], records: int) -> tuple[str, ...]:
    telling = [f"{name} ({alone:,})" for name, alone in identifying.items() if alone > GROWTH * records]
    idle = [name for name, alone in identifying.items() if alone == 0]
    said = [f"People who are unique only because of a column: {', '.join(telling)}."] if telling else []
    said += [f"Nobody is unique because of {', '.join(idle)}."] if idle and telling else []
    return tuple(said)


def _ties(column: str) -> str:
    return f"several rows are one person's; gather them with {gathering(column)}"
