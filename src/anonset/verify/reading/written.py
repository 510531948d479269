"""What stands in a published file, before anybody asks what it means: looks of cells, and sets of looks."""

from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids, Offsets, Rows
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
