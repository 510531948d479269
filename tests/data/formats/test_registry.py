"""One registry of formats: what reads, writes, checks and offers them agrees with it."""

from pathlib import Path

from anonset.data.formats import FORMATS, RELEASE_FORMATS, release_formats
from anonset.verify.reading.formats import READERS
from anonset.workbench.runs import FORMATS as WORKBENCH_FORMATS

DOCS = Path(__file__).parents[3] / "docs"


def test_no_two_formats_share_an_id_or_a_suffix():
    suffixes = [suffix for format in FORMATS.values() for suffix in format.suffixes]

    assert len(suffixes) == len(set(suffixes))
    assert [format.id for format in FORMATS.values()] == list(FORMATS)


def test_the_verifier_reads_every_format_that_releases_are_written_in():
    assert {id: format.file for id, format in RELEASE_FORMATS.items()} == {id: file for id, (file, _) in READERS.items()}


def test_the_formats_that_are_offered_are_those_that_can_be_written():
    assert f"| {release_formats()};" in (DOCS / "cli.md").read_text(encoding="utf-8")
    assert set(WORKBENCH_FORMATS) <= set(RELEASE_FORMATS)


def test_every_format_is_in_the_documentation():
    pages = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("input.md", "release.md", "cli.md"))

    assert [format.id for format in FORMATS.values() if format.suffixes[0] not in pages] == []
