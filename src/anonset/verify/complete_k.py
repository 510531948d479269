"""Complete k-anonymity ([003] Definition 3): every whole published itemset is contained in at least k records'."""

from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.containment import supports_within
from anonset.verify.findings import Tally, fail_closed
from anonset.verify.sets import distinct
from anonset.verify.shown import linkable_items, sensitive_names


@fail_closed
def check_complete_k(original: Dataset, release: Release, guarantee: CompleteK, limit: int) -> Finding:
    """Count, for each different set of non-sensitive labels a record shows, the records that show all of it."""
    items = linkable_items(release, sensitive_names(original))
    first, weights, _ = distinct(items.sets)
    sets = items.sets.take(first)
    supports = supports_within(sets, None, weights, limit=limit)
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(supports, 0, lambda p: items.text(sets.get(p)))
    return tally.finding()
