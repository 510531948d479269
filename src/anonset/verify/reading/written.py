"""What stands in a published file: looks of cells and sets of looks, and the values, codes and exact numbers that they
stand for.
"""

import json
import re
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Column
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.verify.sets import runs


class WrittenValues:
    """One value a record: record r looks like the look with the number codes[r], or like nothing where that is -1."""

    def __init__(self) -> None:
        self.number: dict[Hashable, int] = {}
        self._codes = array("i")

    @classmethod
    def of(cls, looks: Iterable[Hashable], codes: Ids) -> "WrittenValues":
        """All records at once."""
        written = cls()
        written.number = {look: n for n, look in enumerate(looks)}
        written._codes.frombytes(codes.astype(np.int32).tobytes())
        return written

    def add(self, look: Hashable | None) -> None:
        """Append the value of the next record."""
        self._codes.append(-1 if look is None else self.number.setdefault(look, len(self.number)))

    def extend(self, looks: Sequence[Hashable | None], codes: Rows) -> None:
        """Append the values of the next records: of record r the look looks[codes[r]]."""
        numbers = [-1 if look is None else self.number.setdefault(look, len(self.number)) for look in looks]
        self._codes.frombytes(np.array(numbers, np.int32)[codes].tobytes())

    @property
    def codes(self) -> Ids:
        """The number of each record's look."""
        return np.array(self._codes, np.int32)

    def __len__(self) -> int:
        return len(self._codes)


class WrittenSets:
    """One set a record, of looks by number, ascending and without repeats."""

    def __init__(self) -> None:
        self.number: dict[Hashable, int] = {}
        self._codes = array("i")
        self._ends = array("q", [0])

    @classmethod
    def of(cls, looks: Iterable[Hashable], offsets: Offsets, codes: Ids) -> "WrittenSets":
        """All records at once."""
        written = cls()
        written.number = {look: n for n, look in enumerate(looks)}
        written._codes.frombytes(codes.astype(np.int32).tobytes())
        written._ends = array("q", offsets.astype(np.int64).tobytes())
        return written

    def add(self, looks: Iterable[Hashable]) -> None:
        """Append the set of the next record."""
        self._codes.extend(sorted({self.number.setdefault(look, len(self.number)) for look in looks}))
        self._ends.append(len(self._codes))

    def extend(self, looks: Sequence[Hashable], entries: Rows, owner: Rows, n: int, which: Rows | None = None) -> None:
        """Append n sets, with the look looks[entries[e]] in set owner[e] for every e; or, of them, those that `which` names."""
        numbers = np.array([self.number.setdefault(look, len(self.number)) for look in looks], np.int64)
        starts, codes = self._sorted(numbers[entries], owner, n)
        if which is None:
            self._append(np.diff(starts), codes)
        else:
            lengths, where = runs(starts[:-1][which], starts[1:][which])
            self._append(lengths, codes[where])

    def _sorted(self, codes: Rows, owner: Rows, n: int) -> tuple[Offsets, Ids]:
        """The sets one after the other, each ascending and without repeats."""
        size = max(1, len(self.number))
        keys = np.sort(owner * size + codes, kind="stable")  # quick where rows are in order already
        keys = keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
        owner = keys // size
        return np.append(0, np.cumsum(np.bincount(owner, minlength=n))), (keys - owner * size).astype(np.int32)

    def _append(self, lengths: Rows, codes: Ids) -> None:
        self._ends.frombytes((len(self._codes) + np.cumsum(lengths)).astype(np.int64).tobytes())
        self._codes.frombytes(codes.tobytes())

    @property
    def offsets(self) -> Offsets:
        """Where each record's set begins and ends."""
        return np.array(self._ends, np.int64)

    @property
    def codes(self) -> Ids:
        """The looks of all records one after the other."""
        return np.array(self._codes, np.int32)

    def __len__(self) -> int:
        return len(self._ends) - 1


