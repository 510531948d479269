"""[001]: R-U maps of transaction data; figures 3 to 5."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.policy import WholeTransactions
from anonset.study.ru_map import Point, best_under, knee, ru_points
from anonset.study.trial import Trial
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Row, Rows, RuMap
from anonset_papers.figures import TITLES, done, number, table
from anonset_papers.materials import Materials, nested
from anonset_papers.rules import always, untestable
from anonset_papers.sweeps import SWEEP_WV2
from anonset_papers.trials import SAME_WORKLOAD, WORKLOAD_NOTE, labelled, questions, trial, with_balanced

TITLE = "R-U confidentiality maps of transaction data"
K_VALUES = (2, 3, 5, 8, 10, 15, 20, 30, 40, 60, 80)
DIFFERS = 0.1  # of a curve scaled to [0, 1], or of a utility
RISK_LIMIT = 0.2


def medical_maps(materials: Materials) -> Iterator[Row]:
    """COAT on patients' diagnoses, whole sets protected: two sets of the sizes of VNEC and VNEC_kc."""
    patients = with_balanced(materials.data("INFORMS"))
    for name, data in (("2,762 patients", nested(patients, 2_762)), ("1,335 patients", smaller(patients, 1_335, 305))):
        asked = questions(data, materials.pick(1000, 100))
        for k in materials.pick(K_VALUES, (2, 5, 20)):
            row = trial(data, "coat", {"k": k, "privacy": WholeTransactions()}, asked=asked, ids=("risk",))
            yield labelled(row, data=name, k=k)


def smaller(data: Dataset, records: int, items: int) -> Dataset:
    """So many other patients with the most frequent items only."""
    part = nested(data, records, seed=1)
    assert part.transactions is not None
    rare = np.ones(len(part.transactions.domain), np.bool_)
    rare[np.argsort(-part.transactions.supports, kind="stable")[:items]] = False
    return with_balanced(Dataset(transactions=part.transactions.without(rare)))


def judge_medical(rows: Rows) -> Judgement:
    """001-1."""
    points = _points(rows, by="data")
    curves = _curves(points)
    if len(curves) < 2:
        return Judgement((untestable("two maps to compare", "fewer than two sets gave releases"),))
    (first, one), (second, two) = curves.items()
    levels = [abs(a - b) / max(a, b) for a, b in zip(_utilities(one), _utilities(two), strict=False)]
    share = sum(level >= DIFFERS for level in levels) / max(1, len(levels))
    checks = (
        _shapes_differ(curves),
        Check(
            "the utility at the same risk differs",
            f"by {DIFFERS:.0%} or more for at least half of the k",
            f"for {share:.0%} of the k; by {max(levels, default=0.0):.0%} at most",
            share >= 0.5,
        ),
        _knees(curves),
    )
    plots = tuple(RuMap(f"COAT, {name}", tuple(curve)) for name, curve in curves.items())
    note = (
        "VNEC and VNEC_kc (patient records of one hospital) are not at hand. Their sizes are kept: "
        f"{first} at random, and {second} with their 305 most frequent codes. Whole sets of codes are protected, nothing is "
        f"suppressed and any codes may be generalized together. {WORKLOAD_NOTE}"
    )
    return Judgement(checks, plots, table(done(rows), ("data", "k", "risk", "are", "held", "ncp", "ul")), note)


def judge_shapes(rows: Rows) -> Judgement:
    """001-2."""
    curves = _curves(_points(rows))
    checks = (_shapes_differ(curves), _knees(curves))
    plots = tuple(RuMap(TITLES.get(name, name), tuple(curve)) for name, curve in curves.items())
    return Judgement(checks, plots, table(done(rows), ("algorithm", "k", "risk", "are", "held", "ul")), SAME_WORKLOAD)


def judge_best(rows: Rows) -> Judgement:
    """001-3."""
    by_error, by_held, by_loss = (_points(rows, loss=loss) for loss in ("are", "held", "ul"))
    limits = [1 / k for k in sorted({number(row, "k") for row in done(rows)})]
    best = best_under(by_error, RISK_LIMIT)
    checks = (
        _wins("PCTA has the best utility at every risk", by_error, limits),
        Check(
            f"PCTA is best at a risk of at most {RISK_LIMIT:g}",
            "the highest 1 / AvgRE within the limit is PCTA's",
            best.label if best else "no release within the limit",
            best is not None and best.series == "pcta",
        ),
    )
    others = {name: _wins("", points, limits) for name, points in (("held sets", by_held), ("UL", by_loss))}
    said = "; ".join(f"by {name} PCTA is best at {check.ours}" for name, check in others.items())
    plots = (RuMap("Apriori, COAT and PCTA on BMS-WebView-2", by_error),)
    note = f"The levels of risk are 1 / k. Measured otherwise: {said}. {SAME_WORKLOAD}"
    return Judgement(checks, plots, table(done(rows), ("algorithm", "k", "risk", "are", "held", "ul")), note)


