"""Judge any released file, synthetic data too, by what it tells about the people it was made of and not about others.

Each attack runs on people of the original and, if there is one, on a control: people of the same kind who were never used.
What succeeds on both alike is knowledge about everybody; what succeeds more often on the people of the original is a leak.

The measure of risk and the attacks on columns follow Giomi, Boenisch, Wehmeyer and Tasnadi, "A Unified Framework for
Quantifying Privacy Risk in Synthetic Data", Proceedings on Privacy Enhancing Technologies 2023(2); item sets, generalized
values, copies and the comparison of distances are added here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from anonset.attacks.linkage import Z95, Rate, share
from anonset.attacks.matching import Attributes, People, ReleasedRecords, released_records
from anonset.errors import InputError, ParameterError
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.progress import Progress, silent, with_progress
from anonset.model.release import Margins, Release
from anonset.model.sets import offsets_of, rows_of
from anonset.notebook import card, table

TOLERANCE = 0.05  # part of a numeric column's span: a guess this near is right
ERROR = 0.05  # chance that any attack on a file that tells nothing is said to leak
NO_CONTROL = "no control: what the file teaches about everybody counts as risk"
KNOWN_ITEMS, KNOWN_ATTRIBUTES = 2, 3  # items of a described record; attributes of a short description


@dataclass(frozen=True, slots=True)
class AuditedAttack:
    """How often an attack succeeds on people of the original, on people of the control, and by chance.

    `risk` is the part of the successes that the control does not explain, (people - control) / (1 - control), with its 95 %
    interval; without a control, `chance` takes its place, and what the file teaches about everybody counts as risk.
    `leaks`: whether people are found more often than the control beyond doubt, although several attacks were tried.
    """

    kind: str
    knowledge: str
    attackers: int
    people: Rate
    control: Rate | None
    chance: Rate
    risk: Rate
    leaks: bool


@dataclass(frozen=True, slots=True)
class Membership:
    """How often an attacker tells who was in the data: of two people, one used and one not, the nearer one to the file."""

    attackers: int
    right: Rate
    leaks: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of every attack on a file of `records` records about `people` people, compared with `control` others."""

    records: int
    people: int
    control: int
    attacks: tuple[AuditedAttack, ...]
    membership: Membership | None = None
    remarks: tuple[str, ...] = ()

    @property
    def leaks(self) -> bool:
        """Whether any attack succeeds more often than the control, or chance, explains."""
        return any(attack.leaks for attack in self.attacks) or (self.membership is not None and self.membership.leaks)

    @property
    def worst(self) -> float:
        """Return the largest risk of any attack."""
        return max((attack.risk.value for attack in self.attacks), default=0.0)

    def as_json(self) -> dict[str, Any]:
        """Return the figures."""
        return {
            "records": self.records,
            "people": self.people,
            "control": self.control,
            "leaks": self.leaks,
            "worst": self.worst,
            "attacks": [
                {
                    "kind": a.kind,
                    "knowledge": a.knowledge,
                    "attackers": a.attackers,
                    "people": list(a.people),
                    "control": None if a.control is None else list(a.control),
                    "chance": list(a.chance),
                    "risk": list(a.risk),
                    "leaks": a.leaks,
                }
                for a in self.attacks
            ],
            "membership": None
            if self.membership is None
            else {"attackers": self.membership.attackers, "right": list(self.membership.right), "leaks": self.membership.leaks},
            "remarks": self.remarks,
        }

    def _repr_html_(self) -> str:
        rows = [
            (a.kind, a.knowledge, a.people.value, a.chance.value, a.risk.value, a.risk.low, a.risk.high) for a in self.attacks
        ]
        header = ("attack", "attackers know", "succeeds", "by chance", "risk", "from", "to")
        return card(f"Audit of {self.records:,} records: a risk of up to {self.worst:.3g}", table(header, rows))


class _Successes(NamedTuple):
    """Which attackers succeed on people, and which of as many succeed by chance."""

    won: Mask
    chance: Mask