class WrittenDoubts:
    """One uncertain set a record: its base, the items that may be wrong in it, and how many of them at most are."""

    def __init__(self) -> None:
        self.base, self.uncertain = WrittenSets(), WrittenSets()
        self._errors = array("q")

    @classmethod
    def of(cls, base: WrittenSets, uncertain: WrittenSets, errors: Ids) -> "WrittenDoubts":
        """All records at once."""
        written = cls()
        written.base, written.uncertain = base, uncertain
        written._errors.frombytes(errors.astype(np.int64).tobytes())
        return written

    def add(self, base: Iterable[str], uncertain: Iterable[str], errors: int) -> None:
        """Append the uncertain set of the next record."""
        self.base.add(base)
        self.uncertain.add(uncertain)
        self._errors.append(errors)

    def extend_errors(self, errors: Iterable[int]) -> None:
        """Append the bounds of the next records, whose sets `base` and `uncertain` were given."""
        self._errors.extend(errors)

    @property
    def errors(self) -> Ids:
        """The bound of each record."""
        return np.array(self._errors, np.int64).astype(np.int32)

    def __len__(self) -> int:
        return len(self._errors)


Written = WrittenValues | WrittenSets | WrittenDoubts
Guide = dict[str, Any]  # an entry of `attributes` in about.json
Attributes = dict[str, Written]  # by name
SET, DOUBTS = "set", "uncertain set"


def empty(guides: Sequence[Guide]) -> Attributes:
    """Nothing written yet, for each attribute."""
    found: Attributes = {}
    for guide in guides:
        if guide["name"] in found:
            raise GuaranteeViolated(f"about.json explains {guide['name']!r} twice")
        kinds: dict[str, type[Written]] = {SET: WrittenSets, DOUBTS: WrittenDoubts}
        found[guide["name"]] = kinds[guide["kind"]]() if guide["role"] == "items" else WrittenValues()
    return found


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def column_of(written: WrittenValues, guide: Guide, original: Column) -> PublishedColumn:
    """The published column; a look is a text that about.json explains, or says itself what it stands for."""
    looks = list(written.number)
    listed = _listed(guide, looks)
    if guide["labels"] == "ranges":
        labels: Labels | Ranges = _ranges(looks, listed, original)
    else:
        labels = _sets(looks, listed, original)
    return PublishedColumn(original.name, guide["role"], written.codes, labels)


def items_of(written: WrittenSets | WrittenDoubts, guide: Guide, domain: tuple[str, ...], suppressed: Ids) -> PublishedItems:
    """The published items, over the original's items and behind them those that it does not know."""
    codes = Codes(guide["name"], domain)
    if isinstance(written, WrittenSets):
        looks = list(written.number)
        listed = _listed(guide, looks)
        labels = Labels.from_groups([codes.of(look, listed) for look in looks], _texts(looks))
        return GeneralizedItems(written.offsets, written.codes, labels, (*domain, *codes.strange), suppressed)
    base, uncertain = (_single(sets, codes) for sets in (written.base, written.uncertain))
    if codes.strange:
        codes.refuse(next(iter(codes.strange)))
    return UncertainItems(*base, *uncertain, written.errors, domain)


def _listed(guide: Guide, looks: Sequence[Hashable]) -> Mapping[str, Any]:
    """What about.json lists for looks; it must not tell of anything that no record shows."""
    listed: Mapping[str, Any] = guide.get("generalized", {})
    unseen = listed.keys() - set(looks)
    if unseen:
        raise GuaranteeViolated(f"{guide['name']}: about.json explains {min(unseen)!r}, which no record shows")
    return listed


