"""k-anonymity: every combination of published quasi values occurs in at least k records."""

from anonset.model.dataset import Dataset
from anonset.model.guarantees import KAnonymity
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import Tally, fail_closed
from anonset.verify.shown import NotPublishedError, groups_of


@fail_closed
def check_k_anonymity(original: Dataset, release: Release, guarantee: KAnonymity, limit: int) -> Finding:
    """Count the records of every group that shows the same quasi values."""
    groups = groups_of(original, release)
    if not groups.columns:
        raise NotPublishedError("the guarantee is about quasi columns, and the release publishes none")
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(groups.sizes, 0, groups.text)
    return tally.finding()
