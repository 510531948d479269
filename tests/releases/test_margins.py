from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_at_nodes, items_in_groups
from anonset.errors import GuaranteeViolated, InputError, ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.release import Margins, Release
from anonset.releases.folder import read_folder, write_folder
from anonset.releases.margins import with_margins
from anonset.verify import verify
from anonset.verify.margins import check_margins
from anonset.verify.reading import read_for_verdict
from oracles import margins as oracle
from oracles.measures import published_sets
from strategies import item_datasets


@st.composite
def recoded(draw, max_records=8, max_items=4):
    """A dataset, and a release that shows every occurrence as some node above it, or as nodes of one cut."""
    data = draw(item_datasets(sensitive=False, max_records=max_records, max_items=max_items))
    tree, t = data.item_hierarchy, data.transactions
    if draw(st.booleans()):
        nodes = [draw(st.sampled_from(tree.ancestors(int(i)))) for i in t.items]
    else:
        up = {int(i): draw(st.sampled_from(tree.ancestors(int(i)))) for i in set(t.items.tolist())}
        nodes = [up[int(i)] for i in t.items]
    k = draw(st.integers(1, 4))
    items = items_at_nodes(data, np.array(nodes, np.int32))
    release = Release((), items, (KmAnonymity(k, 1),), provenance(Identity(k=1)), np.arange(len(data)))
    leaves = [frozenset(tree.leaves[tree.low[v] : tree.high[v]]) for v in nodes]
    behind = [dict(zip((t.domain[i] for i in t.items[a:b]), leaves[a:b], strict=True)) for a, b in pairwise(t.offsets)]
    return data, release, behind


@given(recoded())
def test_margins_are_right_and_show_no_few_by_trying_every_hidden_count(case):
    data, release, _ = case

    published = with_margins(data, release)

    margins, counts = published.margins, dict(zip(data.transactions.domain, data.transactions.supports.tolist(), strict=True))
    assert all(margins.k <= low <= counts[name] < low + margins.k for name, low in margins.counts.items())
    assert check_margins(data, published).holds
    before, after = oracle.possible_hidden(release, None), oracle.possible_hidden(release, margins)
    for name, values in after.items():
        assert not oracle.shows_few(values, margins.k) or oracle.shows_few(before[name], margins.k)


@given(recoded(), st.data())
def test_a_margin_changed_by_anything_is_found(case, source):
    data, release, _ = case
    margins = with_margins(data, release).margins
    if not margins.counts:
        return
    name = source.draw(st.sampled_from(sorted(margins.counts)))
    k = margins.k
    lower, higher = ({**margins.counts, name: margins.counts[name] + step} for step in (-k, k))
    without = {other: low for other, low in margins.counts.items() if other != name}

    wrong = [Margins(k, higher, margins.withheld), Margins(k, without, margins.withheld)]
    wrong += [Margins(k, lower, margins.withheld)] if lower[name] else []

    for changed in wrong:
        assert not check_margins(data, replace(release, margins=changed)).holds


@given(recoded(), st.data())
def test_whoever_shows_the_same_labels_stays_a_candidate_whatever_the_margins(case, source):
    """The exchange of the decision page: another dataset with the same release and the same counts, the known items moved."""
    data, release, behind = case
    shown = published_sets(release)
    target = source.draw(st.sampled_from(range(len(behind))))
    if not behind[target]:
        return
    known = source.draw(st.sets(st.sampled_from(sorted(behind[target])), min_size=1))
    standing = {i: behind[target][i] for i in known}

    for u in (u for u in range(len(shown)) if set(standing.values()) <= set(shown[u])):
        mine, other = set(behind[target]), set(behind[u])
        moved, given_back = known - other, set()
        for i in sorted(moved):
            if not ((mine - moved) | given_back) & standing[i]:
                given_back.add(next(x for x in sorted(other - mine) if behind[u][x] == standing[i]))
        world = [set(record) for record in behind]
        world[target], world[u] = (mine - moved) | given_back, (other - given_back) | moved

        assert known <= world[u]
        assert all(group & record for record, groups in zip(world, shown, strict=True) for group in groups)
        assert all(any(i in group for group in groups) for record, groups in zip(world, shown, strict=True) for i in record)
        for name in data.transactions.domain:
            assert sum(name in record for record in world) == sum(name in record for record in behind)


