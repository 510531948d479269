"""What stands in a published file, before anybody asks what it means: looks of cells, and sets of looks."""

from array import array
from collections.abc import Hashable, Iterable

import numpy as np

from anonset.model.arrays import Ids, Offsets


class WrittenValues:
    """One value a record: record r looks like the look with the number codes[r], or like nothing where that is -1."""

    def __init__(self) -> None:
        self.number: dict[Hashable, int] = {}
        self._codes = array("i")

    def add(self, look: Hashable | None) -> None:
        """Append the value of the next record."""
        self._codes.append(-1 if look is None else self.number.setdefault(look, len(self.number)))

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

    def add(self, looks: Iterable[Hashable]) -> None:
        """Append the set of the next record."""
        self._codes.extend(sorted({self.number.setdefault(look, len(self.number)) for look in looks}))
        self._ends.append(len(self._codes))

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

    def add(self, base: Iterable[str], uncertain: Iterable[str], errors: int) -> None:
        """Append the uncertain set of the next record."""
        self.base.add(base)
        self.uncertain.add(uncertain)
        self._errors.append(errors)

    @property
    def errors(self) -> Ids:
        """The bound of each record."""
        return np.array(self._errors, np.int64).astype(np.int32)

    def __len__(self) -> int:
        return len(self._errors)


Written = WrittenValues | WrittenSets | WrittenDoubts
