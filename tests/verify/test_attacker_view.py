import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.labels import Ranges
from anonset.verify.attacker_view import groups_of
from release_makers import any_release
from strategies import relational_datasets


def look(column, r):
    """What a reader sees in a cell: a text and, of a range, its ends."""
    a, labels = int(column.codes[r]), column.labels
    if a < 0:
        return None
    return labels.texts[a], (labels.low[a], labels.high[a]) if isinstance(labels, Ranges) else None


@given(st.data(), st.sampled_from([1, 7, 2**62]))
def test_records_that_look_alike_are_a_group_however_many_groups_there_could_be(source, widest):
    data = source.draw(relational_datasets())
    release = source.draw(any_release(data))
    looks = [tuple(look(column, r) for column in release.quasi) for r in range(len(release))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.verify.attacker_view.WIDEST", widest)
        groups = groups_of(data, release)

    assert len(groups.sizes) == len(set(looks))
    for g, (size, first) in enumerate(zip(groups.sizes, groups.firsts, strict=True)):
        same = [r for r, seen in enumerate(looks) if seen == looks[first]]
        assert (size, first, same) == (len(same), same[0], [r for r in range(len(looks)) if groups.of[r] == g])
