"""Partial items: those that a record has and does not show are at most a given share of all."""

from anonset.model.dataset import Dataset
from anonset.model.guarantees import PartialItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import fail_closed
from anonset.verify.shown import NotPublishedError, generalized_items
from anonset.verify.truthful_items import left_out


@fail_closed
def check_partial_items(original: Dataset, release: Release, guarantee: PartialItems, limit: int) -> Finding:
    """Count the items that are not sensitive and have no label in their published record."""
    items = generalized_items(release)
    if original.transactions is None:
        raise NotPublishedError("the guarantee is about items, and the original has none")
    gone, of = left_out(original, items, release.rows)
    worst = f"{gone} of {of} items are not shown in their records; at most {guarantee.share:.2%} is promised"
    holds = gone <= guarantee.share * of
    return Finding(guarantee.id, holds, 0 if holds else gone, worst, None, () if holds else (worst,))
