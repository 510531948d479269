"""What a release is good for and what not: three figures and two lists, in the words of a language."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from anonset.measure.usefulness import SizedError, Usefulness
from anonset.report.findings import Findings
from anonset.report.words import Words

RIGHT = 0.1  # counts off by at most so much on average are called reliable
MOSTLY, HARDLY = 0.8, 0.5
LEARNT = 0.05  # more right predictions than by the commonest value, for a model to be worth speaking of
LARGE = 100  # people, of whom counts are told in a figure


class Uses(NamedTuple):
    """Three figures with what they are, and what the data are good for and not."""

    figures: list[dict[str, Any]]
    good: list[str]
    bad: list[str]


def figure(words: Words, share: float, key: str, **values: object) -> dict[str, Any]:
    """A large figure, as people read it and as a number."""
    return {"of": key.removeprefix("use."), "said": words.percent(share), "value": share, "words": words(key, **values)}


def people(words: Words, alike: int) -> dict[str, Any]:
    """How many people look alike, as a large figure."""
    return {"of": "alike", "said": words.number(alike), "value": alike, "words": words("use.alike")}


def uses(found: Findings, alike: int | None, words: Words, *, certain: bool) -> Uses:
    """What the comparison with the original says; `certain`: everything shown is true."""
    useful = found.useful
    if useful is None:
        return Uses([], [], [words("use.person")])
    figures, good = list(_figures(useful, found, alike, words)), [*_good(useful, words)]
    good += [words("use.true")] if certain else []
    return Uses(figures[:3], good, list(_bad(useful, words)))


def _figures(useful: Usefulness, found: Findings, alike: int | None, words: Words) -> Iterator[dict[str, Any]]:
    if useful.exact is not None:
        yield figure(words, useful.exact, "use.exact_items", items=useful.items)
    if useful.columns:
        exact = [kept.exact for kept in useful.columns.values()]
        yield figure(words, sum(exact) / len(exact), "use.exact_values")
    if useful.counts:
        sized = next((sized for sized in useful.counts if sized.low >= LARGE), useful.counts[-1])
        yield figure(words, sized.error, "use.count_error", low=words.number(sized.low))
    if found.counts is not None and len(found.counts.workload):
        error = float(found.counts.relative_errors().mean())
        yield figure(words, error, "use.query_error", queries=words.number(len(found.counts.workload)))
    yield figure(words, 1.0 - useful.left_out / max(1, useful.records), "use.kept_records")
    if alike is not None:
        yield people(words, alike)


def _good(useful: Usefulness, words: Words) -> Iterator[str]:
    reliable = _reliable(useful)
    if reliable:
        worst, low = max(sized.error for sized in reliable), words.number(reliable[-1].low)
        yield words("use.counts", low=low, error=words.percent(worst)) if worst else words("use.exact_counts", low=low)
    if useful.exact is not None and useful.exact >= HARDLY:
        yield words("use.items_kept", items=useful.items, exact=words.percent(useful.exact))
    for name, kept in (useful.columns or {}).items():
        if kept.exact >= HARDLY:
            yield words("use.column_kept", column=name, exact=words.percent(kept.exact))
    if (kept_sets := _mined(useful, words)) and useful.mined is not None and _lower(useful) >= MOSTLY:
        yield words("use.mined", **kept_sets)
    if _can_be_predicted(useful) and useful.prediction is not None and useful.prediction.kept >= MOSTLY:
        yield words("use.predicted", **_predicted(useful, words))


def _bad(useful: Usefulness, words: Words) -> Iterator[str]:
    yield words("use.person")
    if useful.counts:
        small, large = useful.counts[0], useful.counts[-1]
        if not _reliable(useful):
            yield words("use.large", low=words.number(large.low), error=words.percent(large.error))
        elif small.high is not None and small.error > RIGHT:
            yield words("use.few", high=words.number(small.high), error=words.percent(small.error))
    if useful.lost is not None and useful.lost > RIGHT:
        yield words("use.items_lost", items=useful.items, lost=words.percent(useful.lost))
    elif useful.exact is not None and useful.exact < HARDLY:
        yield words("use.items_coarse", items=useful.items, exact=words.percent(useful.exact))
    for name, kept in (useful.columns or {}).items():
        if kept.lost > HARDLY:
            yield words("use.column_lost", column=name, lost=words.percent(kept.lost))
        elif kept.exact < HARDLY:
            yield words("use.column_coarse", column=name, exact=words.percent(kept.exact))
    if (kept_sets := _mined(useful, words)) and _lower(useful) < HARDLY:
        yield words("use.not_mined", **kept_sets)
    if _can_be_predicted(useful) and useful.prediction is not None and useful.prediction.kept < HARDLY:
        yield words("use.not_predicted", **_predicted(useful, words))


def _can_be_predicted(useful: Usefulness) -> bool:
    """Whether a model learns something from the original, so that it can be lost."""
    p = useful.prediction
    return p is not None and p.trained_on_original > p.commonest + LEARNT


def _reliable(useful: Usefulness) -> list[SizedError]:
    """The sizes from which on counts are right, the largest first."""
    return list(takewhile(lambda sized: sized.error <= RIGHT, reversed(useful.counts)))


def _lower(useful: Usefulness) -> float:
    """The lower of what is still found and what is right of it."""
    sets = useful.mined.itemsets if useful.mined is not None else None
    return 1.0 if sets is None else min(sets.recall, sets.precision)


def _mined(useful: Usefulness, words: Words) -> dict[str, str]:
    if useful.mined is None or not useful.mined.itemsets.number:
        return {}
    sets = useful.mined.itemsets
    said = {"recall": words.percent(sets.recall), "precision": words.percent(sets.precision)}
    return said | {"number": words.number(sets.number)}


def _predicted(useful: Usefulness, words: Words) -> dict[str, str]:
    assert useful.prediction is not None
    p = useful.prediction
    return {"column": p.column, "after": words.percent(p.trained_on_release), "before": words.percent(p.trained_on_original)}
