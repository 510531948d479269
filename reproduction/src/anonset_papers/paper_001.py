"""[001]: R-U maps of transaction data; figures 3 to 5."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.policy import WholeTransactions
from anonset.study.ru_map import MapPoint, best_under, knee, ru_points
from anonset.study.trial import Trial
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Reading, Row, Rows, RuMap
from anonset_papers.figures import TITLES, done, number, pick, table
from anonset_papers.materials import Materials, nested
from anonset_papers.readings import ERRORS, only, other_readings
from anonset_papers.rules import always, untestable
from anonset_papers.sweeps import ALGORITHMS, SWEEP_WV2
from anonset_papers.trials import RAREST, READ_AS, labelled, questions, trial, with_balanced

TITLE = "R-U confidentiality maps of transaction data"
K_VALUES = (2, 3, 5, 8, 10, 15, 20, 30, 40, 60, 80)
DIFFERS = 0.1  # of a curve scaled to [0, 1], or of a utility
RISK_LIMIT = 0.2
COLUMNS = ("algorithm", "k", "risk-protected", "are", "subsets", "drawn", "ul")


def medical_maps(materials: Materials) -> Iterator[Row]:
    """COAT on patients' diagnoses, whole sets protected: two sets of the sizes of VNEC and VNEC_kc."""
    patients = with_balanced(materials.data("INFORMS"))
    for name, data in (("2,762 patients", nested(patients, 2_762)), ("1,335 patients", smaller(patients, 1_335, 305))):
        asked = questions(data, materials.pick(1000, 100))
        for k in materials.pick(K_VALUES, (2, 5, 20)):
            for item in ("commonest", "rarest"):
                values = {"k": k, "privacy": WholeTransactions(), "pick": item}
                yield labelled(trial(data, "coat", values, asked=asked, ids=("risk-protected",)), data=name, k=k, pick=item)


def smaller(data: Dataset, records: int, items: int) -> Dataset:
    """So many other patients with the most frequent items only."""
    part = nested(data, records, seed=1)
    assert part.transactions is not None
    rare = np.ones(len(part.transactions.domain), np.bool_)
    rare[np.argsort(-part.transactions.supports, kind="stable")[:items]] = False
    return with_balanced(Dataset(transactions=part.transactions.without(rare)))


def judge_medical(rows: Rows) -> Judgement:
    """001-1."""
    found = done(rows)
    curves = _curves(_points(pick(found, pick="commonest"), by="data"))
    if len(curves) < 2:
        return Judgement((untestable("two maps to compare", "fewer than two sets gave releases"),))
    first, second = curves
    others = (
        *(Reading(text, _two_maps(pick(found, pick="commonest"), field)) for field, text in ERRORS.items()),
        Reading(RAREST, _two_maps(pick(found, pick="rarest"), "are")),
    )
    plots = tuple(RuMap(f"COAT, {name}", tuple(curve)) for name, curve in curves.items())
    note = (
        "VNEC and VNEC_kc (patient records of one hospital) are not at hand. Their sizes are kept: "
        f"{first} at random, and {second} with their 305 most frequent codes. Whole sets of codes are protected, nothing is "
        "suppressed and any codes may be generalized together."
    )
    shown = table(found, ("data", "pick", "k", "risk-protected", "are", "subsets", "ncp", "ul"))
    return Judgement(_two_maps(pick(found, pick="commonest"), "are"), plots, shown, note, READ_AS, others)


def _two_maps(rows: Rows, field: str) -> tuple[Check, ...]:
    curves = _curves(_points(rows, loss=field, by="data"))
    if len(curves) < 2:
        return (untestable("two maps to compare", "fewer than two sets gave releases"),)
    one, two = curves.values()
    levels = [abs(a - b) / max(a, b) for a, b in zip(_utilities(one), _utilities(two), strict=False)]
    share = sum(level >= DIFFERS for level in levels) / max(1, len(levels))
    return (
        _shapes_differ(curves),
        Check(
            "the utility at the same risk differs",
            f"by {DIFFERS:.0%} or more for at least half of the k",
            f"for {share:.0%} of the k; by {max(levels, default=0.0):.0%} at most",
            share >= 0.5,
        ),
        _knees(curves),
    )


