"""(k, k^m)-anonymity ([000] Definitions 1 and 2): groups of k records that are k^m-anonymous each by itself."""

from anonset.model.dataset import Dataset
from anonset.model.guarantees import KKm
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import Tally, fail_closed
from anonset.verify.km_anonymity import count_sets
from anonset.verify.shown import Groups, ShownItems, groups_of, linkable_items, match_text, sensitive_names


@fail_closed
def check_k_km(original: Dataset, release: Release, guarantee: KKm, limit: int) -> Finding:
    """Count the records of every group, and in it of every set of 1 .. m non-sensitive labels."""
    items = linkable_items(release, sensitive_names(original))
    groups = groups_of(original, release)
    tally = Tally(guarantee.id, guarantee.k)
    count_groups(tally, items, groups)
    count_sets(tally, items, guarantee.m, groups, limit)
    return tally.finding()


def count_groups(tally: Tally, items: ShownItems, groups: Groups) -> None:
    """Count the records of every group."""
    tally.add(groups.sizes, 0, lambda g: match_text(items, groups, g, ()))
