"""[000] section 6, data utility: figures 4 to 6."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from anonset_papers.claims import Check, Claim, Experiment, Judgement, Plot, Reading, Row, Rows
from anonset_papers.figures import Ratio, along, by_setting, done, lines, number, pick, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_000_runs import (
    JUDGED,
    RELATIONAL,
    RUM,
    SENSITIVE,
    SETTING,
    TUM,
    L,
    bounds_on_ncp,
    bounds_on_ul,
    merged,
    patients,
    settings,
    with_sensitive,
    workloads,
)
from anonset_papers.rules import always, at_most, untestable
from anonset_papers.trials import labelled

QUERIES = 300
SUBSET = 4_000
ROUNDING = 1e-6
STAYS = 1.5
LOSE_LEAST = "items lose least by RmR, most by RmT"
LOSE_MOST = "relational values lose most by RmR, least by RmT"
NAMES = {
    "ul": "UL",
    "largest": "largest cluster",
    "one": "ARE, 1 value",
    "three": "ARE, 3 values",
    "five": "ARE, 5 values",
    "items": "ARE, items",
    "both": "ARE, both",
}
SHOWN = ("one", "three", "five", "items", "both")
COLUMNS = ("delta", "algorithm", "ncp", "ul", "largest", "clusters", *SHOWN, "cpu")
QUERY_NOTE = (
    "Numbers become ranges. Queries: 60 to 300 of each kind, each for values (of numbers, a tenth of the "
    "span), two items, or both, that some record has. YouTube, the paper's second dataset, is not at hand."
)
NOTE = f"Items are generalized as sets, as in the paper: by PCTA inside each cluster. {QUERY_NOTE}"
READ_AS = (
    "a relational query asks for 3 of the 5 values of a record; the paper says «random values». Queries for one value are "
    "ruled by race, those for all five count one person each."
)
DIVERSE_NOTE = (
    f"Sensitive: {SENSITIVE:.0%} of the diagnoses, drawn at random; l={L}. Items are generalized by AA, which can keep them "
    f"l-diverse. {QUERY_NOTE}"
)


def rum_bound(materials: Materials) -> Iterator[Row]:
    """Figures 4a to 4c, 6a, 6c."""
    data, values = patients(materials), settings(items="pcta")
    asked = workloads(data, materials.pick(QUERIES, 200))
    for delta in bounds_on_ncp(data, values):
        for algorithm in RUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def tum_bound(materials: Materials) -> Iterator[Row]:
    """Figure 4h; the first row is that of the clusters before they are merged."""
    data, values = nested(patients(materials), SUBSET), settings(items="pcta")
    asked = workloads(data, materials.pick(QUERIES, 200))
    yield labelled(merged(data, "r-first", values, asked), delta=1.0)
    for delta in bounds_on_ul(data, values):
        for algorithm in TUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def diverse(materials: Materials) -> Iterator[Row]:
    """Figures 5a to 5c."""
    data, values = with_sensitive(patients(materials)), settings(l=L)
    asked = workloads(data, materials.pick(QUERIES, 200))
    for delta in bounds_on_ncp(data, values):
        for algorithm in RUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def judge_trade(rows: Rows) -> Judgement:
    """000-1."""
    rows = done(rows)
    within = {f"{row['algorithm']}, δ={row['delta']}": _keeps(row, "ncp") for row in rows}

    def judge(field: str) -> tuple[Check, ...]:
        text = "a small δ favours relational queries"
        return tuple(_from_first_to_last(rows, name, field, text, rises=True) for name in RUM)

    checks = (
        *judge(JUDGED),
        *(_from_first_to_last(rows, name, "items", "a large δ favours item queries", rises=False) for name in RUM),
        always("NCP is at most δ", "NCP <= δ", within),
    )
    return Judgement(checks, _plots(rows), table(rows, _columns(rows), names=NAMES), NOTE, READ_AS, _by_values(rows, judge))


def judge_items_bound(rows: Rows) -> Judgement:
    """000-2."""
    rows = done(rows)
    after = [row for row in rows if row["algorithm"] in TUM]
    within = {f"{row['algorithm']}, δ={row['delta']}": _keeps(row, "ul") for row in after}

    def judge(field: str) -> tuple[Check, ...]:
        text = "a larger δ favours relational data"
        return tuple(_from_first_to_last(after, name, field, text, rises=False) for name in TUM)

    checks = (*judge(JUDGED), always("the loss of items stays low: UL", "UL <= δ", within), _stays_low(after))
    note = (
        f"At most {SUBSET:,} random records, since UL is computed after each merge. δ lies between the lowest UL that "
        f"merging reaches and that of the clusters before. {NOTE}"
    )
    shown = table(rows, _columns(rows), names=NAMES)
    return Judgement(checks, _plots(after), shown, note, READ_AS, _by_values(after, judge))


def judge_order(rows: Rows) -> Judgement:
    """000-3."""
    rows = done(rows)

    def judge(field: str) -> tuple[Check, ...]:
        return (mean_order(LOSE_MOST, rows, field, RUM[::-1]),)

    checks = (mean_order(LOSE_LEAST, rows, "items", RUM), *judge(JUDGED))
    others = (*_by_values(rows, judge), Reading("relational loss as NCP", judge("ncp")))
    plots = _plots(rows, ("items", JUDGED))
    return Judgement(checks, plots, table(rows, _columns(rows), names=NAMES), NOTE, READ_AS, others)


def judge_sizes(rows: Rows) -> Judgement:
    """000-4."""
    rows = done(rows)
    shown = table(rows, _columns(rows), names=NAMES)
    return Judgement(_order_of_sizes(rows), _plots(rows, ("largest", "ul")), shown, NOTE)


def judge_diverse(rows: Rows) -> Judgement:
    """000-5."""
    rows = done(rows)

    def judge(field: str) -> tuple[Check, ...]:
        return (mean_order(LOSE_MOST, rows, field, RUM[::-1]),)

    checks = (mean_order(LOSE_LEAST, rows, "items", RUM), *judge(JUDGED), *_order_of_sizes(rows))
    plots = _plots(rows, ("items", JUDGED, "largest", "ul"))
    others = (*_by_values(rows, judge), Reading("relational loss as NCP", judge("ncp")))
    return Judgement(checks, plots, table(rows, _columns(rows), names=NAMES), DIVERSE_NOTE, READ_AS, others)


def _by_values(rows: Rows, judge: Callable[[str], tuple[Check, ...]]) -> tuple[Reading, ...]:
    """The same about relational queries for other numbers of values, and for one value of each column."""
    found = [
        Reading(f"queries for {n} value{'s' * (n > 1)}", judge(field)) for field, n in RELATIONAL.items() if field != JUDGED
    ]
    columns = dict.fromkeys(name for row in rows for name in row if name.startswith("of "))
    return (*found, *(Reading(f"queries for one value {name}", judge(name)) for name in columns))


def _columns(rows: Rows) -> tuple[str, ...]:
    return (*COLUMNS, *dict.fromkeys(name for row in rows for name in row if name.startswith("of ")))


def _order_of_sizes(rows: Rows) -> tuple[Check, ...]:
    return (
        mean_order("RmR makes the largest clusters, RmRT larger ones than RmT", rows, "largest", RUM[::-1]),
        _slightly(rows),
        mean_order("the larger the clusters, the lower UL", rows, "ul", RUM),
    )


def mean_order(text: str, rows: Rows, field: str, names: Sequence[str]) -> Check:
    """The algorithms' figures rise in this order on average over δ, and so they do at more than half of the δ."""
    found = [figures for figures in by_setting(rows, field, ("delta",)).values() if set(names) <= set(figures)]
    if not found:
        return untestable(text, "no δ gave all figures")
    means = [sum(figures[name] for figures in found) / len(found) for name in names]
    rising = sum(_rises([figures[name] for name in names]) for figures in found)
    ours = ", ".join(f"{name} {mean:.4g}" for name, mean in zip(names, means, strict=True))
    return Check(
        text,
        f"{' < '.join(names)} on average over δ, and at more than half of the δ",
        f"{ours}; at {rising} of {len(found)} δ",
        _rises(means) and 2 * rising > len(found),
    )