def judge_shapes(rows: Rows) -> Judgement:
    """001-2."""
    found = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        curves = _curves(_points(rows, loss=field))
        return _shapes_differ(curves), _knees(curves)

    curves = _curves(_points(only(found, ALGORITHMS)))
    plots = tuple(RuMap(TITLES.get(name, name), tuple(curve)) for name, curve in curves.items())
    others = other_readings(found, ALGORITHMS, judge)
    return Judgement(judge(only(found, ALGORITHMS), "are"), plots, table(found, COLUMNS), "", READ_AS, others)


def judge_best(rows: Rows) -> Judgement:
    """001-3."""
    found = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        points = _points(rows, loss=field)
        limits = [1 / k for k in sorted({number(row, "k") for row in rows})]
        best = best_under(points, RISK_LIMIT)
        return (
            _wins("PCTA has the best utility at every risk", points, limits),
            Check(
                f"PCTA is best at a risk of at most {RISK_LIMIT:g}",
                "the highest utility within the limit is PCTA's",
                best.label if best else "no release within the limit",
                best is not None and best.series == "pcta",
            ),
        )

    others = other_readings(found, ALGORITHMS, judge, errors={**ERRORS, "ul": "utility by UL instead of queries"})
    plots = (RuMap("Apriori, COAT and PCTA on BMS-WebView-2", _points(only(found, ALGORITHMS))),)
    note = "The levels of risk are 1 / k."
    return Judgement(judge(only(found, ALGORITHMS), "are"), plots, table(found, COLUMNS), note, READ_AS, others)


def _wins(text: str, points: Sequence[MapPoint], limits: Sequence[float]) -> Check:
    winners = {f"risk {limit:.3g}": best_under(points, limit) for limit in limits}
    found = {name: point is not None and point.series == "pcta" for name, point in winners.items()}
    return always(text, "the highest utility within that risk is PCTA's", found)


def _points(rows: Rows, *, loss: str = "are", by: str = "algorithm") -> tuple[MapPoint, ...]:
    """Points of the map, a series an algorithm or a dataset; UL, a power of two, counts as such."""
    return ru_points(
        [
            Trial("", str(row["data"]), str(row[by]), {"k": row["k"]}, "done", measures={loss: _loss(row, loss), "risk": risk})
            for row in done(rows)
            if loss in row and (risk := number(row, "risk-protected")) > 0
        ],
        loss,
    )


def _loss(row: Row, loss: str) -> float:
    """UL is compared by its order only: 1 over what its log2 is below 1 rises with it."""
    return 1.0 / (1.0 - number(row, loss)) if loss == "ul" else number(row, loss)


def _curves(points: Sequence[MapPoint]) -> dict[str, list[MapPoint]]:
    names = dict.fromkeys(point.series for point in points)
    return {name: [point for point in points if point.series == name] for name in names}


def _utilities(curve: Sequence[MapPoint]) -> list[float]:
    return [point.utility for point in curve]


def _knees(curves: dict[str, list[MapPoint]]) -> Check:
    found = {name: knee(curve) for name, curve in curves.items()}
    ours = ", ".join(f"{TITLES.get(name, name)}: {point.label if point else 'none'}" for name, point in found.items())
    return Check("the angle method finds a knee in each curve", "a knee in every curve", ours, None not in found.values())


def _shapes_differ(curves: dict[str, list[MapPoint]]) -> Check:
    pairs = {(a, b): shape_distance(curves[a], curves[b]) for a, b in combinations(curves, 2)}
    ours = ", ".join(f"{TITLES.get(a, a)} and {TITLES.get(b, b)}: {gap:.2f}" for (a, b), gap in pairs.items())
    return Check(
        "the shapes of the curves differ",
        f"scaled to [0, 1] they are {DIFFERS:g} or more apart somewhere",
        ours,
        all(gap >= DIFFERS for gap in pairs.values()) if pairs else None,
    )


def shape_distance(one: Sequence[MapPoint], two: Sequence[MapPoint]) -> float:
    """How far two curves of utility over risk are apart at most, both axes scaled to [0, 1]."""
    grid = np.linspace(0.0, 1.0, 101)
    first, second = (np.interp(grid, *_scaled(curve)) for curve in (one, two))
    return float(np.abs(first - second).max())


def _scaled(curve: Sequence[MapPoint]) -> tuple[list[float], list[float]]:
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
