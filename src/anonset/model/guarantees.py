"""What a release promises: one frozen class a guarantee, data only. The verifier knows how to check each.

`covers` says which attacks a guarantee is about: linking on quasi columns, linking on items, inferring sensitive values. An
attacker against `constraints` knows the itemsets its owner lists and no others, so it counts as covering the items.

A plug-in registers a frozen dataclass that inherits `BaseGuarantee` in the entry-point group ``anonset.guarantees``. Its check
is a static method ``check`` with the signature of `anonset.verify.findings.Check`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, get_args

from anonset.errors import ParameterError
from anonset.plugins import GUARANTEE_GROUP, Registry


def check_count(guarantee: Any, *names: str) -> None:
    """Raise unless each of these values is a whole number from 1."""
    for name in names:
        value = getattr(guarantee, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"{guarantee.id}: {name} must be a whole number from 1; got {value!r}")


def check_number(guarantee: Any, name: str, *, high: float = math.inf) -> None:
    """Raise unless the value is a finite number from 0 to `high`."""
    value = getattr(guarantee, name)
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not math.isfinite(value) or not 0 <= value <= high:
        wanted = "a finite number from 0" + (f" to {high:g}" if math.isfinite(high) else "")
        raise ParameterError(f"{guarantee.id}: {name} must be {wanted}; got {value!r}")


def check_text(guarantee: Any, name: str, *, choices: Sequence[str] = ()) -> None:
    """Raise unless the value is a text, one of the choices where there are some."""
    value = getattr(guarantee, name)
    if not isinstance(value, str) or not value or (choices and value not in choices):
        wanted = f"one of {', '.join(choices)}" if choices else "the name of a column"
        raise ParameterError(f"{guarantee.id}: {name} must be {wanted}; got {value!r}")


def check_texts(guarantee: Any, name: str, *, depth: int) -> None:
    """Raise unless the value is a tuple of texts (depth 1), or of such tuples (depth 2)."""
    value = getattr(guarantee, name)
    if not _is_texts(value, depth):
        what = "a list of items" if depth == 1 else "a list of lists of items"
        raise ParameterError(f"{guarantee.id}: {name} must be {what}; got {str(value)[:60]!r}")


def _is_texts(value: Any, depth: int) -> bool:
    if not isinstance(value, tuple):
        return False
    if depth == 1:
        return all(isinstance(part, str) for part in value)
    return all(_is_texts(part, depth - 1) for part in value)


Part = Literal["quasi", "items", "sensitive"]  # linking on quasi columns, linking on items, inference of sensitive values


class BaseGuarantee(ABC):
    """What every guarantee has: its id, what it covers, how many items attackers know, and what it means in words."""

    __slots__ = ()
    id: ClassVar[str]
    covers: ClassVar[frozenset[Part]]

    @property
    def known_items(self) -> int | None:
        """How many items of a person attackers know: None for all, 0 where the guarantee sets no number.

        One that covers items says so by its `m` or by a property of its own: risks cannot be computed without it.
        """
        m: int | None = getattr(self, "m", None)
        if m is None and "items" in self.covers:
            raise ParameterError(f"the risk under the guarantee {self.id} is not known: say how many items attackers know")
        return m or 0

    @abstractmethod
    def words(self, unit: str = "records") -> str:
        """Explain the guarantee in plain words; `unit` is what it counts, people or records."""


@dataclass(frozen=True, slots=True)
class KAnonymity(BaseGuarantee):
    """Every combination of published quasi values occurs in at least k records."""

    id: ClassVar[str] = "k-anonymity"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi"})
    k: int

    def __post_init__(self) -> None:
        check_count(self, "k")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Every combination of published quasi-identifying values is shown by at least {self.k} {unit}."


@dataclass(frozen=True, slots=True)
class KmAnonymity(BaseGuarantee):
    """Every set of at most m published items found in a record is found in at least k records."""

    id: ClassVar[str] = "km-anonymity"
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    k: int
    m: int

    def __post_init__(self) -> None:
        check_count(self, "k", "m")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Whoever knows up to {self.m} items of a person finds at least {self.k} {unit} that match, or none."


@dataclass(frozen=True, slots=True)
class CompleteK(BaseGuarantee):
    """Every record's whole published itemset is contained in at least k records'."""

    id: ClassVar[str] = "complete-k"
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    k: int

    def __post_init__(self) -> None:
        check_count(self, "k")

    @property
    def known_items(self) -> None:
        """All."""
        return None

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Whoever knows all items of a person finds at least {self.k} {unit} that match."


@dataclass(frozen=True, slots=True)
class Constraints(BaseGuarantee):
    """Each given itemset, translated to published items, is in no record or in at least k."""

    id: ClassVar[str] = "constraints"
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    k: int
    itemsets: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        check_count(self, "k")
        check_texts(self, "itemsets", depth=2)

    @property
    def known_items(self) -> int:
        """No number: attackers know the listed itemsets."""
        return 0

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Each of {len(self.itemsets)} protected itemsets matches at least {self.k} {unit}, or none."


@dataclass(frozen=True, slots=True)
class KKm(BaseGuarantee):
    """Within every group of equal published quasi values: at least k records, whose items are k^m-anonymous."""

    id: ClassVar[str] = "k-km"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    k: int
    m: int

    def __post_init__(self) -> None:
        check_count(self, "k", "m")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"Whoever knows the quasi-identifying values and up to {self.m} items of a person "
            f"finds at least {self.k} {unit} that match, or none."
        )


@dataclass(frozen=True, slots=True)
class KLm(BaseGuarantee):
    """`k-km` over the non-sensitive items, and no sensitive item in more than 1/l of the records that match m of them."""

    id: ClassVar[str] = "k-lm"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items", "sensitive"})
    k: int
    m: int
    l: int  # noqa: E741 - the papers' letter
    sensitive: tuple[str, ...]

    def __post_init__(self) -> None:
        check_count(self, "k", "m", "l")
        check_texts(self, "sensitive", depth=1)

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"Whoever knows the quasi-identifying values and up to {self.m} items that are not sensitive finds at least "
            f"{self.k} {unit} that match, or none; each of {len(self.sensitive)} sensitive items is in at most 1/{self.l} "
            "of them."
        )


@dataclass(frozen=True, slots=True)
class UtilityConstraints(BaseGuarantee):
    """Every generalized item lies inside one of the groups, and at most `suppression` (0..1) of the items are suppressed."""

    id: ClassVar[str] = "utility-constraints"
    covers: ClassVar[frozenset[Part]] = frozenset()
    groups: tuple[tuple[str, ...], ...]
    suppression: float

    def __post_init__(self) -> None:
        check_texts(self, "groups", depth=2)
        check_number(self, "suppression", high=1.0)

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"Items are generalized only inside one of {len(self.groups)} groups, and at most {self.suppression:.0%} "
            "of the items are suppressed."
        )


@dataclass(frozen=True, slots=True)
class NrK(BaseGuarantee):
    """Every original record matches at least k published ones and the other way round, in k disjoint assignments."""

    id: ClassVar[str] = "nr-k"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    k: int

    def __post_init__(self) -> None:
        check_count(self, "k")

    @property
    def known_items(self) -> int:
        """No number: attackers know whole records."""
        return 0

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Every person's record could stand behind at least {self.k} published records, and the other way round."


@dataclass(frozen=True, slots=True)
class NrL(BaseGuarantee):
    """`nr-k` with k = l, and the l matches of every original record carry l different labels of the sensitive column."""

    id: ClassVar[str] = "nr-l"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items", "sensitive"})
    l: int  # noqa: E741 - the papers' letter
    column: str

    def __post_init__(self) -> None:
        check_count(self, "l")
        check_text(self, "column")

    @property
    def known_items(self) -> int:
        """No number: attackers know whole records."""
        return 0

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"Every person's record could stand behind at least {self.l} published records "
            f"that show {self.l} different values of {self.column}."
        )


Diversity = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True, slots=True)
class LDiversity(BaseGuarantee):
    """Within every group of equal published quasi values the sensitive column has l well-represented values.

    `distinct`: l different ones. `entropy`: as much entropy as l equally frequent ones. `recursive`: the most frequent one
    occurs less than c times as often as all together from the l-th most frequent on.
    """

    id: ClassVar[str] = "l-diversity"
    covers: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    l: int  # noqa: E741 - the papers' letter
    column: str
    kind: Diversity = "distinct"
    c: float = 1.0

    def __post_init__(self) -> None:
        check_count(self, "l")
        check_text(self, "column")
        check_text(self, "kind", choices=get_args(Diversity))
        check_number(self, "c")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        rest = f"all from the {self.l}. on"
        spread = {
            "distinct": f"shows at least {self.l} different values of {self.column}",
            "entropy": f"spreads {self.column} at least as evenly as {self.l} equally frequent values",
            "recursive": f"shows the most frequent value of {self.column} under {self.c:g} times as often as {rest}",
        }
        return f"Every group of records with the same quasi-identifying values {spread[self.kind]}."


@dataclass(frozen=True, slots=True)
class TCloseness(BaseGuarantee):
    """Within every group of equal published quasi values the sensitive column is spread as in all records, but for t.

    Distance is the earth mover's: between any two different values 1, or of a numeric column the share of steps between them.
    """

    id: ClassVar[str] = "t-closeness"
    covers: ClassVar[frozenset[Part]] = frozenset({"sensitive"})
    t: float
    column: str

    def __post_init__(self) -> None:
        check_text(self, "column")
        check_number(self, "t", high=1.0)

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"In every group of records with the same quasi-identifying values {self.column} is spread as in all records, "
            f"up to a distance of {self.t:g}."
        )


@dataclass(frozen=True, slots=True)
class PartialItems(BaseGuarantee):
    """Items may be missing from records that have them, but at most `share` (0..1) of all that are not sensitive."""

    id: ClassVar[str] = "partial-items"
    covers: ClassVar[frozenset[Part]] = frozenset()
    share: float

    def __post_init__(self) -> None:
        check_number(self, "share", high=1.0)

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"A record may have items that it does not show: at most {self.share:.2%} of all items of all records."


@dataclass(frozen=True, slots=True)
class BasePopulation(BaseGuarantee):
    """What guarantees have in common that count people of the population from which the records were taken.

    `population` is its size. `records` is 0 where the people of a population file are counted. Otherwise only the share of the
    population that was drawn is known: then what is shown by this many records is estimated to fit k people, with 95 %
    confidence that nothing fits fewer.
    """

    k: int
    population: int
    records: int = 0

    def __post_init__(self) -> None:
        check_count(self, "k", "population")
        if self.records != 0 or isinstance(self.records, bool):
            check_count(self, "records")

    def _matches(self) -> str:
        """What somebody finds, in words."""
        if not self.records:
            return f"fits at least {self.k} of the {self.population:,} people of the population"
        return (
            f"is estimated, not counted, to fit at least {self.k} of about {self.population:,} people of the population "
            f"(95 % confidence; at least {self.records} records show it)"
        )


CONFIDENCE = 0.95  # that nothing fits fewer people, where they are estimated
UNKNOWN_MEMBER = "does not protect from somebody who knows that a person is among the records"


@dataclass(frozen=True, slots=True)
class KMap(BasePopulation):
    """Every combination of published quasi values fits at least k people of the population."""

    id: ClassVar[str] = "k-map"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi"})

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Every combination of published quasi-identifying values {self._matches()}. It {UNKNOWN_MEMBER}."


@dataclass(frozen=True, slots=True)
class KmMap(BasePopulation):
    """Every set of at most m published items found in a record fits at least k people of the population."""

    id: ClassVar[str] = "km-map"
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    m: int = field(kw_only=True)

    def __post_init__(self) -> None:
        BasePopulation.__post_init__(self)
        check_count(self, "m")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return f"Every set of up to {self.m} published items {self._matches()}. It {UNKNOWN_MEMBER}."


@dataclass(frozen=True, slots=True)
class KKmMap(BasePopulation):
    """Every set of at most m published items of a record, with its published quasi values, fits at least k people."""

    id: ClassVar[str] = "kkm-map"
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    m: int = field(kw_only=True)

    def __post_init__(self) -> None:
        BasePopulation.__post_init__(self)
        check_count(self, "m")

    def words(self, unit: str = "records") -> str:
        """The guarantee in words."""
        return (
            f"Every set of up to {self.m} published items of a record, together with its published quasi-identifying values, "
            f"{self._matches()}. It {UNKNOWN_MEMBER}."
        )


Guarantee = (
    KAnonymity
    | KmAnonymity
    | CompleteK
    | Constraints
    | KKm
    | KLm
    | UtilityConstraints
    | NrK
    | NrL
    | LDiversity
    | TCloseness
    | PartialItems
    | KMap
    | KmMap
    | KKmMap
)

POLICY_FIELDS = frozenset({"itemsets", "groups"})  # what the data owner fears or wants: only their number is published


def _faults(id: str, value: Any) -> list[str]:
    """What keeps an object from being the guarantee of that id."""
    if not isinstance(value, type) or not issubclass(value, BaseGuarantee) or not is_dataclass(value):
        return ["it is not a dataclass that inherits BaseGuarantee"]
    found = [f"it declares no {fact}" for fact in ("id", "covers") if not hasattr(value, fact)]
    if not value.__dataclass_params__.frozen:
        found.append("it is not frozen")
    if getattr(value, "id", id) != id:
        found.append(f"its id is {value.id!r}")
    if not callable(getattr(value, "check", None)):
        found.append("it has no check")
    return found


GUARANTEES: Registry[type[Guarantee]] = Registry(
    "guarantee", GUARANTEE_GROUP, {guarantee.id: guarantee for guarantee in get_args(Guarantee)}, _faults
)


def make_guarantee(id: str, values: dict[str, Any]) -> Guarantee:
    """The guarantee of that id; extra or absent values are an error that says which it takes."""
    guarantee = GUARANTEES.find(id)
    taken = {f.name: f.default is MISSING for f in fields(guarantee)}  # whether each must be given
    if not {name for name in taken if taken[name]} <= values.keys() <= taken.keys():
        raise ParameterError(f"{id} takes {', '.join(taken)}; got {', '.join(sorted(values)) or 'nothing'}")
    return guarantee(**{name: _tuples(value) for name, value in values.items()})


def promise_words(guarantee: Guarantee) -> str:
    """The guarantee in short: k-km(k=5, m=2); longer values are left out."""
    values = {f.name: getattr(guarantee, f.name) for f in fields(guarantee)}
    return f"{guarantee.id}({', '.join(f'{name}={value}' for name, value in values.items() if not isinstance(value, tuple))})"


def guarantee_data(guarantee: Guarantee) -> dict[str, Any]:
    """The guarantee as data: its id and all its values, as `make_guarantee` takes them."""
    return {"id": guarantee.id} | {f.name: getattr(guarantee, f.name) for f in fields(guarantee)}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list | tuple) else value
