"""Write the hashes of a release's published files, for the publisher to sign and the recipient to check."""

from pathlib import Path

from anonset.errors import GuaranteeViolated, InputError
from anonset.releases.staging import SUMS, sums, unchanged


def run(release: Path) -> Path:
    """Write published/SHA256SUMS of a release that is as it was published; return its path."""
    half = release / "published"
    if not (half / "about.json").is_file() or not (release / "private").is_dir():
        raise InputError("is not a release with its private half", file=release)
    (half / SUMS).unlink(missing_ok=True)  # an older one may be of other files
    found = unchanged(release)
    if found is None or not found.holds:
        raise GuaranteeViolated(f"{'' if found is None else found.worst}; so it is not to be signed")
    (half / SUMS).write_text(sums(half), encoding="utf-8", newline="\n")
    return half / SUMS
