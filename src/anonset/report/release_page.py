"""The two pages of a release: the report for its owner, and the certificate that is handed out."""

from collections.abc import Mapping
from typing import Any

from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.releases.exactness import Exactness
from anonset.releases.gates import Admission
from anonset.report.bar_drawing import draw_bars
from anonset.report.certificate import certificate, without_private_half
from anonset.report.findings import Findings
from anonset.report.first_drawings import certificate_drawings, report_drawings
from anonset.report.first_page import first_page
from anonset.report.promises import people_alike
from anonset.report.technical import published_bars, reading_examples, technical
from anonset.report.template import render
from anonset.report.words import words_of


def release_page(original: Dataset, release: Release, found: Findings, cover: Cover) -> str:
    """The HTML of the report. It is for the owner: it shows rows of the original."""
    words = words_of(cover.language).counting(original.unit)
    first = first_page(original, release, found, cover, words)
    more, drawn = technical(original, release, found, words), report_drawings(first, found, words)
    return render("release.html", words=words, page=first, drawn=drawn, found=found, more=more)


def release_twin(original: Dataset, release: Release, found: Findings, cover: Cover) -> dict[str, Any]:
    """The same for machines: what the page says, and the figures behind it."""
    counts = found.counts
    return first_page(original, release, found, cover, words_of(cover.language).counting(original.unit)) | {
        "parameters": release.provenance.parameters,
        "verdict": found.verdict.as_json(),
        "measures": found.measures,
        "usefulness": None if found.useful is None else found.useful.to_json(),
        "attacks": None if found.attacks is None else found.attacks.to_json(),
        "query_error": None if counts is None else float(counts.relative_errors().mean()),
        "map": [point._asdict() for point in found.map],
        "command": found.command,
        "inputs": found.inputs or {source.name: source.sha256 for source in original.sources},
        "published": found.hashes,
    }


def certificate_page(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    admission: Admission,
    cover: Cover,
    seen: Exactness | None = None,
) -> str:
    """The HTML of the certificate: nothing but what follows from the published files and the promise.

    Where the release is one part of several, `seen` has the figures of all, and what only all of them show is not drawn.
    """
    words = words_of(cover.language).counting(original.unit)
    public = without_private_half(release)
    page = certificate(original, public, guide, admission, cover, words, seen or Exactness.of(public))
    return render(
        "release.html",
        words=words,
        page=page,
        drawn=certificate_drawings(page, people_alike(public.guarantees), words),
        more={
            "guide": guide,
            "plots": [] if seen else [str(draw_bars(chart, words)) for chart in published_bars(public, words) if chart.bars],
            "examples": reading_examples(original, public, words),
        },
    )
