"""The story of a release, in the words of the pages."""

import pytest

pytest.importorskip("nicegui", reason="the workbench is an extra")

from anonset.web.pages.inspection import counted_from_one, in_plain_words


def test_what_is_lost_is_told_in_words():
    told = in_plain_words("Cluster 3: 5 records, NCP 0.7109, UL 1.0000, and NCP of all records 0.5000.")

    assert told == (
        "Cluster 3: 5 records, information lost in columns 71 %, information lost in items 100 %, "
        "and information lost in columns of all records 50 %."
    )


def test_rows_are_counted_as_in_the_grid():
    assert counted_from_one("Row 0 and record 999 are alike.") == "Row 1 and record 1,000 are alike."
