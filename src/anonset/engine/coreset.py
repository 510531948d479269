"""The coreset of data in pieces: a few items of few records, from which `aa` and `vpa` find bit for bit the cut that they find
with all records.
"""

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
from anonset.engine.domains import Answer
from anonset.engine.journal import Driver
from anonset.engine.planning import BASE, MB
from anonset.engine.questions import Context
from anonset.engine.source import Piece, PieceSource
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Transactions
from anonset.model.sets import filter_members, offsets_of, take

BYTES_OF_ITEM, BYTES_OF_RECORD = 18, 10  # of records that are kept, while the cut is looked for
BYTES_OF_TABLE = 1 << 26  # where pairs of nodes are counted then, at most
SPARE = 0.9  # of the room that must be enough once what was kept is thinned again
AT_ONCE = 1 << 18  # records that are thinned at once
DENSE = 1 << 26  # sets that have a place each; where there can be more they are looked up by their numbers


@dataclass(eq=False)
class CoresetState:
    """What was kept of records so far, and how often sets of at most m codes below d occur in them, up to k."""

    k: int
    m: int
    d: int
    most: int  # places of the table of sets, where not all can have one

    def __post_init__(self) -> None:
        n_sets = self.d * (self.d - 1) // 2 * (self.m > 1) + self.d * (self.d - 1) * (self.d - 2) // 6 * (self.m > 2)
        self.single = np.zeros(self.d, np.uint32)
        self.keys = np.full(0 if n_sets <= DENSE else self.most, -1, np.int64)
        self.counts = np.zeros(n_sets if n_sets <= DENSE else self.most, np.uint32)
        self.used, self.holders, self.records, self.members = 0, 0, 0, 0
        self.lengths: list[Offsets] = []
        self.items: list[Ids] = []

    def add(self, offsets: Offsets, items: Ids, codes: Ids | None = None, *, whole: bool = False) -> None:
        """Keep of the records what is in a rare set of items; whole ones where asked for, or where items are seen as codes."""
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
        """What looking for the cut will take."""
        table = min(BYTES_OF_TABLE, 32 * (self.members + self.records))
        return BYTES_OF_ITEM * self.members + BYTES_OF_RECORD * self.records + table


@dataclass(frozen=True, eq=False)
class Coreset:
    """Records enough for sets of at most m items, or of nodes: item i is seen as codes[i], below d (None: as it is)."""

    k: int
    m: int
    codes: Ids | None
    d: int
    memory: int = 1 << 28  # bytes that the table of sets may take
    room: int = 1 << 60  # bytes that work on the records that are kept may take
    whole: bool = False  # records are kept with all their items, or not at all
    name: ClassVar[str] = "looking for rare sets"

    def fold(self, state: CoresetState | None, unit: Piece, context: Context) -> CoresetState:
        """The records of a piece, but for sensitive items."""
        held = context.batch(unit).linkable
        state = self._add(state, held.offsets, held.items)
        state.holders += int((held.lengths > 0).sum())
        return state

    def answer(self, state: CoresetState) -> Answer:
        """What was kept of records, and how many have items at all."""
        offsets = offsets_of(np.concatenate([np.zeros(0, np.int32), *state.lengths]))
        items = np.concatenate([np.zeros(0, np.int32), *state.items])
        return {"offsets": offsets, "items": items, "holders": np.array([state.holders], np.int64)}

    def merge(self, state: CoresetState | None, answer: Answer) -> CoresetState:
        """What two workers kept, thinned again."""
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
        """The same thinned once more, records with most items first: what was kept early is often kept again later."""
        answer, again = self.answer(state), None
        state.lengths, state.items = [], []  # of which the answer has a copy
        order = np.argsort(-np.diff(answer["offsets"]), kind="stable")
        for first in range(0, len(order), AT_ONCE):
            again = self._filled(again, *take(answer["offsets"], answer["items"], order[first : first + AT_ONCE]))
        assert again is not None, "what takes too much is not nothing"
        again.holders = state.holders
        return again