def _wins(text: str, points: Sequence[Point], limits: Sequence[float]) -> Check:
    winners = {f"risk {limit:.3g}": best_under(points, limit) for limit in limits}
    found = {name: point is not None and point.series == "pcta" for name, point in winners.items()}
    return always(text, "the highest utility within that risk is PCTA's", found)


def _points(rows: Rows, *, loss: str = "are", by: str = "algorithm") -> tuple[Point, ...]:
    """Points of the map, a series an algorithm or a dataset; UL, a power of two, counts as such."""
    return ru_points(
        [
            Trial("", str(row["data"]), str(row[by]), {"k": row["k"]}, "done", measures={loss: _loss(row, loss), "risk": risk})
            for row in done(rows)
            if (risk := number(row, "risk")) > 0
        ],
        loss,
    )


def _loss(row: Row, loss: str) -> float:
    """UL is compared by its order only: minus 1 over its log2 rises with it."""
    return -1.0 / number(row, loss) if loss == "ul" else number(row, loss)


def _curves(points: Sequence[Point]) -> dict[str, list[Point]]:
    names = dict.fromkeys(point.series for point in points)
    return {name: [point for point in points if point.series == name] for name in names}


def _utilities(curve: Sequence[Point]) -> list[float]:
    return [point.utility for point in curve]


def _knees(curves: dict[str, list[Point]]) -> Check:
    found = {name: knee(curve) for name, curve in curves.items()}
    ours = ", ".join(f"{TITLES.get(name, name)}: {point.label if point else 'none'}" for name, point in found.items())
    return Check("the angle method finds a knee in each curve", "a knee in every curve", ours, None not in found.values())


def _shapes_differ(curves: dict[str, list[Point]]) -> Check:
    pairs = {(a, b): shape_distance(curves[a], curves[b]) for a, b in combinations(curves, 2)}
    ours = ", ".join(f"{TITLES.get(a, a)} and {TITLES.get(b, b)}: {gap:.2f}" for (a, b), gap in pairs.items())
    return Check(
        "the shapes of the curves differ",
        f"scaled to [0, 1] they are {DIFFERS:g} or more apart somewhere",
        ours,
        all(gap >= DIFFERS for gap in pairs.values()) if pairs else None,
    )


def shape_distance(one: Sequence[Point], two: Sequence[Point]) -> float:
    """How far two curves of utility over risk are apart at most, both axes scaled to [0, 1]."""
    grid = np.linspace(0.0, 1.0, 101)
    first, second = (np.interp(grid, *_scaled(curve)) for curve in (one, two))
    return float(np.abs(first - second).max())


def _scaled(curve: Sequence[Point]) -> tuple[list[float], list[float]]:
    pairs = sorted((point.risk, point.utility) for point in curve)
    low, high = np.min(pairs, axis=0), np.max(pairs, axis=0)
    scaled = (np.array(pairs) - low) / np.where(high > low, high - low, 1.0)
    return scaled[:, 0].tolist(), scaled[:, 1].tolist()


MEDICAL = Experiment("COAT on diagnoses", ("INFORMS",), medical_maps)

CLAIMS = (
    Claim(
        "001-1",
        "R-U curves of COAT on two medical datasets differ in shape and level; the angle-based method finds a knee in each",
        "VNEC, VNEC_kc; k from 2 to 80",
        (MEDICAL,),
        judge_medical,
    ),
    Claim(
        "001-2",
        "R-U curves of Apriori, COAT and PCTA differ significantly in shape; each has a knee",
        "BMS-WebView-2, k from 2 to 100, k^2-anonymity",
        (SWEEP_WV2,),
        judge_shapes,
    ),
    Claim(
        "001-3",
        "PCTA offers better utility than Apriori and COAT across all tested levels of risk",
        "BMS-WebView-2, k from 2 to 100, k^2-anonymity",
        (SWEEP_WV2,),
        judge_best,
    ),
)
