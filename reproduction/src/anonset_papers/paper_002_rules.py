"""How the claims of [002] about small data are judged: OA, DA and AA."""

from itertools import pairwise

from anonset_papers.claims import Check, Judgement, Plot, Reading, Rows, Table
from anonset_papers.figures import HEADERS, Ratio, along, by_setting, done, lines, pick, ratios, renamed, table
from anonset_papers.rules import always, at_most, stays_within, straightness, untestable

SAME = 1e-9  # losses that differ by less are the same
STRAIGHT = 0.95  # R squared of a straight line
ALIKE = 1.5  # times
CLOSE_LOSS = 0.01
TWICE = 2.0  # as much as in proportion: still about linear
HALF_AS_MUCH_AGAIN = 1.5
FOLDED = "items are numbered by their first appearance before the modulo: all ids are odd, so that modulo 40 would leave 20."
IN_STEPS = (
    "what grows is counted, not timed: nodes of the count-tree ([002] 5.1.1), and steps, the sets that Algorithms 1 and 4 put "
    "into it; for OA also the cuts it visits."
)
TIMED = "CPU seconds of our implementation, which builds no count-tree"
TREE_NOTE = (
    "CPU seconds are of one process with warm kernels, DA and AA in the paper's order. Our algorithms build no count-tree, so "
    "its nodes and the writes to it are counted apart, as Algorithms 1, 3 and 4 would make them."
)


def judge_records(rows: Rows) -> Judgement:
    """002-1."""
    rows = pick(done(rows), folded="by appearance")
    plots = (
        lines(rows, "records", "steps", "Steps by records", log=True),
        lines(rows, "records", "nodes", "Memory by records", log=True),
        lines(rows, "records", "cpu", "Time by records", log=True),
    )
    return Judgement(
        _by_records(rows, "steps"),
        plots,
        table(rows, ("records", "algorithm", "steps", "cuts", "nodes", "cpu", "ncp")),
        TREE_NOTE,
        f"{IN_STEPS} {FOLDED}",
        (Reading(TIMED, _by_records(rows, "cpu")),),
    )


def _by_records(rows: Rows, y: str) -> tuple[Check, ...]:
    apart = ratios(rows, y, "oa", "da", ("records",))
    return (
        _straight(rows, "oa", y),
        _straight(rows, "da", y),
        at_most("OA and DA take alike", [Ratio(r.setting, max(r.value, 1 / r.value)) for r in apart], ALIKE),
        _quicker(rows, "records", y),
        _approaches("AA approaches DA", ratios(rows, y, "aa", "da", ("records",))),
        _approaches("AA's count-tree approaches DA's", ratios(rows, "nodes", "aa", "da", ("records",))),
    )


def judge_optimal(rows: Rows) -> Judgement:
    """002-2."""
    odd, rows = pick(done(rows), folded="by id"), pick(done(rows), folded="by appearance")
    lazy = renamed(rows, {"aa": "aa, lazy"})
    others = (
        Reading("AA in our own order", (_same_loss(lazy, "aa", "records"),)),
        Reading("ids modulo 40, which leaves 20 items", tuple(_same_loss(odd, name, "records") for name in ("da", "aa"))),
    )
    plots = (lines(rows, "records", "ncp", "Loss by records"),)
    shown = table([*rows, *odd], ("folded", "records", "algorithm", "ncp"))
    checks = (_same_loss(rows, "da", "records"), _same_loss(rows, "aa", "records"))
    return Judgement(checks, plots, shown, "", FOLDED, others)


def judge_domain(rows: Rows) -> Judgement:
    """002-3."""
    odd, rows = pick(done(rows), folded="by id"), pick(done(rows), folded="by appearance")
    checks = _by_domain(rows, "steps", "cuts")
    others = (
        Reading(TIMED, _by_domain(rows, "cpu", "cpu")),
        Reading(
            "the loss, with ids modulo the number of items", (_same_loss(odd, "da", "items"), _same_loss(odd, "aa", "items"))
        ),
    )
    shown = table([*rows, *odd], ("folded", "items", "algorithm", "steps", "cuts", "nodes", "cpu", "ncp"))
    return Judgement(checks, _three_plots(rows, "items", "domain"), shown, TREE_NOTE, f"{IN_STEPS} {FOLDED}", others)


def _by_domain(rows: Rows, y: str, of_oa: str) -> tuple[Check, ...]:
    items, _ = along(pick(rows, algorithm="aa"), "items", y)
    linear = TWICE * items[-1] / items[0] if items else 0.0
    trees = (_growth(rows, "aa", "items", "nodes"), _growth(rows, "da", "items", "nodes"))
    slower = "AA's count-tree grows more slowly than DA's"
    return (
        _grows(rows, "da", "items", y, linear, exponential=False),
        _grows(rows, "aa", "items", y, linear, exponential=False),
        _grows(rows, "oa", "items", of_oa, linear, exponential=True),
        untestable(slower, "no figures")
        if trees[0] is None or trees[1] is None
        else Check(
            slower,
            "by fewer times from the smallest to the largest domain",
            f"{trees[0]:.3g} and {trees[1]:.3g} times",
            trees[0] < trees[1],
        ),
        _same_loss(rows, "da", "items"),
        _same_loss(rows, "aa", "items"),
    )


def judge_m(rows: Rows) -> Judgement:
    """002-4."""
    rows = done(rows)
    others = (Reading("in steps", _by_m(rows, "steps")), Reading(TIMED, _by_m(rows, "cpu")))
    shown = _small_table(rows, "m")
    return Judgement(_by_m(rows, "nodes"), _three_plots(rows, "m", "m"), shown, TREE_NOTE, f"{IN_STEPS} {FOLDED}", others)


