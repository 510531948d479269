"""The papers. Each is one file with a TITLE and CLAIMS; a claim names its experiments and what judges their rows."""

from typing import NamedTuple

from anonset.errors import ParameterError
from anonset_papers import paper_000, paper_001, paper_002, paper_003, paper_004
from anonset_papers.claims import Claim


class Paper(NamedTuple):
    """The title and the claims of a paper."""

    title: str
    claims: tuple[Claim, ...]


PAPERS: dict[str, Paper] = {
    "000": Paper(paper_000.TITLE, paper_000.CLAIMS),
    "001": Paper(paper_001.TITLE, paper_001.CLAIMS),
    "002": Paper(paper_002.TITLE, paper_002.CLAIMS),
    "003": Paper(paper_003.TITLE, paper_003.CLAIMS),
    "004": Paper(paper_004.TITLE, paper_004.CLAIMS),
}


def claims_of(names: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    """The claims of the named papers, or of all."""
    for name in names:
        if name not in PAPERS:
            raise ParameterError(f"no paper {name!r}; choose from {', '.join(PAPERS)}")
    return tuple(claim for name, paper in PAPERS.items() if name in names or not names for claim in paper.claims)
