"""Nonreciprocal k-anonymity ([004] Definitions 1 to 3): k matches both ways, in k disjoint assignments.

The assignments stored with a release are a proof: if each is one to one, no pair is in two of them and every pair matches,
then every record has k matches in both directions. Without them the verifier finds all matches, and searches k disjoint
assignments with a maximum flow.

Nonreciprocal l-diversity (Definition 1): l assignments whose l matches carry l different sensitive labels.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import NrK, NrL
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import NotPublishedError, cell_text, published_values
from anonset.verify.findings import WITNESSES, fail_closed, fails, promised
from anonset.verify.sets import TooLargeError, is_among
from anonset.verify.uncertain_matches import UncertainSets

FLOW_PAIRS = 2_000_000  # matching pairs up to which the maximum flow is computed


@fail_closed
def check_nr_k(original: Dataset, release: Release, guarantee: NrK, limit: int) -> Finding:
    """Check the assignments where they are given, else find all matches and k disjoint assignments among them."""
    sets = UncertainSets.of(original, release)
    if len(original) != len(release):
        return fails(guarantee.id, f"{len(release)} records are published, and all {len(original)} must be")
    if release.assignments is not None:
        return _check_assignments(sets, release.assignments, release.rows, guarantee)
    return _check_matches(sets, guarantee, limit)


def _check_assignments(sets: UncertainSets, assignments: NDArray[np.int64], rows: Rows, guarantee: NrK) -> Finding:
    n, k = len(sets.threshold), guarantee.k
    if assignments.ndim != 2 or assignments.shape[1] != n:
        return fails(guarantee.id, f"the assignments must map each of the {n} records to one")
    if len(assignments) < k:
        return fails(guarantee.id, f"there are {len(assignments)} assignments; {promised(k)}", support=len(assignments))
    one_to_one = (np.sort(assignments, axis=1) == np.arange(n)).all(axis=1)
    witnesses = [f"assignment {a} does not map every record to another one" for a in np.flatnonzero(~one_to_one)]
    pairs, times = np.unique((np.arange(n) * n + assignments[one_to_one]).reshape(-1), return_counts=True)
    witnesses += [f"original record {p // n} is assigned published record {p % n} twice" for p in pairs[times > 1]]
    astray = ~is_among(rows * n + np.arange(n), pairs)
    witnesses += [f"no assignment gives published record {p} the record behind it" for p in np.flatnonzero(astray)]
    originals, published = np.divmod(pairs, n)
    matching = sets.match(originals, published)
    wrong = np.flatnonzero(~matching)
    violations = len(witnesses) + len(wrong)
    witnesses += [
        f"original record {r} is assigned published record {p}, which it does not match"
        for r, p in zip(originals[wrong[:WITNESSES]], published[wrong[:WITNESSES]], strict=True)
    ]
    support, worst = _fewest(originals[matching], published[matching], n, k)
    return Finding(guarantee.id, violations == 0, violations, worst, support, tuple(witnesses[:WITNESSES]))


def _check_matches(sets: UncertainSets, guarantee: NrK, limit: int) -> Finding:
    n, k = len(sets.threshold), guarantee.k
    originals, published = sets.all_matches(limit)
    support, worst = _fewest(originals, published, n, k)
    witnesses = []
    for side, ends in (("original", originals), ("published", published)):
        counts = np.bincount(ends, minlength=n)
        witnesses += [_sentence(side, int(r), int(counts[r]), k) for r in np.flatnonzero(counts < k)]
    if witnesses:
        return Finding(guarantee.id, False, len(witnesses), worst, support, tuple(witnesses[:WITNESSES]))
    if len(originals) > min(FLOW_PAIRS, limit):
        raise TooLargeError(f"no assignments are given, and to find {k} among {len(originals):,} pairs is too much work")
    assigned = _flow(originals, published, n, k)
    if assigned < n * k:
        return fails(guarantee.id, f"the matches do not split into {k} disjoint assignments", support=support)
    return Finding(guarantee.id, True, 0, worst, support)


def _flow(originals: Rows, published: Rows, n: int, k: int) -> int:
    """How many pairs can be kept so that no record is in more than k of them."""
    source, sink = 2 * n, 2 * n + 1
    everyone = np.arange(n)
    starts = np.concatenate([np.full(n, source), originals, n + everyone])
    ends = np.concatenate([everyone, n + published, np.full(n, sink)])
    capacities = np.concatenate([np.full(n, k), np.ones(len(originals)), np.full(n, k)]).astype(np.int32)
    graph = sparse.coo_array((capacities, (starts, ends)), (2 * n + 2, 2 * n + 2)).tocsr()
    from scipy.sparse.csgraph import maximum_flow  # rarely needed, slow to import

    return int(maximum_flow(graph, source, sink).flow_value)


def _fewest(originals: Rows, published: Rows, n: int, k: int) -> tuple[int, str]:
    """The record with the fewest matches on either side."""
    worst = []
    for side, ends in (("original", originals), ("published", published)):
        counts = np.bincount(ends, minlength=n)
        r = int(np.argmin(counts))
        worst.append((int(counts[r]), _sentence(side, r, int(counts[r]), k)))
    return min(worst, key=lambda pair: pair[0])


def _sentence(side: str, r: int, n: int, k: int) -> str:
    other = "published" if side == "original" else "original"
    return f"{side} record {r} matches {n} {other} record{'' if n == 1 else 's'}; {promised(k)}"


@fail_closed
def check_nr_l(original: Dataset, release: Release, guarantee: NrL, limit: int) -> Finding:
    """Check `nr-k` with k = l, then that no label is behind more than 1/l of the assigned matches of an original record."""
    column = next((column for column in release.columns if column.name == guarantee.column), None)
    if column is None:
        raise NotPublishedError(f"the guarantee is about the column {guarantee.column!r}, which is not published")
    linking = replace(check_nr_k(original, release, NrK(guarantee.l), limit=limit), guarantee=guarantee.id)
    if not linking.holds:
        return linking
    if release.assignments is None:
        raise TooLargeError("no assignments are given, so there is no graph whose labels could be compared")
    labels = np.sort(published_values(column)[release.assignments], axis=0)
    most = _longest_run(labels)
    short = np.flatnonzero(most * guarantee.l > len(labels))
    witnesses = []
    for r in short[:WITNESSES]:
        shown = [cell_text(column, int(p)) for p in release.assignments[:, r]]
        frequent = max(shown, key=shown.count)
        witnesses.append(f"{shown.count(frequent)} of the {len(shown)} matches of original record {r} show {frequent}")
    worst = witnesses[0] if witnesses else linking.worst
    return replace(linking, holds=not witnesses, violations=len(short), worst=worst, witnesses=tuple(witnesses))


def _longest_run(columns: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each column of sorted numbers, how often its most frequent number occurs."""
    run = np.ones(columns.shape[1], np.int64)
    longest = run.copy()
    for a in range(1, len(columns)):
        run = np.where(columns[a] == columns[a - 1], run + 1, 1)
        longest = np.maximum(longest, run)
    return longest