def audit(
    original: Dataset,
    release: Release,
    *,
    control: Dataset | None = None,
    aligned: bool = False,
    attackers: int = 2000,
    seed: int | None = None,
    progress: Progress = silent,
) -> Audit:
    """Attack a file in every way that its attributes allow; its rows need not be those of the original.

    Where they are (`aligned`: release.rows says which), attackers also guess the items behind labels.
    """
    if attackers < 1:
        raise ParameterError(f"attackers must be 1 or more; got {attackers}")
    if len(release) == 0:
        raise InputError("the file has no records")
    rng = np.random.default_rng(seed)
    released = released_records(original, release)
    groups = [released.people(data) for data in ((original,) if control is None else (original, control))]
    found = []
    for kind, knowledge, attack in with_progress(list(_attacks(released, attackers, rng, groups)), progress):
        found.append((kind, knowledge, [attack(people) for people in groups]))
    if aligned and isinstance(release.items, GeneralizedItems):
        known: dict[str, Margins | None] = {"the file": None}
        known |= {} if release.margins is None else {"the file and its margins": release.margins}
        found += [
            ("downcoding", name, [_downcoded(release, release.items, groups[0], margins, rng)])
            for name, margins in known.items()
        ]
    beyond_doubt = NormalDist().inv_cdf(1 - ERROR / (len(found) + 1))
    attacks = tuple(_compared(kind, knowledge, won, beyond_doubt) for kind, knowledge, won in found)
    if control is None:
        return Audit(len(release), len(original), 0, attacks, None, (NO_CONTROL,))
    membership = _membership(released, groups, attackers, rng, beyond_doubt)
    return Audit(len(release), len(original), len(control), attacks, membership)


Attack = Callable[[People], _Successes]


def _attacks(
    released: ReleasedRecords, attackers: int, rng: np.random.Generator, groups: list[People]
) -> Iterator[tuple[str, str, Attack]]:
    """Yield each attack: its kind, what the attackers know, and what runs it on people."""

    def drawn(people: People) -> People:
        return people.of(rng.permutation(len(people))[:attackers])

    yield "copies", "everything", lambda people: _Successes(released.exact_copies(people), np.zeros(len(people), np.bool_))
    for knowledge, most in (("a whole record of the file", None), ("some attributes of a record", KNOWN_ATTRIBUTES)):
        fewest = min(len(people) for people in groups)  # in a larger crowd fewer are alone
        yield "singling out", knowledge, _singling_out(released, attackers, most, fewest, rng)
    if (halves := _halves(released)) is not None:
        yield "linkability", "two halves of a record", lambda people: _linked(released, drawn(people), halves, rng)
    for place, name in enumerate(released.names):
        if len(released.names) > 1 or released.items:
            guess = partial(_guessed_value, released, place, groups[0], rng)
            yield "inference", f"all but {name}", lambda people, guess=guess: guess(drawn(people))  # type: ignore[misc]
    if released.items:
        yield "inference", "all but one item", lambda people: _guessed_item(released, groups[0], rng, drawn(people))


def _singling_out(released: ReleasedRecords, n: int, most: int | None, fewest: int, rng: np.random.Generator) -> Attack:
    """Return the attack that describes people by records of the file, in the hope that exactly one fits."""
    described = _Descriptions.draw(released, n, most, rng)
    mixed = described.mixed(released, rng)

    def attack(people: People) -> _Successes:
        some = people.of(rng.permutation(len(people))[:fewest])
        return _Successes(*(guess.fitting(released, some) == 1 for guess in (described, mixed)))

    return attack


def _compared(kind: str, knowledge: str, found: list[_Successes], beyond_doubt: float) -> AuditedAttack:
    """Return the rates of an attack on the original and the control, and the risk between them."""
    people, chance = (share(int(won.sum()), len(won)) for won in found[0])
    control = share(int(found[1].won.sum()), len(found[1].won)) if len(found) > 1 else None
    usual = chance if control is None else control
    n, of = len(found[0].won), len(found[-1].won)
    both = (people.value * n + usual.value * of) / max(1, n + of)
    spread = np.sqrt(both * (1 - both) * (1 / max(1, n) + 1 / max(1, of)))
    leaks = bool(people.value - usual.value > beyond_doubt * spread)
    return AuditedAttack(kind, knowledge, n, people, control, chance, risk_between(people, usual), leaks)


def risk_between(people: Rate, usual: Rate) -> Rate:
    """Return (people - usual) / (1 - usual), at least 0, with its interval: errors of both rates, carried forward."""
    if usual.value >= 1.0:
        return Rate(0.0, 0.0, 1.0)
    p, u = ((rate.low + rate.high) / 2 for rate in (people, usual))  # the middles of the intervals, which are inside 0..1
    rest = 1.0 - u
    spread = np.hypot((people.high - people.low) / 2 / rest, (1.0 - p) / rest**2 * (usual.high - usual.low) / 2)
    value, middle = (people.value - usual.value) / (1.0 - usual.value), (p - u) / rest
    low, high = min(value, middle - float(spread)), max(value, middle + float(spread))
    return Rate(max(0.0, value), max(0.0, low), min(1.0, max(0.0, high)))