def test_a_residue_that_few_records_hide_is_not_told():
    """a is shown in five records and hidden in one that shows (a,b); four more that show (a,b) also show a."""
    data = Dataset(transactions=Transactions.from_records(["ab"] * 4 + ["a"] * 2))
    groups = items_in_groups(data, np.array([0, 1], np.int32), ["a", "b"])
    shown = Transactions.from_records([["a", "(a,b)"]] * 4 + [["a"], ["(a,b)"]], domain=["a", "(a,b)"])
    labels = groups.labels.from_groups([[0], [0, 1]], ["a", "(a,b)"])
    items = replace(groups, offsets=shown.offsets, shown=shown.items, labels=labels)
    release = Release((), items, (KmAnonymity(5, 1),), provenance(Identity(k=1)), np.arange(6))

    margins = with_margins(data, release).margins

    assert "a" in margins.withheld
    telling = replace(release, margins=Margins(1, {"a": 6, "b": 4}))
    assert not check_margins(data, telling).holds


def test_a_rare_item_beside_a_common_one_is_not_told_by_what_its_label_leaves():
    data = Dataset(transactions=Transactions.from_records(["a"] * 8 + ["l"] * 4))
    release = Release(
        (),
        items_in_groups(data, np.array([0, 0], np.int32), ["(a,l)"]),
        (KmAnonymity(5, 1),),
        provenance(Identity(k=1)),
        np.arange(12),
    )

    published = with_margins(data, release)

    assert published.margins == Margins(5, {}, frozenset("al"))
    finding = check_margins(data, replace(release, margins=Margins(5, {"a": 5})))
    assert "leave 3 or more" in finding.worst


def test_margins_need_generalized_items_and_a_promise_about_them():
    data = Dataset(transactions=Transactions.from_records(["ab", "a"]))
    release = make("identity", {"k": 1}).anonymize(data)

    with pytest.raises(ParameterError, match="promises none"):
        with_margins(data, replace(release, guarantees=()))
    with pytest.raises(ParameterError, match="generalized items"):
        with_margins(data, make("nr-k", {"k": 2, "seed": 1}).anonymize(data))
    for wrong in ({"a": 3}, {"a": 0}, {"a": 2.0}):
        with pytest.raises(InputError, match="multiple of k"):
            Margins(2, wrong)
    with pytest.raises(InputError, match="not both"):
        Margins(2, {"a": 2}, frozenset("a"))


def test_margins_are_published_read_back_and_verified(tmp_path):
    data = Dataset(transactions=Transactions.from_records(["ab"] * 7 + ["ac"] * 6 + ["b"] * 3))
    release = with_margins(data, make("pcta", {"k": 3, "m": 2}).anonymize(data))

    write_folder(release, data, tmp_path)
    found = read_folder(tmp_path, data)

    assert found.margins == read_for_verdict(tmp_path, data).margins == release.margins
    assert found.margins.counts["a"] == 12
    assert verify(data, read_for_verdict(tmp_path, data)).holds
    about = (tmp_path / "published" / "about.json").read_text()
    assert "rounded down to a multiple of 3" in about
    (tmp_path / "published" / "about.json").write_text(about.replace('"a": 12', '"a": 15'))
    assert not verify(data, read_for_verdict(tmp_path, data)).holds
    (tmp_path / "published" / "about.json").write_text(about.replace('"a": 12', '"a": 13'))
    with pytest.raises(GuaranteeViolated, match="multiple of k"):
        read_for_verdict(tmp_path, data)
