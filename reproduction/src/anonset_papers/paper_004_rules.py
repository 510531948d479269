"""How the claims of [004] are judged."""

from dataclasses import replace

import numpy as np

from anonset_papers.claims import Check, Judgement, Plot, Reading, Row, Rows
from anonset_papers.figures import along, by_setting, done, lines, pick, ratios, renamed, table
from anonset_papers.rules import always, at_least, reaches, stays_within

RING = ("gray-ring", "nr-k")
DIVERSE = ("cahd", "nr-l")
GREEDY = "nr-l, greedy"
STAND_IN = (
    "«nr-l» recodes in small rings of different labels. The paper's graph of greedy walks breaks its own promise once an "
    "assignment is drawn: `nr-l` with graph = greedy is it, and the verifier refuses what it publishes where labels repeat."
)
PAPERS_GRAPH = "the paper's own greedy graph, whatever it breaks"
ALMOST_TEN = 5.0
ALIKE = 0.3  # between two powers of the number of records
NAMES = {
    "er": "error rate",
    "qe1": "query error, type I",
    "qe2": "query error, type II",
    "broken": "records whose labels repeat",
}
COLUMNS = ("data", "k", "algorithm", "er", "qe1", "qe2", "broken")
TITLES = {"CHESS": "Chess", "PUMSB": "Pumsb"}
DATA_NOTE = (
    "Pumsb: at most 16,000 random records of the stand-in. Occupations: 470 values, drawn from a law of the same shape as the "
    "census of 1990, which is not at hand. Local search stands in for the genetic algorithm of the Gray-TSP order."
)
QUERY_NOTE = "Up to 500 queries of each type. Counts are those of the published base sets, as in the paper."
WALK_NOTE = (
    "Means of three seeds; CPU seconds with warm kernels, all walks compiled alike. Only the number of records and k matter, "
    "not what the records hold. Our backtracking never tries an edge twice in a walk, without which it hardly ends. "
    "«halving» is our own, which the algorithms use unless told otherwise."
)
TIME_NOTE = (
    "CPU seconds in one process, warm kernels, the less of two runs. In the copies of a record 5% of the items are replaced "
    "with random ones."
)


def judge_errors_ring(chess: Rows, pumsb: Rows) -> Judgement:
    """004-1."""
    return _fewer_errors("fewer bits flipped over the Gray-TSP order", _of(RING, chess, pumsb), "k")


def judge_errors_diverse(chess: Rows, pumsb: Rows) -> Judgement:
    """004-2."""
    text = "fewer bits flipped than by CAHD"
    rows = _of((*DIVERSE, GREEDY), chess, pumsb)
    found = _fewer_errors(text, _of(DIVERSE, rows), "l")
    others = (Reading(PAPERS_GRAPH, (_less(text, _greedy(rows), "er", DIVERSE),)),)
    shown = table(rows, COLUMNS, names=NAMES)
    return replace(found, table=shown, others=others, stand_in=STAND_IN, note=f"{found.note} {_broken(rows)}")


def judge_queries(chess: Rows, pumsb: Rows) -> Judgement:
    """004-3."""
    ring, diverse = _of(RING, chess, pumsb), _of((*DIVERSE, GREEDY), chess, pumsb)

    def judge(rows: list[Row], names: tuple[str, str], text: str) -> tuple[Check, ...]:
        return tuple(_less(f"{text}, type {n}", rows, field, names) for field, n in (("qe1", "I"), ("qe2", "II")))

    than_cahd = "less error than by CAHD"
    checks = (*judge(ring, RING, "less error over the Gray-TSP order"), *judge(_of(DIVERSE, diverse), DIVERSE, than_cahd))
    plots = [
        plot
        for rows, letter in ((ring, "k"), (diverse, "l"))
        for field in ("qe1", "qe2")
        for plot in _plots(rows, field, letter)
    ]
    others = (Reading(PAPERS_GRAPH, judge(_greedy(diverse), DIVERSE, than_cahd)),)
    shown = table([*ring, *diverse], COLUMNS, names=NAMES)
    note = f"{QUERY_NOTE} {DATA_NOTE} {_broken(diverse)}"
    return Judgement(checks, tuple(plots), shown, note, "", others, STAND_IN)