class _Descriptions(NamedTuple):
    """Descriptions of people, made of released records: which record, which of its columns, and which of its labels."""

    records: Rows
    shown: tuple[Offsets, Ids]
    used: Mask

    @classmethod
    def draw(cls, released: ReleasedRecords, n: int, most: int | None, rng: np.random.Generator) -> "_Descriptions":
        """Describe random records by all columns and some items, or by at most `most` attributes."""
        records = rng.integers(0, len(released), n)
        columns = len(released.names)
        lengths = np.diff(released.shown_offsets)[records]
        items = np.minimum(lengths, KNOWN_ITEMS)
        used = np.ones((n, columns), np.bool_)
        if most is not None:
            rank = rng.permuted(np.tile(np.arange(columns), (n, 1)), axis=1) if columns else np.zeros((n, 0), np.int64)
            items = np.minimum(items, np.where(columns > 0, rng.integers(0, KNOWN_ITEMS + 1, n), KNOWN_ITEMS))
            used = rank < (most - items)[:, None]
        first = released.shown_offsets[records]
        skip = (rng.random(n) * (lengths - items + 1)).astype(np.int64)
        offsets = offsets_of(items)
        places = np.repeat(first + skip - offsets[:-1], items) + np.arange(offsets[-1])
        return cls(records, (offsets, released.shown[places]), used)

    def mixed(self, released: ReleasedRecords, rng: np.random.Generator) -> "_Descriptions":
        """Return as many descriptions of the same make whose columns are of one random record and whose items of others."""
        records = rng.integers(0, len(released), len(self.records))
        return _Descriptions(records, (self.shown[0], rng.permutation(self.shown[1])), self.used)

    def fitting(self, released: ReleasedRecords, people: People) -> Rows:
        """Return how many people each description fits: 0, 1 or 2 for more."""
        return released.described(people, self.records, self.shown, self.used, 2)


def _halves(released: ReleasedRecords) -> tuple[Attributes, Attributes] | None:
    """Return two halves of the attributes: columns and items, or every other column; None where there is but one attribute."""
    numeric, other, items, _ = released.attributes
    if items and (numeric or other):
        return Attributes(numeric, other, False), Attributes((), (), True)
    if items:
        return Attributes((), (), True, False), Attributes((), (), True, False)
    every = [(True, p) for p in numeric] + [(False, p) for p in other]
    if len(every) < 2:
        return None
    sides = [every[::2], every[1::2]]
    first, second = (
        Attributes(tuple(p for is_number, p in side if is_number), tuple(p for is_number, p in side if not is_number), False)
        for side in sides
    )
    return first, second


def _linked(
    released: ReleasedRecords, people: People, halves: tuple[Attributes, Attributes], rng: np.random.Generator
) -> _Successes:
    """Look for the record nearest to each half of a person: it is the same one where the file ties the halves together."""
    sides = (people, people)
    if halves[0].items and halves[1].items:
        held = rng.random(len(people.items)) < 0.5
        sides = (people.with_items(held), people.with_items(~held))
    first, second = (released.nearest(side, half, rng)[0] for side, half in zip(sides, halves, strict=True))
    return _Successes(first == second, first == rng.permutation(second))


def _guessed_value(
    released: ReleasedRecords, place: int, everybody: People, rng: np.random.Generator, people: People
) -> _Successes:
    """Guess a column from the nearest record by all others; by chance, the value of anybody."""
    a = released.low.shape[1]
    numeric, other, items, _ = released.attributes
    used = Attributes(tuple(p for p in numeric if p != place), tuple(p for p in other if p != place - a), items)
    nearest, _ = released.nearest(people, used, rng)
    anybody = rng.integers(0, len(everybody), len(people))
    if place < a:
        low, high = released.low[nearest, place], released.high[nearest, place]
        guess = low + (high - low) * rng.random(len(people))
        return _Successes(*(_near(g, people.numbers[:, place]) for g in (guess, everybody.numbers[anybody, place])))
    c = place - a
    ends = np.append(released.starts, len(released.fits))
    behind = released.fits[ends[c] : ends[c + 1]].reshape(-1, released.widths[c])[released.labels[nearest, c]]
    guess = (behind * rng.random(behind.shape)).argmax(axis=1)  # any value behind the label, each as likely
    true = people.codes[:, c]
    return _Successes(guess == true, everybody.codes[anybody, c] == true)


def _near(guess: Any, true: Any) -> Mask:
    right: Mask = (np.abs(guess - true) <= TOLERANCE) | (np.isnan(guess) & np.isnan(true))
    return right