def _recoded(offsets: Offsets, codes: Ids) -> tuple[Offsets, Ids]:
    """Sets of codes, ascending and without repeats, from neighbours that may be alike; -1 drops one."""
    fresh = codes >= 0
    fresh[1:] &= codes[1:] != codes[:-1]
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    fresh[starts] = codes[starts] >= 0
    return offsets_of(fresh)[offsets], codes[fresh]


def identity_codes(d: int) -> dict[str, Any]:
    """Items seen as they are."""
    return {"codes": None, "d": d}


def node_codes(nodes: Ids) -> dict[str, Any]:
    """Items seen as the nodes of a cut: items under one node are neighbours, so codes ascend where items do."""
    fresh = np.append(True, nodes[1:] != nodes[:-1])
    return {"codes": (np.cumsum(fresh) - 1).astype(np.int32), "d": int(fresh.sum())}


def cut_of(driver: Driver, source: PieceSource, wanted: Aa | Vpa, memory: int, room: int = 1 << 60) -> Ids:
    """The node that each item is published as."""
    _require_possible(wanted)
    coder = driver.context.coder
    assert coder is not None
    roster = coder.roster
    shape = frame_of(roster)
    supports = coder.supports if roster.sensitive_items is None else np.where(roster.sensitive_items, 0, coder.supports)
    staged = isinstance(wanted, Aa) and wanted.m == 3  # sets of three are looked for among the nodes that sets of two leave
    question = Coreset(wanted.k, 2 if staged else wanted.m, **identity_codes(len(supports)), memory=memory, room=room)
    if isinstance(wanted, Vpa):
        return vertical_cut(wanted, shape, _records(driver, source, question), supports)[1].node
    problem = _task(driver, source, question, shape, supports)
    cut = leaf_cut(problem)
    protect(problem, cut, question.m, shape.order)
    nodes = cut.node
    if staged:
        question = Coreset(wanted.k, 3, **node_codes(nodes), memory=memory, room=room)
        del problem
        problem = _task(driver, source, question, shape, supports)
        cut = cut_at(problem, nodes)
        close(problem, cut, 3, shape.order)
        nodes = cut.node
    return nodes


def _task(driver: Driver, source: PieceSource, question: Coreset, shape: HierarchyFrame, supports: Rows) -> CutProblem:
    """The task that the coreset is; only the task's own form of the records stays in memory."""
    few = _records(driver, source, question)
    return cut_problem(shape, few, np.arange(len(few), dtype=np.int64), question.k, supports=supports)


def coreset_of(driver: Driver, source: PieceSource, question: Coreset) -> tuple[Transactions, int]:
    """The coreset, and how many records have items."""
    answer = driver.ask(question, source.pieces, question.k, question.m, question.d)
    domain = driver.context.roster.linkable.domain
    return Transactions(answer["offsets"], answer["items"].astype(np.int32, copy=False), domain), int(answer["holders"][0])


def _records(driver: Driver, source: PieceSource, question: Coreset) -> Transactions:
    """The coreset; InfeasibleError where fewer than k records have items."""
    if question.k > source.rows:
        raise InfeasibleError(f"k={question.k} exceeds the {source.rows} records of the dataset")
    few, holders = coreset_of(driver, source, question)
    if 0 < holders < question.k:
        raise InfeasibleError(
            f"only {holders} records have items to link on, fewer than k={question.k}; no generalization hides them"
        )
    return few


def _require_possible(wanted: Aa | Vpa) -> None:
    if wanted.m > 3:
        raise ParameterError(f"data in pieces are protected against up to 3 known items; got m={wanted.m}")
    if wanted.refine or getattr(wanted, "order", "lazy") == "paper":
        raise ParameterError(
            f"refine and order=paper need all supports: leave them, or read the data into memory ({wanted.name})"
        )
