"""Numbers and names as people read them."""

import pytest

from anonset.web.words import ROLES, one_in, percent, short_time, size


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "–"), (0.0, "0 %"), (0.0004, "below 0.1 %"), (0.0312, "3.1 %"), (0.5, "50 %"), (1.0, "100 %"), (4.21, "421 %")],
)
def test_shares(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("chance", "text"), [(None, "–"), (0.0, "nobody"), (0.2, "1 in 5"), (1.0, "1 in 1"), (0.0005, "1 in 2,000")]
)
def test_chances(chance, text):
    assert one_in(chance) == text


def test_times_and_sizes():
    assert [short_time(4.4), short_time(99), short_time(185)] == ["4 s", "99 s", "3 min"]
    assert [size(17), size(105_300), size(2_500_000), size(3_000_000_000)] == ["17 bytes", "105 KB", "2.5 MB", "3,000.0 MB"]


def test_every_role_has_a_letter_of_its_own():
    letters = [role.letter for role in ROLES.values()]
    assert len(set(letters)) == len(letters) == 6
