"""What a notebook shows of a release."""

from anonset.measure.usefulness import usefulness
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.verdict import Verdict
from anonset.releases.gates import refusal
from anonset.report.certificate import release_card

AT_ONCE = 20_000  # records of which usefulness is told without being asked for


def of_release(original: Dataset, release: Release, verdict: Verdict | None, *, aligned: bool) -> str:
    """The HTML of a release's card; what takes long on many records is left out."""
    useful = usefulness(original, release) if aligned and len(original) <= AT_ONCE else None
    refused = refusal(original, release) if aligned else ""
    return release_card(original, release, verdict=verdict, useful=useful, refused=refused, aligned=aligned)
