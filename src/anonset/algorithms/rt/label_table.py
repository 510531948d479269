"""The labels of a release with local recoding: every set of items has one number, whichever cluster shows it."""

from collections.abc import Sequence
from threading import Lock

import numpy as np

from anonset.algorithms.recoding import NONE, group_text
from anonset.algorithms.rt.kernels.protection import is_protected
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.sets import offsets_of, sets_of
from anonset.model.transactions import item_order


class LabelTable:
    """Sets of items, numbered as they come; safe to write from several threads."""

    __slots__ = ("_domain", "_groups", "_lock", "_number", "_sensitive", "_sizes", "_texts")

    def __init__(self, data: Dataset) -> None:
        assert data.transactions is not None
        self._domain = data.transactions.domain
        self._sensitive: Mask = (
            data.sensitive_items if data.sensitive_items is not None else np.zeros(len(self._domain), np.bool_)
        )
        self._number: dict[bytes, int] = {}
        self._groups: list[Ids] = []
        self._texts: list[str] = []
        self._sizes = np.zeros(0, np.int64)
        self._lock = Lock()

    def numbers(self, groups: Sequence[Ids], texts: Sequence[str]) -> Ids:
        """The number of each group of items."""
        with self._lock:
            return np.array([self._enter(group, text) for group, text in zip(groups, texts, strict=True)], np.int32)

    def node_numbers(self, tree: Hierarchy) -> Ids:
        """The number of each node of an item hierarchy; it stands for its leaves that are not sensitive (-1: it has none)."""
        groups = [np.arange(low, high, dtype=np.int32) for low, high in zip(tree.low, tree.high, strict=True)]
        groups = [group if len(group) == 1 else group[~self._sensitive[group]] for group in groups]
        shown = [v for v, group in enumerate(groups) if len(group)]
        found = np.full(len(tree), -1, np.int32)
        found[shown] = self.numbers([groups[v] for v in shown], [tree.labels[v] for v in shown])
        return found

    @property
    def sizes(self) -> Rows:
        """The number of items behind each label; 0 for a sensitive item, which no loss of linkable items counts."""
        with self._lock:
            if len(self._sizes) < len(self._groups):
                counts = [0 if len(group) == 1 and self._sensitive[group[0]] else len(group) for group in self._groups]
                self._sizes = np.array(counts, np.int64)
            return self._sizes

    @property
    def domain(self) -> tuple[str, ...]:
        """The items by name."""
        return self._domain

    @property
    def members(self) -> tuple[Offsets, Ids]:
        """The items behind each label a: members[offsets[a] : offsets[a + 1]]."""
        with self._lock:
            groups = list(self._groups)
        return sets_of(groups)

    def protects(self, offsets: Offsets, shown: Ids, k: int, m: int, l: int) -> bool:  # noqa: E741 - the papers' letter
        """Whether records that show these labels are k^m-anonymous and, by their sensitive items, l^m-diverse."""
        known = self.sizes[shown] > 0
        before = offsets_of(known)[offsets]
        used, label = np.unique(shown[known], return_inverse=True)
        hidden, secret = np.unique(shown[~known], return_inverse=True)
        linkable, secrets = label.astype(np.int32), secret.astype(np.int32)
        return bool(is_protected(before, linkable, len(used), k, m, offsets - before, secrets, len(hidden), l))

    def publish(self, offsets: Offsets, shown: Ids) -> GeneralizedItems:
        """Published items by label number; labels are sorted by their members, so threads leave no mark on a release."""
        used, dense = np.unique(shown, return_inverse=True)
        order = sorted(range(len(used)), key=lambda a: self._groups[used[a]].tolist())
        place = np.empty(len(used), np.int32)
        place[order] = np.arange(len(used))
        groups = [self._groups[used[a]] for a in order]
        offsets, entries = collapse(offsets, place[dense])
        labels = Labels.from_groups(groups, self._different([self._texts[used[a]] for a in order], groups))
        return GeneralizedItems(offsets, entries, labels, self._domain, NONE.copy())

    def _different(self, texts: list[str], groups: list[Ids]) -> list[str]:
        seen: set[str] = set()
        for a, text in enumerate(texts):
            if text in seen:
                texts[a] = group_text(item_order(self._domain[i] for i in groups[a]))
            seen.add(texts[a])
        return texts

    def _enter(self, group: Ids, text: str) -> int:
        key = group.tobytes()
        if key not in self._number:
            self._number[key] = len(self._groups)
            self._groups.append(group)
            self._texts.append(text)
        return self._number[key]
