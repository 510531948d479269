"""Utility constraints and semantic weights inside the clusters of the RT algorithms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.constraints.pcta import Upcta
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.model.guarantees import KKm, UtilityConstraints
from anonset.model.policy import UtilityPolicy
from anonset.testing.tiny import dataset
from anonset.verify import verify
from oracles import rt as oracle
from strategies import rt_datasets

RT = ["r-first", "t-first", "rmerge-r", "rmerge-t", "rmerge-rt", "tmerge-r", "tmerge-t", "tmerge-rt"]


@st.composite
def groups_of(draw, domain):
    """The items of a domain in a few groups."""
    number = [draw(st.integers(0, 2)) for _ in domain]
    groups = [tuple(name for name, g in zip(domain, number, strict=True) if g == which) for which in range(3)]
    return UtilityPolicy(tuple(group for group in groups if group), draw(st.sampled_from([0.0, 0.5])))


@pytest.mark.parametrize("name", RT)
@pytest.mark.parametrize("items", ["pcta", "upcta", "coat"])
@settings(max_examples=10)
@given(data=rt_datasets(min_records=2), k=st.integers(1, 3), refine=st.booleans(), draw=st.data())
def test_items_stay_inside_the_groups_in_every_cluster(name, items, data, k, refine, draw):
    utility = draw.draw(groups_of(data.transactions.domain))
    more = {"refine": refine} if "merge" in name else {}
    algorithm = make(name, {"k": k, "items": items, "utility": utility, **more})
    try:
        release = algorithm.anonymize(data)
    except InfeasibleError:
        return

    group = {item: g for g, members in enumerate(utility.groups) for item in members}
    for members in release.items.labels.named(release.items.domain).values():
        assert len({group[item] for item in members}) == 1
    assert len(release.items.suppressed) == 0
    assert release.guarantees == (KKm(k, 2), UtilityConstraints(utility.groups, 0.0))
    assert oracle.is_protected(data, release, k, 2, 1)
    assert oracle.is_truthful(data, release)
    verify(data, release).require()


@given(rt_datasets(min_records=2), st.integers(1, 3))
def test_one_group_of_all_items_is_no_restriction(data, k):
    utility = UtilityPolicy((data.transactions.domain,))
    shown = []
    for wish in (utility, None):
        try:
            release = make("rmerge-r", {"k": k, "items": "pcta", "utility": wish, "seed": 1}).anonymize(data)
            shown.append((release.items.shown.tolist(), release.items.labels.texts))
        except InfeasibleError:
            shown.append(None)

    assert shown[0] == shown[1]


@pytest.mark.parametrize("weights", ["equal", "semantic"])
@settings(max_examples=15)
@given(data=rt_datasets(min_records=2), k=st.integers(1, 3))
def test_items_of_a_cluster_are_weighed_as_asked(weights, data, k):
    utility = UtilityPolicy((data.transactions.domain,))
    try:
        release = make("t-first", {"k": k, "items": "upcta", "utility": utility, "item_weights": weights}).anonymize(data)
        alone = Upcta(k=k, utility=utility, weights=weights).anonymize(data)
    except InfeasibleError:
        return

    assert set(map(frozenset, release.items.labels.named(release.items.domain).values())) == set(
        map(frozenset, alone.items.labels.named(alone.items.domain).values())
    )


def test_what_the_item_step_cannot_do_is_refused():
    data = dataset(["ab", "bc", "cd", "ad"])
    utility = UtilityPolicy((data.transactions.domain,))

    with pytest.raises(ParameterError, match="items = aa takes no utility policy; choose pcta, upcta or coat"):
        make("rmerge-r", {"k": 2, "items": "aa", "utility": utility}).anonymize(data)
    with pytest.raises(ParameterError, match="items = lra takes no weights of items"):
        make("rmerge-r", {"k": 2, "items": "lra", "item_weights": "semantic"}).anonymize(data)
    with pytest.raises(InputError, match="are in no utility constraint"):
        make("rmerge-r", {"k": 2, "items": "pcta", "utility": UtilityPolicy(())}).anonymize(data)


def test_groups_too_narrow_for_the_whole_data_are_an_error_that_says_so():
    data = dataset(["ab", "bc", "cd", "ad"])
    alone = UtilityPolicy(tuple((name,) for name in data.transactions.domain), suppression=1.0)

    with pytest.raises(InfeasibleError, match="or join groups of the utility policy"):
        make("rmerge-r", {"k": 3, "items": "pcta", "utility": alone}).anonymize(data)