def _rises(figures: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(figures))


def _slightly(rows: Rows) -> Check:
    text = "RmRT's clusters are only slightly larger than RmT's"
    found = [figures for figures in by_setting(rows, "largest", ("delta",)).values() if set(RUM) <= set(figures)]
    if not found:
        return untestable(text, "no δ gave all figures")
    r, rt, t = (sum(figures[name] for figures in found) / len(found) for name in RUM)
    rule = "on average over δ the largest is nearer to RmT's than to RmR's"
    return Check(text, rule, f"RmT {t:.4g}, RmRT {rt:.4g}, RmR {r:.4g}", abs(rt - t) < abs(r - rt))


def _from_first_to_last(rows: Rows, name: str, field: str, text: str, *, rises: bool) -> Check:
    said = f"{text}: {name}"
    deltas, figures = along(pick(rows, algorithm=name), "delta", field)
    if len(deltas) < 2:
        return untestable(said, "fewer than two δ could be met")
    rule = f"ARE is {'higher' if rises else 'lower'} at the largest δ than at the smallest"
    ours = f"{figures[0]:.4g} at δ={deltas[0]:g}, {figures[-1]:.4g} at δ={deltas[-1]:g}"
    return Check(said, rule, ours, figures[-1] != figures[0] and (figures[-1] > figures[0]) == rises)


