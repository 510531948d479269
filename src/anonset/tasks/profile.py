"""What is in a file, how it would be read, facts about columns and items, and how identifying it is as it stands."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anonset.attacks.linkage import Rate, share
from anonset.data.identifiers import is_text
from anonset.errors import Advice, Fix, Set
from anonset.measure.risk import Identifiability, alone_with, identifiability
from anonset.model.dataset import Column, Dataset
from anonset.model.progress import Phases, part_of, unheard
from anonset.model.schema import Fate
from anonset.notebook import bullets, card, heading, line, table
from anonset.releases.gates import gathering, naming_columns
from anonset.tasks.inputs import Input

FEW = 10  # people who must share a value before it is shown
TOP = 5
SHAPES, LONGEST_SHAPE = 3, 24
SAMPLE = 2_000  # values that are looked at for their shape
MOSTLY = 0.9
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
NOTHING = re.compile(r"[-.#*]+|n\.?/?a\.?|k\.?a\.?|none|unknown|missing|unbekannt|keine angabe|refused", re.IGNORECASE)
NO_NUMBER = re.compile(r"-?9{2,}|-1|-[78]{2,}")  # 999 and the like, where people write down numbers
FAR = 1.5  # times the span of all other numbers, from the least or the greatest of them on
DATES = re.compile(r"0{4}[-/.]0{1,2}[-/.]0{1,2}.*|0{1,2}[-/. ](0{1,2}|A?a{2,})[-/., ]+0{2,4}.*|0{8}")


def shape(text: str) -> str:
    """The text with its letters and digits masked: Rome-12 is Aaaa-00."""
    masked = "".join("0" if sign.isdigit() else "A" if sign.isupper() else "a" if sign.isalpha() else sign for sign in text)
    return masked if len(masked) <= LONGEST_SHAPE else masked[: LONGEST_SHAPE - 1] + "…"


def column_facts(column: Column) -> dict[str, Any]:
    """Values and missing ones, their commonest shapes and values, how numbers are spread, and what looks odd."""
    there = column.codes[column.codes >= 0]
    counts = np.bincount(there, minlength=len(column.domain))
    held = np.flatnonzero(counts)
    shapes = Counter(shape(column.domain[c]) for c in _some(held))  # masked: examples that name nobody
    facts: dict[str, Any] = {
        "values": len(held),
        "missing": len(column) - len(there),
        "shapes": [found for found, _ in shapes.most_common(SHAPES)],
        "commonest": _commonest(column.domain, counts, len(column)),
    }
    if column.values is not None and len(there):
        numbers = np.quantile(column.values[there], QUANTILES)
        facts["quantiles"] = {f"{q:.0%}": float(number) for q, number in zip(QUANTILES, numbers, strict=True)}
    odd = [*suspicions(column, facts, int((counts == 1).sum())), *_stand_ins(column, counts)]
    return facts | {"suspicions": odd}


def suspicions(column: Column, facts: dict[str, Any], once: int) -> list[str]:
    """What a steward should look at before publishing; `once` is how many values occur once."""
    there = len(column) - facts["missing"]
    texts = [column.domain[c] for c in _some(np.arange(len(column.domain)))]
    found: list[str] = []
    if there and once >= MOSTLY * there and there > FEW:
        leave_out = Fix("{} leaves it out", Set("identifier"))
        found.append(Advice("near-unique: nearly every value occurs once, so it names people; ", leave_out))
    if facts["values"] == 1:
        found.append("constant: it has one value")
    if there < (1 - MOSTLY) * len(column):
        found.append("nearly always missing")
    if column.kind == "categorical" and column.hierarchy is None and texts:
        if sum(DATES.fullmatch(shape(text)) is not None for text in texts) >= MOSTLY * len(texts):
            found.append("dates as text: write them like 1987-05-31, and they are published as months and years")
        elif _decimal_commas(texts):
            found.append("numbers with a decimal comma: write them like 80.5, and they are published as ranges")
        elif is_text(texts):
            found.append("free text: it may name people, and cannot be made less exact; leave it out")
    return found


def _decimal_commas(texts: list[str]) -> bool:
    """Whether all texts are numbers, some of them with a comma for a point."""
    commas = sum(DECIMAL_COMMA.fullmatch(text) is not None for text in texts)
    return commas > 0 and all(text.isdecimal() or DECIMAL_COMMA.fullmatch(text) for text in texts)


def _stand_ins(column: Column, counts: np.ndarray[Any, Any]) -> list[str]:
    """Return remarks about values that seem to mean missing: a sign, a word or a number far off."""
    shared = [c for c in np.flatnonzero(counts >= FEW).tolist() if column.domain[c] != ""]
    if column.values is None:
        found = [c for c in shared if NOTHING.fullmatch(column.domain[c])]
    else:
        found = [c for c in shared if NO_NUMBER.fullmatch(column.domain[c]) and _far_off(column.values, c)]
    said = "may stand for a missing value; if so, list it under `missing` in the schema"
    return [f"{column.domain[c]!r} {said}" for c in found[:TOP]]


def _far_off(values: np.ndarray[Any, Any], place: int) -> bool:
    others = np.delete(values, place)
    if len(others) < 2:
        return False
    low, high = float(others.min()), float(others.max())
    here = float(values[place])
    return here > high + FAR * (high - low) or low >= 0 > here


def item_facts(data: Dataset) -> dict[str, Any] | None:
    """How many items there are, how many a record has, and the commonest."""
    t = data.transactions
    if t is None:
        return None
    lengths = t.lengths
    spread = np.quantile(lengths, QUANTILES) if len(t) else np.zeros(len(QUANTILES))
    return {
        "items": int((t.supports > 0).sum()),
        "mean": float(lengths.mean()) if len(t) else 0.0,
        "most": int(lengths.max()) if len(t) else 0,
        "empty": int((lengths == 0).sum()),
        "sensitive": 0 if data.sensitive_items is None else int(data.sensitive_items.sum()),
        "hierarchy": None if data.item_hierarchy is None else data.item_hierarchy.height,
        "lengths": {f"{q:.0%}": float(number) for q, number in zip(QUANTILES, spread, strict=True)},
        "commonest": _commonest(t.domain, t.supports, len(t)),
        "rare": int(((t.supports > 0) & (t.supports < FEW)).sum()),
    }


def _commonest(names: tuple[str, ...], counts: np.ndarray[Any, Any], n: int) -> list[dict[str, Any]]:
    """The commonest names with their shares, none that fewer than a few people have."""
    top = np.argsort(-counts, kind="stable")[:TOP]
    return [{"value": names[c], "share": float(counts[c] / max(1, n))} for c in top.tolist() if counts[c] >= FEW]


def _some(places: np.ndarray[Any, Any]) -> list[int]:
    """Some of the places, spread over all."""
    if len(places) <= SAMPLE:
        return [int(place) for place in places]
    return [int(place) for place in places[np.linspace(0, len(places) - 1, SAMPLE).astype(np.int64)]]


SAMPLED_RECORDS = 20_000  # records whose items are looked up, where there are more
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
    gathered: str = ""  # how rows of a person became one record, where they did

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
        tied = [Advice(f"{c['name']}: ", _ties(c["name"])) for c in self.columns if c["ties"]]
        odd = [Advice(f"{c['name']}: ", what) for c in self.columns for what in c.get("suspicions", ())]
        return (*tied, *self.naming, *odd)

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
        said = (line(self.gathered),) if self.gathered else ()
        return card(f"{self.records:,} records", *said, facts, *items, known, *odd, heading("Advice"), bullets(self.advice))

    def as_json(self) -> dict[str, Any]:
        """Its fields with sentences, and intervals of what was sampled."""
        u = self.unique
        intervals = {text: [rate.low, rate.high] for text, rate in self.unique_to()}
        unique = {"quasi": u.quasi, "items": u.items, "quasi_and_items": u.both, "sampled": u.sampled, "intervals": intervals}
        return {
            "records": self.records,
            "gathered": self.gathered,
            "columns": self.columns,
            "items": self.items,
            "unique": unique,
            "identifying": self.identifying,
            "suspicions": self.suspicions,
            "advice": self.advice,
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
    unique = identifiability(dataset, sample=SAMPLED_RECORDS, progress=part_of(progress, 0.0, 0.8))
    telling = _identifying(dataset)
    columns = tuple(_column(dataset, fate) for fate in dataset.fates)
    progress(1.0)
    gathered = "" if dataset.gathered is None else dataset.gathered.sentence
    return Profile(len(dataset), columns, item_facts(dataset), unique, telling, _naming(dataset), gathered)


def _naming(dataset: Dataset) -> tuple[str, ...]:
    return tuple(Advice(f"{found}; ", found.fix) for found in naming_columns(dataset).values())


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
    """Return advice on m, the number of items that attackers may know."""
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
    return Advice("several rows are one person's; ", Fix("gather them with {}", gathering(column)))
