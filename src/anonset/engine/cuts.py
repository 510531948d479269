"""`aa` and `vpa` from coresets: bit for bit the cut that they find with all records in memory."""

import numpy as np

from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.cut import HierarchyFrame, close, cut_at, frame_of, leaf_cut, protect, task
from anonset.algorithms.transactions.kernels.cuts import Task
from anonset.algorithms.transactions.vpa import Vpa, vertical_cut
from anonset.engine.coreset import Coreset, identity_codes, node_codes
from anonset.engine.driver import Driver
from anonset.engine.source import PieceSource
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Transactions


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
    job = _task(driver, source, question, shape, supports)
    cut = leaf_cut(job)
    protect(job, cut, question.m, shape.order)
    nodes = cut.node
    if staged:
        question = Coreset(wanted.k, 3, **node_codes(nodes), memory=memory, room=room)
        del job
        job = _task(driver, source, question, shape, supports)
        cut = cut_at(job, nodes)
        close(job, cut, 3, shape.order)
        nodes = cut.node
    return nodes


def _task(driver: Driver, source: PieceSource, question: Coreset, shape: HierarchyFrame, supports: Rows) -> Task:
    """The task that the coreset is; only the task's own form of the records stays in memory."""
    few = _records(driver, source, question)
    return task(shape, few, np.arange(len(few), dtype=np.int64), question.k, supports=supports)


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