def _stays_low(rows: Rows) -> Check:
    text = "the loss of items stays low as δ grows: ARE"
    found = []
    for name in TUM:
        deltas, figures = along(pick(rows, algorithm=name), "delta", "items")
        if len(deltas) > 1 and figures[0] > 0:
            found.append(Ratio(name, max(figures) / figures[0]))
    return at_most(text, found, STAYS, unit=" times that at the smallest δ")


def _keeps(row: Row, field: str) -> bool:
    return number(row, field) <= number(row, "delta") + ROUNDING


def _plots(rows: Rows, fields: Sequence[str] = SHOWN) -> tuple[Plot, ...]:
    return tuple(
        lines(rows, "delta", field, f"{NAMES.get(field, field)} by δ", x_label="δ", y_label=NAMES.get(field, field))
        for field in fields
    )


RUM_BOUND = Experiment("Rum-bound by δ", ("INFORMS",), rum_bound)
TUM_BOUND = Experiment("Tum-bound by δ", ("INFORMS",), tum_bound)
DIVERSE = Experiment("(k, l^m)-diversity by δ", ("INFORMS",), diverse)

CLAIMS = (
    Claim(
        "000-1",
        "Rum-bound: a small δ favours relational queries, a large δ item queries; NCP is at most δ",
        f"INFORMS, {SETTING} (figures 4a to 4c)",
        (RUM_BOUND,),
        judge_trade,
    ),
    Claim(
        "000-2",
        "Tum-bound: a larger δ favours relational data, and the loss of items stays low",
        f"INFORMS, {SETTING} (figure 4h)",
        (TUM_BOUND,),
        judge_items_bound,
    ),
    Claim(
        "000-3",
        "RmR has the lowest loss of items and the highest of relational values, RmT the opposite, RmRT is between",
        f"INFORMS, {SETTING} (figure 4)",
        (RUM_BOUND,),
        judge_order,
    ),
    Claim(
        "000-4",
        "RmR makes the largest clusters, RmRT slightly larger ones than RmT; larger clusters have lower UL",
        f"INFORMS, {SETTING} (figures 6a, 6c)",
        (RUM_BOUND,),
        judge_sizes,
    ),
    Claim(
        "000-5",
        "The (k, l^m)-diverse versions stand in the same order",
        f"INFORMS, {SETTING}, some diagnoses sensitive (figure 5)",
        (DIVERSE,),
        judge_diverse,
    ),
)