def _guessed_item(released: ReleasedRecords, everybody: People, rng: np.random.Generator, people: People) -> _Successes:
    """Guess an item that the attacker does not know from the nearest record by all else; by chance, an item of anybody."""
    people = people.of(np.flatnonzero(np.diff(people.offsets) > 0))
    n = len(people)
    hidden = people.offsets[:-1] + (rng.random(n) * np.diff(people.offsets)).astype(np.int64)
    known = people.with_items(~np.isin(np.arange(len(people.items)), hidden))
    nearest, _ = released.nearest(known, released.attributes._replace(whole=False), rng)
    guess = _strange_items(released, known, nearest, rng)
    anybody = everybody.items[rng.integers(0, max(1, len(everybody.items)), n)] if len(everybody.items) else guess
    return _Successes(guess == people.items[hidden], anybody == people.items[hidden])


def _strange_items(released: ReleasedRecords, known: People, records: Rows, rng: np.random.Generator) -> Ids:
    """Return, for each person, an item behind a label of their record that stands for none of the known ones; -1 for none."""
    sizes = np.diff(released.shown_offsets)[records]
    offsets = offsets_of(sizes)
    person = rows_of(offsets)
    shown = released.shown[np.repeat(released.shown_offsets[records] - offsets[:-1], sizes) + np.arange(offsets[-1])]
    counts = np.diff(released.member_offsets)[shown]
    members = offsets_of(counts)
    place = np.repeat(released.member_offsets[shown] - members[:-1], counts) + np.arange(members[-1])
    holder = np.repeat(person, counts)
    width = max(len(released.items), int(known.items.max(initial=-1)) + 1, 1)
    mine = np.isin(holder * width + released.members[place], rows_of(known.offsets) * width + known.items)
    stands = np.bincount(np.repeat(np.arange(len(shown)), counts), mine, len(shown)) > 0
    score = np.where(stands, -1.0, rng.random(len(shown)))
    best = np.full(len(known), -1, np.int64)
    order = np.argsort(score)
    best[person[order]] = order  # the last one written has the highest score
    found = np.full(len(known), -1, np.int32)
    has = (best >= 0) & (score[best] >= 0.0) if len(shown) else np.zeros(len(known), np.bool_)
    chosen = shown[best[has]]
    begin, of = released.member_offsets[chosen], np.diff(released.member_offsets)[chosen]
    found[has] = released.members[begin + (rng.random(len(chosen)) * of).astype(np.int64)]
    return found


def _downcoded(
    release: Release, items: GeneralizedItems, people: People, margins: Margins | None, rng: np.random.Generator
) -> _Successes:
    """Guess the item behind every label of several: the commonest as far as the file, or its margins, say; or any by chance."""
    labels, sizes = items.labels, items.labels.sizes
    exact = np.bincount(items.shown, minlength=len(labels)) * (sizes == 1)
    seen = np.bincount(labels.members, exact[rows_of(labels.offsets)], len(items.domain))
    if margins is not None:
        expected = np.array([margins.expected(name) or 0.0 for name in items.domain])
        seen = np.maximum(0.0, expected - seen)  # what is not shown exactly must be behind labels
    score = seen[labels.members] + rng.random(len(labels.members)) * 1e-6  # chance decides between equals
    order = np.lexsort((score, rows_of(labels.offsets)))
    likeliest = labels.members[order][labels.offsets[1:] - 1]
    label = items.shown[sizes[items.shown] > 1]
    person = release.rows[rows_of(items.offsets)[sizes[items.shown] > 1]]
    anything = labels.members[labels.offsets[label] + (rng.random(len(label)) * sizes[label]).astype(np.int64)]
    width = max(len(items.domain), int(people.items.max(initial=-1)) + 1)
    held = rows_of(people.offsets) * width + people.items
    return _Successes(*(np.isin(person * width + guess, held) for guess in (likeliest[label], anything)))


def _membership(
    released: ReleasedRecords, groups: list[People], attackers: int, rng: np.random.Generator, beyond_doubt: float
) -> Membership:
    """Compare the distances to the file of people who were used with those of people who were not."""
    n = min(attackers, *(len(people) for people in groups))
    near = [released.nearest(people.of(rng.permutation(len(people))[:n]), released.attributes, rng)[1] for people in groups]
    used, others = (np.sort(distances) for distances in near)
    wins = 1.0 - _ranks(others, used) / n  # of each who was used: how many others are farther, half of those as far
    losses = _ranks(used, others) / n
    value = float(wins.mean())
    error = float(np.sqrt(wins.var() / n + losses.var() / n))  # of an area under the curve, by DeLong
    right = Rate(value, max(0.0, value - Z95 * error), min(1.0, value + Z95 * error))
    return Membership(n, right, value - 0.5 > beyond_doubt * error)


def _ranks(sorted_values: Reals, values: Reals) -> Reals:
    """Return how many sorted values are below each value, and half of those equal to it."""
    ranks: Reals = (np.searchsorted(sorted_values, values, "left") + np.searchsorted(sorted_values, values, "right")) / 2
    return ranks