def _by_m(rows: Rows, y: str) -> tuple[Check, ...]:
    return (
        _multiplies(rows, "oa", y),
        _multiplies(rows, "da", y),
        _adds(rows, "aa", y),
        _close_loss(rows, "da"),
        _close_loss(rows, "aa"),
    )


def _straight(rows: Rows, name: str, y: str) -> Check:
    xs, ys = along(pick(rows, algorithm=name), "records", y)
    text = f"{name.upper()} grows linearly with the records"
    if len(xs) < 3:
        return untestable(text, "fewer than three sizes")
    fit = straightness(xs, ys)
    rule = f"it grows, and a straight line explains {STRAIGHT:.0%} of it"
    return Check(
        text, rule, f"{ys[-1] / ys[0]:.3g} times from least to most records; {fit:.0%}", ys[-1] > ys[0] and fit >= STRAIGHT
    )


def _quicker(rows: Rows, x: str, y: str) -> Check:
    """AA converges to the others as records grow: it may come up to them, but with the fewest records it must be ahead."""
    found = by_setting(rows, y, (x,))
    whole = {place: figures for place, figures in found.items() if {"oa", "da", "aa"} <= set(figures)}
    quicker = {place: figures["aa"] <= min(figures["oa"], figures["da"]) for place, figures in whole.items()}
    for place in list(whole)[:1]:
        quicker[place] = whole[place]["aa"] < min(whole[place]["oa"], whole[place]["da"])
    return always("AA is quicker than both", f"no more {HEADERS[y]}, and less with the fewest records", quicker)


def _approaches(text: str, found: list[Ratio]) -> Check:
    """The ratio of the largest setting is nearer to 1 than that of the smallest."""
    if len(found) < 2:
        return untestable(text, "fewer than two sizes")
    start, stop = found[0].value, found[-1].value
    rule = "the ratio of AA to DA is nearer to 1 with the most records than with the fewest"
    return Check(text, rule, f"{start:.3g} and {stop:.3g}", abs(1 - stop) < abs(1 - start))


def _same_loss(rows: Rows, name: str, x: str) -> Check:
    found = by_setting(rows, "ncp", (x,))
    both = {place: (f[name], f["oa"]) for place, f in found.items() if {name, "oa"} <= set(f)}
    ours = ", ".join(f"{mine:.4f} and {best:.4f} ({place})" for place, (mine, best) in both.items())
    same = {place: abs(mine - best) <= SAME for place, (mine, best) in both.items()}
    return always(f"{name.upper()} loses what OA does", "the same NCP", same, ours=ours)


def _close_loss(rows: Rows, name: str) -> Check:
    found = by_setting(rows, "ncp", ("m",))
    gaps = [f[name] - f["oa"] for f in found.values() if {name, "oa"} <= set(f)]
    text = f"{name.upper()}'s loss is very close to the optimum"
    return stays_within(text, max(gaps, default=None), CLOSE_LOSS, unit=" more NCP")


def _grows(rows: Rows, name: str, x: str, y: str, bound: float, *, exponential: bool) -> Check:
    text = f"{name.upper()} grows {'exponentially' if exponential else 'linearly'}"
    grown = _growth(rows, name, x, y)
    if grown is None:
        return untestable(text, "no figures")
    rule = f"{HEADERS[y]}: {'more' if exponential else 'no more'} than {bound:.3g} times from the smallest {x} to the largest"
    return Check(text, rule, f"{grown:.3g} times", (grown > bound) == exponential)


def _multiplies(rows: Rows, name: str, y: str) -> Check:
    """Exponential growth: each m has more than twice as much as the one before."""
    ms, ys = along(pick(rows, algorithm=name), "m", y)
    found = {f"m={b:g}": q > TWICE * p for b, (p, q) in zip(ms[1:], pairwise(ys), strict=True)}
    ours = ", ".join(f"{value:.6g}" for value in ys)
    rule = f"{HEADERS[y]}: more than twice as much as for m - 1"
    return always(f"{name.upper()} grows exponentially with m", rule, found, ours=ours)


def _adds(rows: Rows, name: str, y: str) -> Check:
    """Linear growth: what a further item adds does not grow itself."""
    ms, ys = along(pick(rows, algorithm=name), "m", y)
    text = f"{name.upper()} grows linearly with m"
    if len(ys) < 3:
        return untestable(text, "fewer than three m")
    added = [q - p for p, q in pairwise(ys)]
    found = {f"m={m:g}": more <= HALF_AS_MUCH_AGAIN * added[0] for m, more in zip(ms[1:], added, strict=True)}
    ours = ", ".join(f"{value:.6g}" for value in ys)
    return always(text, f"{HEADERS[y]}: no m adds more than half as much again as the second did", found, ours=ours)


def _growth(rows: Rows, name: str, x: str, y: str) -> float | None:
    _, ys = along(pick(rows, algorithm=name), x, y)
    return ys[-1] / ys[0] if len(ys) > 1 and ys[0] > 0 else None


def _three_plots(rows: Rows, x: str, what: str) -> tuple[Plot, ...]:
    return (
        lines(rows, x, "steps", f"Steps by {what}", log=True),
        lines(rows, x, "nodes", f"Memory by {what}", log=True),
        lines(rows, x, "ncp", f"Loss by {what}"),
    )


def _small_table(rows: Rows, x: str) -> Table:
    return table(rows, (x, "algorithm", "steps", "cuts", "nodes", "cpu", "ncp"))
