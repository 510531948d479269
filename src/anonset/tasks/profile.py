"""Profile a dataset: how it is read, facts about columns and items, and how many persons are unique in it."""

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

FEW = 10  # least number of people who share a value that a profile shows
TOP = 5
BARS = 16  # of the picture of a column
SHAPES, LONGEST_SHAPE = 3, 24
SAMPLE = 2_000  # most values of a column whose shape is counted
MOSTLY = 0.9
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
NOTHING = re.compile(r"[-.#*]+|n\.?/?a\.?|k\.?a\.?|none|unknown|missing|unbekannt|keine angabe|refused", re.IGNORECASE)
NO_NUMBER = re.compile(r"-?9{2,}|-1|-[78]{2,}")  # 999 and the like, where people write down numbers
FAR = 1.5  # times the span of all other numbers, from the least or the greatest of them on
DATES = re.compile(r"0{4}[-/.]0{1,2}[-/.]0{1,2}.*|0{1,2}[-/. ](0{1,2}|A?a{2,})[-/., ]+0{2,4}.*|0{8}")


def shape(text: str) -> str:
    """Return the text with its letters and digits masked: Rome-12 is Aaaa-00."""
    masked = "".join("0" if sign.isdigit() else "A" if sign.isupper() else "a" if sign.isalpha() else sign for sign in text)
    return masked if len(masked) <= LONGEST_SHAPE else masked[: LONGEST_SHAPE - 1] + "…"


def column_facts(column: Column) -> dict[str, Any]:
    """Return the number of values, the commonest shapes and values, the spread of numbers, and suspicious values."""
    there = column.codes[column.codes >= 0]
    counts = np.bincount(there, minlength=len(column.domain))
    held = np.flatnonzero(counts)
    shapes = Counter(shape(column.domain[c]) for c in _some(held))  # masked, so that no example identifies a person
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


def spread_of(column: Column) -> list[tuple[str, int]]:
    """Return how often values occur: numbers in ranges of equal width, others one by one, the most frequent first.

    Values of fewer than FEW people are not named.
    """
    there = column.codes[column.codes >= 0]
    counts = np.bincount(there, minlength=len(column.domain))
    if column.values is None or len(np.flatnonzero(counts)) <= BARS:
        order = np.flatnonzero(counts) if column.ranks is not None else np.argsort(-counts, kind="stable")
        return [(column.domain[c], int(counts[c])) for c in order[:BARS].tolist() if counts[c] >= FEW]
    held, edges = np.histogram(column.values, bins=BARS, weights=counts)
    return [(f"{low:g} to {high:g}", int(n)) for low, high, n in zip(edges, edges[1:], held, strict=False)]


def item_spread(data: Dataset) -> list[tuple[str, int]]:
    """Return the most frequent items with the numbers of records that have them, without those of fewer than FEW people."""
    t = data.transactions
    if t is None:
        return []
    top = np.argsort(-t.supports, kind="stable")[:BARS]
    return [(t.domain[c], int(t.supports[c])) for c in top.tolist() if t.supports[c] >= FEW]


def naming(data: Dataset) -> list[dict[str, Any]]:
    """Return the columns and items that identify people: the reason, and the patterns of items to remove."""
    found = naming_columns(data)
    return [{"column": name, "text": str(one), "patterns": list(one.patterns)} for name, one in found.items()]


def suspicions(column: Column, facts: dict[str, Any], once: int) -> list[str]:
    """Return what a steward should check before publishing; `once` is the number of values that occur once."""
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
    """Return whether all texts are numbers, some of them with a decimal comma."""
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
    """Return the number of items, the lengths of records, and the commonest items."""
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
    """Return the commonest names with their shares, without those of fewer than FEW people."""
    top = np.argsort(-counts, kind="stable")[:TOP]
    return [{"value": names[c], "share": float(counts[c] / max(1, n))} for c in top.tolist() if counts[c] >= FEW]


def _some(places: np.ndarray[Any, Any]) -> list[int]:
    """Return some of the places at equal distances."""
    if len(places) <= SAMPLE:
        return [int(place) for place in places]
    return [int(place) for place in places[np.linspace(0, len(places) - 1, SAMPLE).astype(np.int64)]]


SAMPLED_RECORDS = 20_000  # size of the sample of records whose items are compared
GROWTH = 0.01  # share of people who become unique with one more item, from which on it matters
KNOWN = ("1 item", "2 items", "3 items")


@dataclass(frozen=True, slots=True)
class Profile:
    """The number of records, facts about each column and about the items, and the shares of unique persons.

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
        """Return the share of unique records by what an attacker knows, with a 95 % interval if it is from a sample."""
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
        """Return advice on the guarantee to request."""
        return (*_advice_on_items(self.unique), *_advice_on_columns(self.identifying, self.records))

    @property
    def suspicions(self) -> tuple[str, ...]:
        """Return the columns to check before publishing."""
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
    """Return a share as text, with its interval if it is from a sample."""
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
    """Return for each quasi column how many people are unique with it but not without it, in descending order."""
    alone = alone_with(dataset.quasi, len(dataset))
    found = {name: alone[""] - alone[name] for name in alone if name}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def spread(column: Mapping[str, Any]) -> tuple[str, str]:
    """Return the masked shapes of values, and the commonest values or the spread of numbers."""
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