def judge_walks(rows: Rows) -> Judgement:
    """004-4."""
    by_k, by_records = pick(rows, by="k"), pick(rows, by="records")

    def judge(y: str) -> tuple[Check, ...]:
        grown = ratios(by_records, y, "backtracking", "closed", ("records",))
        most = grown[-1].value if grown else None
        return (
            at_least("closed walks are quicker at every k", ratios(by_k, y, "backtracking", "closed", ("k",)), 1.0),
            at_least("closed walks are quicker at every size", grown, 1.0),
            reaches("almost ten times quicker on the largest data", most, ALMOST_TEN, unit=" times"),
        )

    own = ratios(by_records, "cpu", "backtracking", "halving", ("records",))
    said = f" It is {own[-1].value:.3g} times as quick as backtracking on the largest data." if own else ""
    plots = (
        lines(by_k, "k", "steps", "Steps of k assignments", log=True),
        lines(by_records, "records", "steps", "Steps of 16 assignments", log=True),
        lines(by_records, "records", "cpu", "Time of 16 assignments", log=True),
    )
    shown = table(rows, ("records", "k", "algorithm", "steps", "cpu"), names={"algorithm": "walk"})
    others = (Reading("CPU seconds of our implementation", judge("cpu")),)
    return Judgement(judge("steps"), plots, shown, WALK_NOTE + said, "time is counted in steps of the walks.", others)


def judge_diversity_time(rows: Rows) -> Judgement:
    """004-5."""
    rows = done(rows)
    powers = {name: power(*along(pick(rows, algorithm=name), "records", "cpu")) for name in DIVERSE}
    text = "both grow alike with the records"
    apart = stays_within(text, _apart(powers["cahd"], powers["nr-l"]), ALIKE, unit=" between the powers")
    checks: tuple[Check, ...] = (
        at_least("l-diversification takes longer", ratios(rows, "cpu", "nr-l", "cahd", ("records",)), 1.0),
        apart,
    )
    said = ", ".join(f"{name} as records to the power {found:.2f}" for name, found in powers.items() if found is not None)
    plots = (lines(rows, "records", "cpu", "Time by records", log=True),)
    note = f"{TIME_NOTE} Time grows: {said}." if said else TIME_NOTE
    return Judgement(checks, plots, table(rows, ("records", "algorithm", "cpu")), note, stand_in=STAND_IN)


def power(records: list[float], seconds: list[float]) -> float | None:
    """The p for which time grows as records to the power p; None for fewer than two sizes."""
    if len(records) < 2 or min(seconds) <= 0:
        return None
    return float(np.polyfit(np.log(records), np.log(seconds), 1)[0])


def _apart(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else abs(one - two)


def _fewer_errors(text: str, rows: list[Row], letter: str) -> Judgement:
    check = _less(text, rows, "er", RING if letter == "k" else DIVERSE)
    return Judgement((check,), _plots(rows, "er", letter), table(rows, COLUMNS, names=NAMES), DATA_NOTE)


def _less(text: str, rows: list[Row], field: str, names: tuple[str, str]) -> Check:
    worse, better = names
    figures = [found for found in by_setting(rows, field, ("data", "k")).items() if set(names) <= set(found[1])]
    values = [found.value for found in ratios(rows, field, worse, better, ("data", "k"))]
    ours = f"{worse} has {min(values):.3g} to {max(values):.3g} times as much" if values else ""
    return always(
        text, f"less by {better} than by {worse}", {place: found[better] < found[worse] for place, found in figures}, ours=ours
    )


def _greedy(rows: Rows) -> list[Row]:
    """The rows with the paper's own graph in the place of ours."""
    return _of(DIVERSE, renamed(rows, {"nr-l": GREEDY}))


def _broken(rows: Rows) -> str:
    """For how many records the greedy graph breaks its promise."""
    found = [row for row in rows if row["algorithm"] == GREEDY]
    said = ", ".join(f"{row['broken']} ({TITLES.get(str(row['data']), row['data'])}, l={row['k']})" for row in found)
    return f"Records whose labels repeat under the paper's greedy graph: {said}." if said else ""


def _of(names: tuple[str, ...], *experiments: Rows) -> list[Row]:
    return [row for row in done(*experiments) if row["algorithm"] in names]


def _plots(rows: Rows, field: str, letter: str) -> tuple[Plot, ...]:
    sources = dict.fromkeys(str(row["data"]) for row in rows)
    return tuple(
        lines(
            pick(rows, data=source),
            "k",
            field,
            f"{TITLES.get(source, source)}: {NAMES[field]}",
            x_label=letter,
            y_label=NAMES[field],
        )
        for source in sources
    )
