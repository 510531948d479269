"""Nonreciprocal l-diversity ([004] Definition 1): l assignments whose l matches carry l different sensitive labels."""

from dataclasses import replace

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.guarantees import NrK, NrL
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import WITNESSES, fail_closed
from anonset.verify.limits import TooLargeError
from anonset.verify.nr_k import check_nr_k
from anonset.verify.shown import NotPublishedError, cell_text, values_shown


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
    labels = np.sort(values_shown(column)[release.assignments], axis=0)
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