def _ranges(looks: Sequence[Hashable], listed: Mapping[str, Any], original: Column) -> Ranges:
    if original.values is None:
        raise GuaranteeViolated(f"{original.name}: ranges are published of a column that is not numeric")
    own = dict(zip(original.domain, original.values.tolist(), strict=True))
    low, high, texts = [], [], []
    for look in looks:
        if isinstance(look, tuple):
            first, last = (_number(end, original.name) for end in look)
            texts.append(f"{look[0]}" if first == last else f"[{look[0]}:{look[1]}]")
        else:
            text = str(look)
            ends = (listed[text]["lo"], listed[text]["hi"]) if text in listed else (own.get(text, text),) * 2
            first, last = (_number(end, original.name) for end in ends)
            texts.append(text)
        low.append(first)
        high.append(last)
    return Ranges(np.array(low, np.float64), np.array(high, np.float64), tuple(texts))


def _sets(looks: Sequence[Hashable], listed: Mapping[str, Any], original: Column) -> Labels:
    codes = Codes(original.name, original.domain, [] if original.values is None else original.values.tolist())
    return Labels.from_groups([codes.of(look, listed) for look in looks], _texts(looks))


def _members(look: Hashable, listed: Mapping[str, Any]) -> Sequence[Any]:
    """The values a look stands for: those it spells out, those about.json lists for it, or itself."""
    if isinstance(look, tuple):
        return look
    found = listed.get(str(look), [look])
    if not isinstance(found, list):
        raise GuaranteeViolated(f"about.json must list what {look!r} stands for")
    return found


class Codes:
    """Codes of names; names that the original does not know get codes of their own, above the others."""

    def __init__(self, attribute: str, domain: Sequence[str], values: Sequence[float] = ()) -> None:
        self.attribute = attribute
        self.known: dict[Any, int] = {name: c for c, name in enumerate(domain)}
        self.known |= {value: c for c, value in enumerate(values)}
        self.size = len(domain)
        self.strange: dict[Any, int] = {}

    def of(self, look: Hashable, listed: Mapping[str, Any]) -> list[int]:
        """The codes of the values behind a look, of which the original must know at least one."""
        names = _members(look, listed)
        if not any(name in self.known for name in names):
            self.refuse(list(look) if isinstance(look, tuple) else look)
        return sorted({self[name] for name in names})

    def __getitem__(self, name: Any) -> int:
        if name in self.known:
            return self.known[name]
        return self.size + self.strange.setdefault(name, len(self.strange))

    def refuse(self, shown: object) -> NoReturn:
        """Say that something stands for nothing."""
        raise GuaranteeViolated(f"{self.attribute}: the published {shown!r} stands for no value of the original")


def _single(sets: WrittenSets, codes: Codes) -> tuple[Any, Ids]:
    """Sets of items as sets of codes, ascending."""
    items = np.array([codes[item] for item in sets.number], np.int32)[sets.codes]
    offsets, d = sets.offsets, int(items.max(initial=0)) + 1
    first = np.repeat(np.arange(len(sets)), np.diff(offsets)) * d
    return offsets, (np.sort(first + items, kind="stable") - first).astype(
        np.int32
    )  # sorted, each record's are where they were


def _number(value: Any, attribute: str) -> float:
    """The number, exactly as it is written or not at all."""
    if (isinstance(value, str) and NUMBER.fullmatch(value)) or (not isinstance(value, bool) and isinstance(value, int | float)):
        exact, held = Decimal(value), float(value)
    else:
        raise GuaranteeViolated(f"{attribute}: the published {value!r} stands for no value of the original")
    if not np.isfinite(held) or (2.0**53 <= abs(held) < 2.0**63 and exact != Decimal(held)):
        raise GuaranteeViolated(f"{attribute}: the published {value!r} is no number that the original could hold")
    return held


def _texts(looks: Iterable[Hashable]) -> list[str]:
    """How looks are named in sentences: as they are written, lists as JSON has them; no two alike."""
    seen: dict[str, None] = {}
    for look in looks:
        text = look if isinstance(look, str) else _spelled(look)
        while text in seen:
            text += "'"
        seen[text] = None
    return list(seen)


def _spelled(look: Hashable) -> str:
    values = list(look) if isinstance(look, tuple) else [look]
    return str(values[0]) if len(values) == 1 else json.dumps(values, ensure_ascii=False)
