"""pcta, upcta and coat as item steps where l > 1."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anonset import threads
from anonset.algorithms import make
from anonset.algorithms.rt import item_step
from anonset.algorithms.rt.item_step import AnyStep, DiverseStep, ItemPolicies, Items, make_step
from anonset.errors import InfeasibleError, SetParameter
from anonset.model.builders import balanced
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.policy import UtilityPolicy
from anonset.verify import verify
from oracles import rt as oracle
from strategies import rt_datasets

RT = ["r-first", "t-first", "rmerge-r", "rmerge-t", "rmerge-rt", "tmerge-r", "tmerge-t", "tmerge-rt"]
STEPS = ["pcta", "upcta", "coat"]
FEASIBLE = 129  # small cases, at least


def people(records, secret="X"):
    """Records of one-letter items, of which some are sensitive, with an age."""
    t = Transactions.from_records(records, domain=sorted(set("".join(records)) | set(secret)))
    ages = np.arange(10.0)
    codes = (np.arange(len(records)) * 7 % 10).astype(np.int32)
    column = Column("age", "quasi", "numeric", codes, tuple(str(int(age)) for age in ages), ages)
    return Dataset((column,), t, sensitive_items=np.array([name in secret for name in t.domain]))


def attempt(name, data, **parameters):
    seed = {} if name == "t-first" else {"seed": 1}
    try:
        return make(name, {**parameters, **seed}).anonymize(data)
    except InfeasibleError as error:
        assert "l" in str(error)
        return None


def is_right(data, release, k, m, l):  # noqa: E741
    return oracle.is_protected(data, release, k, m, l) and oracle.is_truthful(data, release)


@pytest.mark.parametrize("name", RT)
@settings(max_examples=15)
@given(
    data=rt_datasets(min_records=4, max_records=14, sensitive=True),
    k=st.integers(2, 3),
    m=st.integers(1, 2),
    l=st.integers(2, 3),
    items=st.sampled_from(STEPS),
    refine=st.booleans(),
)
def test_what_lift_or_aa_publishes_they_publish_too(name, data, k, m, l, items, refine):  # noqa: E741
    assume(data.sensitive_items.any())
    more = {"k": k, "m": m, "l": l} | ({"refine": refine} if "merge" in name else {})
    others = [attempt(name, data, items=other, **more) for other in ("lift", "aa")]

    release = attempt(name, data, items=items, **more)

    assert release is not None or others == [None, None]
    if release is not None:
        assert is_right(data, release, k, m, l)
        verify(data, release).require()


@settings(max_examples=8, deadline=None)
@given(data=rt_datasets(min_records=4, max_records=12, sensitive=True), k=st.integers(2, 3), items=st.sampled_from(STEPS))
def test_a_search_hides_sensitive_items_by_them(data, k, items):
    assume(data.sensitive_items.any())

    release = attempt("rt-search", data, k=k, m=2, l=2, items=items, steps="3+2", asks=20)

    if release is not None:
        assert is_right(data, release, k, 2, 2)


def test_no_feasible_small_case_is_refused(monkeypatch):
    """Of the cases that lift publishes; the steps as they are, without l, refuse many of them."""
    feasible, unaware = 0, dict.fromkeys(STEPS, 0)
    for seed in range(200):
        data, k, m, l = small_case(seed)  # noqa: E741
        if attempt("r-first", data, k=k, m=m, l=l, items="lift") is None:
            continue
        feasible += 1
        for items in STEPS:
            release = attempt("r-first", data, k=k, m=m, l=l, items=items)
            assert release is not None
            assert is_right(data, release, k, m, l)
            with monkeypatch.context() as patch:
                patch.setattr(item_step, "DiverseStep", lambda data, step, m, l: AnyStep(data, step, step.k, m, l))  # noqa: E741
                unaware[items] += attempt("r-first", data, k=k, m=m, l=l, items=items) is None
    assert feasible >= FEASIBLE
    assert min(unaware.values()) > FEASIBLE // 5, (feasible, unaware)


def small_case(seed):
    """Six to fourteen records of up to six items and three sensitive ones, and k, m, l."""
    rng = np.random.default_rng(seed)
    names, secret = "abcdef"[: rng.integers(3, 7)], "XYZ"[: rng.integers(1, 4)]
    records = [
        "".join([c for c in names if rng.random() < 0.45] + [c for c in secret if rng.random() < 0.25])
        for _ in range(rng.integers(6, 15))
    ]
    return people(records, secret), int(rng.integers(2, 4)), int(rng.integers(1, 3)), int(rng.integers(2, 4))


def test_what_one_label_tells_is_handed_over_to_lift():
    """c, and a or b beside it, hide who has X; one label for all items is in five records, three of them with X."""
    data = people(["ac", "", "bc", "adX", "acX", "cX"])
    rows = np.arange(len(data))
    step = make_step(data, "pcta", 2, 1, 2)

    offsets, shown = step.protect(rows)

    assert isinstance(step, DiverseStep)
    assert step.labels.protects(offsets, shown, 2, 1, 2)
    assert AnyStep(data, make("pcta", {"k": 2, "m": 1}), 2, 1, 2).protect(rows) is None
    whole = UtilityPolicy((("a", "b", "c", "d"), ("X",)))
    assert make_step(data, "pcta", 2, 1, 2, ItemPolicies(whole)).protect(rows) is None  # it may not go beyond groups


def test_outcomes_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(5)
    data = people(["".join(c for c in "abcdefX" if rng.random() < 0.4) for _ in range(240)])
    clusters = np.split(np.arange(len(data)), np.cumsum(np.resize([4, 6, 9], 36)))
    published = []
    for cores in (1, 4):
        monkeypatch.setattr(threads, "THREADS", cores)
        items = Items(make_step(data, "pcta", 2, 2, 2), exact_weight=1.0)
        found = items.publish([one for one in items.outcomes(clusters) if one is not None])
        published.append((found.offsets.tolist(), found.shown.tolist(), found.labels.texts))
    assert published[0] == published[1]


def test_a_sensitive_item_that_too_many_hold_is_refused_with_numbers():
    data = people(["aX", "bX", "aX", "b", "a"])

    for name in (*RT, "rt-search"):
        with pytest.raises(InfeasibleError, match=r"'X' is in 3 of 5 records, more than 1 in l=2: .* lower l to 1 or less"):
            make(name, {"k": 2, "l": 2, "items": "lift"}).anonymize(data)
    assert make("r-first", {"k": 2, "items": "lift"}).anonymize(data) is not None


@pytest.mark.parametrize(
    ("items", "utility", "expected"),
    [
        ("lra", False, "lower k, m or l, or choose an item step that hides sensitive items: items='lift' or items='aa' or "),
        ("coat", True, "or join groups of the utility policy, or leave it out and .*: items='lift'"),
        ("pcta", False, "cannot be protected; lower k, m or l$"),
    ],
)
def test_a_refusal_names_steps_that_can(items, utility, expected):
    data = people(["aX", "bX", "aX", "", "", ""])
    more = {"utility": UtilityPolicy((("a",), ("b",), ("X",)))} if utility else {}
    tree = data.with_item_hierarchy(balanced(data.transactions.domain, 4))

    with pytest.raises(InfeasibleError, match=expected) as refused:
        make("r-first", {"k": 2, "l": 2, "items": items, **more}).anonymize(tree)
    settings = [setting for fix in refused.value.fixes for setting in fix.settings]
    assert (SetParameter("items", "lift") in settings) == ("lift" in expected)
