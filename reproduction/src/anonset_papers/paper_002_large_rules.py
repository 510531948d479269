"""How the claims of [002] about large data are judged: AA alone."""

from collections.abc import Callable
from itertools import pairwise

from anonset_papers.claims import Check, Judgement, Reading, Rows
from anonset_papers.figures import Ratio, along, done, lines, number, pick, table
from anonset_papers.paper_002_rules import ALIKE, TIMED
from anonset_papers.rules import always, at_most, stays_within

BASE = {"k": 5, "h": 6, "m": 3}  # of the runs on BMS-POS
STEADY = 1.25  # times
LOW_LOSS = 0.03
ON_POS = ("k", "h", "m", "ncp", "steps", "cpu", "lazy", "lazy_ncp", "mb")
POS_NOTE = (
    "Time and loss are those of the paper's order unless it says otherwise (CPU seconds, warm kernels). Memory is the peak of "
    "the process beyond what it used before, instead of nodes of a count-tree, which ours does not build."
)
LEAF_ORDER = "the paper names no order of the leaves of its hierarchies: here they are in the order of their supports."


def judge_large(on_pos: Rows, on_views: Rows) -> Judgement:
    """002-5."""
    rows = done(pick(on_pos, **BASE), on_views)

    def low(leaves: str) -> tuple[Check, ...]:
        losses = [Ratio(str(row["data"]), number(row, "ncp")) for row in pick(rows, leaves=leaves)]
        return (at_most("the loss is at most 3%", losses, LOW_LOSS, unit=""),)

    others = (Reading("leaves in the order of their ids", low("id")), Reading("leaves in a random order", low("random")))
    columns = ("data", "leaves", "ncp", "cpu", "lazy", "lazy_ncp", "mb")
    note = f"On BMS-WebView-1 other implementations that we measured lose 10.8 to 11.1% as well, with leaves by id. {POS_NOTE}"
    return Judgement(low("support"), (), table(rows, columns), note, LEAF_ORDER, others)


def judge_k(rows: Rows) -> Judgement:
    """002-6."""
    rows = sorted(pick(done(rows), leaves="support", h=6, m=3), key=lambda row: number(row, "k"))
    plots = (lines(rows, "k", "steps", "Steps by k"), lines(rows, "k", "mb", "Memory by k"))
    reading = f"time in steps, the sets that AA puts into its count-trees; {LEAF_ORDER}"
    return Judgement(
        _steady(rows, "steps"), plots, table(rows, ON_POS), POS_NOTE, reading, (Reading(TIMED, _steady(rows, "cpu")),)
    )


def _steady(rows: Rows, y: str) -> tuple[Check, ...]:
    return (
        stays_within("the time does not depend on k", _spread(rows, y), ALIKE, unit=" times from least to most"),
        stays_within("the memory does not depend on k", _spread(rows, "mb"), STEADY, unit=" times from least to most"),
    )


def judge_height(rows: Rows) -> Judgement:
    """002-7."""
    rows = sorted(pick(done(rows), k=5, m=3), key=lambda row: number(row, "h"))
    mine = pick(rows, leaves="support")
    others = (
        Reading(TIMED, _by_height(mine, "cpu")),
        Reading("leaves in the order of their ids", _by_height(pick(rows, leaves="id"), "steps")),
    )
    plots = (lines(mine, "h", "steps", "Steps by height"), lines(mine, "h", "ncp", "Loss by height"))
    note = f"Fanouts of 12, 7 and 5 give hierarchies of 4, 5 and 6 levels. {POS_NOTE}"
    return Judgement(
        _by_height(mine, "steps"), plots, table(rows, ("leaves", *ON_POS)), note, f"quicker in steps; {LEAF_ORDER}", others
    )


def _by_height(rows: Rows, y: str) -> tuple[Check, ...]:
    return (
        _steps(rows, "h", y, "lower hierarchies are quicker", "less than with one level more", lambda a, b: a < b),
        _steps(rows, "h", "ncp", "lower hierarchies are worse", "more loss than with one level more", lambda a, b: a > b),
    )


def judge_pos_m(rows: Rows) -> Judgement:
    """002-8."""
    rows = sorted(pick(done(rows), leaves="support", k=5, h=6), key=lambda row: number(row, "m"))
    plots = (lines(rows, "m", "steps", "Steps by m"), lines(rows, "m", "lazy_ncp", "Loss by m"))
    others = (Reading(TIMED, _by_pos_m(rows, "lazy")),)
    reading = f"slower in steps, worse in our order, since that of the paper takes too long for m = 4; {LEAF_ORDER}"
    return Judgement(_by_pos_m(rows, "steps"), plots, table(rows, ON_POS), POS_NOTE, reading, others)


def _by_pos_m(rows: Rows, y: str) -> tuple[Check, ...]:
    _, loss = along(rows, "m", "lazy_ncp")
    return (
        _steps(rows, "m", y, "a larger m is slower", "less than with one item more", lambda a, b: a < b),
        _steps(rows, "m", "lazy_ncp", "a larger m is worse", "no more loss than with one item more", lambda a, b: a <= b),
        stays_within("only slightly", (loss[-1] - loss[0]) if loss else None, LOW_LOSS, unit=" more loss from first to last"),
    )


def _spread(rows: Rows, y: str) -> float | None:
    values = [number(row, y) for row in rows]
    return max(values) / max(min(values), 1e-9) if len(values) > 1 else None


def _steps(rows: Rows, x: str, y: str, text: str, rule: str, good: Callable[[float, float], bool]) -> Check:
    xs, ys = along(rows, x, y)
    return always(text, rule, {f"{x}={a:g}": good(p, q) for a, (p, q) in zip(xs, pairwise(ys), strict=False)})
