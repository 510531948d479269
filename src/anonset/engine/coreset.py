"""The coreset of data in batches: a few items of few records, from which `aa` and `vpa` find exactly the cut of all records."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.cut import (
    CutProblem,
    HierarchyFrame,
    close,
    cut_at,
    cut_problem,
    frame_of,
    leaf_cut,
    protect,
)
from anonset.algorithms.transactions.vpa import Vpa, vertical_cut
from anonset.engine._kernels.coreset import thin
from anonset.engine.capacity import MB
from anonset.engine.domains import Answer
from anonset.engine.journal import Driver
from anonset.engine.planning import BASE
from anonset.engine.questions import Context
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Transactions
from anonset.model.sets import filter_members, offsets_of, take

BYTES_OF_ITEM, BYTES_OF_RECORD = 18, 10  # memory of the records in the coreset during the search for the cut
BYTES_OF_TABLE = 1 << 26  # largest table of pairs of nodes during that search
SPARE = 0.9  # share of the room that a coreset may fill after it was thinned again
AT_ONCE = 1 << 18  # records in one call of `thin`
DENSE = 1 << 26  # most sets for which a plain array has the counts; for more there is a hash table


@dataclass(eq=False)
class CoresetState:
    """The records in the coreset so far, and how often sets of at most m of d codes occur in them, counted up to k."""

    k: int
    m: int
    d: int
    most: int  # places of the hash table of sets

    def __post_init__(self) -> None:
        n_sets = self.d * (self.d - 1) // 2 * (self.m > 1) + self.d * (self.d - 1) * (self.d - 2) // 6 * (self.m > 2)
        self.single = np.zeros(self.d, np.uint32)
        self.keys = np.full(0 if n_sets <= DENSE else self.most, -1, np.int64)
        self.counts = np.zeros(n_sets if n_sets <= DENSE else self.most, np.uint32)
        self.used, self.holders, self.records, self.members = 0, 0, 0, 0
        self.lengths: list[Offsets] = []
        self.items: list[Ids] = []

    def add(self, offsets: Offsets, items: Ids, codes: Ids | None = None, *, whole: bool = False) -> None:
        """Add the items that are in a rare set; all items of such a record with `whole`, or if items are mapped to codes."""
        seen = (offsets, items) if codes is None else _recoded(offsets, codes[items])
        size, everything = (self.k, self.m), whole or codes is not None
        kept, self.used = thin(*seen, *size, self.single, self.keys, self.counts, self.used, everything)
        if codes is None:
            taken, members = filter_members(offsets, items, kept)
            taken = offsets_of(np.diff(taken)[np.diff(taken) > 0])
        else:
            taken, members = take(offsets, items, offsets_of(kept)[seen[0][1:]] > offsets_of(kept)[seen[0][:-1]])
        self.lengths.append(np.diff(taken).astype(np.int32))
        self.items.append(members)
        self.members += len(members)
        self.records += len(taken) - 1

    @property
    def bytes(self) -> int:
        """Return the memory that the search for the cut needs."""
        table = min(BYTES_OF_TABLE, 32 * (self.members + self.records))
        return BYTES_OF_ITEM * self.members + BYTES_OF_RECORD * self.records + table


@dataclass(frozen=True, eq=False)
class Coreset:
    """A coreset for sets of at most m items, or of nodes: item i has the code codes[i] below d (codes None: i itself)."""

    k: int
    m: int
    codes: Ids | None
    d: int
    memory: int = 1 << 28  # bytes for the table of sets
    room: int = 1 << 60  # bytes for work on the records of the coreset
    whole: bool = False  # whether records are kept with all their items or not at all
    name: ClassVar[str] = "looking for rare sets"

    def fold(self, state: CoresetState | None, unit: BatchRef, context: Context) -> CoresetState:
        """Add the records of a batch, without sensitive items."""
        held = context.batch(unit).linkable
        state = self._add(state, held.offsets, held.items)
        state.holders += int((held.lengths > 0).sum())
        return state

    def answer(self, state: CoresetState) -> Answer:
        """Return the records of the coreset, and the number of records that have items."""
        offsets = offsets_of(np.concatenate([np.zeros(0, np.int32), *state.lengths]))
        items = np.concatenate([np.zeros(0, np.int32), *state.items])
        return {"offsets": offsets, "items": items, "holders": np.array([state.holders], np.int64)}

    def merge(self, state: CoresetState | None, answer: Answer) -> CoresetState:
        """Add the coreset of another worker."""
        state = self._add(state, answer["offsets"], answer["items"])
        state.holders += int(answer["holders"][0])
        return state

    def _add(self, state: CoresetState | None, offsets: Offsets, items: Ids) -> CoresetState:
        state = self._filled(state, offsets, items)
        if state.bytes > self.room:
            state = self._thinned(state)
            if state.bytes > SPARE * self.room:
                least = (state.bytes + BASE) // MB + 1
                raise InfeasibleError(f"rare sets are in more records than memory has room for: allow more than {least}MB")
        return state

    def _filled(self, state: CoresetState | None, offsets: Offsets, items: Ids) -> CoresetState:
        state = state or CoresetState(self.k, self.m, self.d, 1 << max(10, (self.memory // 12).bit_length() - 1))
        for first in range(0, len(offsets) - 1, AT_ONCE):
            some = offsets[first : first + AT_ONCE + 1]
            state.add(some - some[0], items[some[0] : some[-1]], self.codes, whole=self.whole)
        return state

    def _thinned(self, state: CoresetState) -> CoresetState:
        """Return a smaller coreset of the same records, added again from the longest record on.

        Sets of the items that were added early are often in records that were added later, too.
        """
        answer, again = self.answer(state), None
        state.lengths, state.items = [], []  # the answer has a copy
        order = np.argsort(-np.diff(answer["offsets"]), kind="stable")
        for first in range(0, len(order), AT_ONCE):
            again = self._filled(again, *take(answer["offsets"], answer["items"], order[first : first + AT_ONCE]))
        assert again is not None, "what takes too much is not nothing"
        again.holders = state.holders
        return again


def _recoded(offsets: Offsets, codes: Ids) -> tuple[Offsets, Ids]:
    """Return ascending sets of codes without repeats, from ascending codes with repeats; codes of -1 are dropped."""
    fresh = codes >= 0
    fresh[1:] &= codes[1:] != codes[:-1]
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    fresh[starts] = codes[starts] >= 0
    return offsets_of(fresh)[offsets], codes[fresh]


def identity_codes(d: int) -> dict[str, Any]:
    """Return the arguments of a Coreset of the items themselves."""
    return {"codes": None, "d": d}


def node_codes(nodes: Ids) -> dict[str, Any]:
    """Return the arguments of a Coreset of the nodes of a cut; items of one node are neighbours, so codes ascend with items."""
    fresh = np.append(True, nodes[1:] != nodes[:-1])
    return {"codes": (np.cumsum(fresh) - 1).astype(np.int32), "d": int(fresh.sum())}


def cut_of(driver: Driver, source: BatchSource, algorithm: Aa | Vpa, memory: int, room: int = 1 << 60) -> Ids:
    """Return the node that each item is generalized to."""
    _require_possible(algorithm)
    coder = driver.context.coder
    assert coder is not None
    roster = coder.roster
    shape = frame_of(roster)
    supports = coder.supports if roster.sensitive_items is None else np.where(roster.sensitive_items, 0, coder.supports)
    staged = isinstance(algorithm, Aa) and algorithm.m == 3  # sets of three are counted on the nodes of the cut for sets of two
    question = Coreset(algorithm.k, 2 if staged else algorithm.m, **identity_codes(len(supports)), memory=memory, room=room)
    if isinstance(algorithm, Vpa):
        return vertical_cut(algorithm, shape, _records(driver, source, question), supports)[1].node
    problem = _cut_problem(driver, source, question, shape, supports)
    cut = leaf_cut(problem)
    protect(problem, cut, question.m, shape.order)
    nodes = cut.node
    if staged:
        question = Coreset(algorithm.k, 3, **node_codes(nodes), memory=memory, room=room)
        del problem
        problem = _cut_problem(driver, source, question, shape, supports)
        cut = cut_at(problem, nodes)
        close(problem, cut, 3, shape.order)
        nodes = cut.node
    return nodes


def _cut_problem(driver: Driver, source: BatchSource, question: Coreset, shape: HierarchyFrame, supports: Rows) -> CutProblem:
    """Return the cut problem on the coreset; only its own copy of the records stays in memory."""
    few = _records(driver, source, question)
    return cut_problem(shape, few, np.arange(len(few), dtype=np.int64), question.k, supports=supports)


def coreset_of(driver: Driver, source: BatchSource, question: Coreset) -> tuple[Transactions, int]:
    """Return the coreset, and the number of records that have items."""
    answer = driver.ask(question, source.batches, question.k, question.m, question.d)
    domain = driver.context.roster.linkable.domain
    return Transactions(answer["offsets"], answer["items"].astype(np.int32, copy=False), domain), int(answer["holders"][0])


def _records(driver: Driver, source: BatchSource, question: Coreset) -> Transactions:
    """Return the coreset; raise InfeasibleError if fewer than k records have items."""
    if question.k > source.rows:
        raise InfeasibleError(f"k={question.k} exceeds the {source.rows} records of the dataset")
    few, holders = coreset_of(driver, source, question)
    if 0 < holders < question.k:
        raise InfeasibleError(
            f"only {holders} records have items to link on, fewer than k={question.k}; no generalization hides them"
        )
    return few


def _require_possible(algorithm: Aa | Vpa) -> None:
    """Raise ParameterError for settings that need all records in memory."""
    if algorithm.m > 3:
        raise ParameterError(f"data in batches are protected against up to 3 known items; got m={algorithm.m}")
    if algorithm.refine or getattr(algorithm, "order", "lazy") == "paper":
        raise ParameterError(
            f"refine and order=paper need all supports: leave them, or read the data into memory ({algorithm.name})"
        )
