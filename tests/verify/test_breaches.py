"""One planted breach at a time, in a release that was sound: each is found and named."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import (
    CompleteK,
    Constraints,
    KAnonymity,
    KKm,
    KLm,
    KmAnonymity,
    NrK,
    NrL,
    UtilityConstraints,
)
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Provenance, Release
from anonset.verify import verify
from anonset.verify.truthfulness import check_truthful
from papers import figures_000, tables_004

NAMES = tuple("abcdefg")
POLICY = Constraints(3, (("a", "d"), ("b", "e"), ("c",), ("g",), ("a", "unheard-of")))
WISHES = UtilityConstraints((("a", "b"), ("c",), ("d", "e", "f"), ("g",)), 0.15)
SOUND = (KmAnonymity(3, 2), CompleteK(3), POLICY, WISHES)


def baskets(shown, labels="ab c def", suppressed="g"):
    """A release of six baskets: each record a text of labels, e.g. "ab c"."""
    names = labels.split()
    texts = [name if len(name) == 1 else f"({','.join(name)})" for name in names]
    groups = Labels.from_groups([[NAMES.index(item) for item in name] for name in names], texts)
    sets = Transactions.from_records([record.split() for record in shown], names)
    gone = np.array([NAMES.index(item) for item in suppressed], np.int32)
    items = GeneralizedItems(sets.offsets, sets.items, groups, NAMES, gone)
    return Release((), items, SOUND, Provenance("by hand"), np.arange(len(shown)))


ORIGINAL = Dataset(transactions=Transactions.from_records(["acd", "bce", "abcfg", "ae", "bf", "dg"], NAMES))
PUBLISHED = ("ab c def", "ab c def", "ab c def", "ab def", "ab def", "def")


def test_the_sound_release_holds():
    verdict = verify(ORIGINAL, baskets(PUBLISHED))

    verdict.require()
    assert [finding.support for finding in verdict.findings] == [3, 3, 3, None, None]
    assert verdict.findings[0].worst == "3 records show {c}; 3 are promised"


def findings(release, guarantee):
    return verify(ORIGINAL, release, [guarantee], truthful=False).findings[0]


def test_a_label_taken_from_one_record_makes_its_sets_rare():
    broken = baskets(("ab def", *PUBLISHED[1:]))

    km, complete, constraints = (findings(broken, guarantee) for guarantee in SOUND[:3])

    assert km.witnesses[0] == "2 records show {c}; 3 are promised"
    assert set(km.witnesses[1:]) == {
        "2 records show {(a,b), c}; 3 are promised",
        "2 records show {c, (d,e,f)}; 3 are promised",
    }
    assert complete.witnesses == ("2 records show {(a,b), c, (d,e,f)}; 3 are promised",)
    assert constraints.witnesses == ("2 records show {c}; 3 are promised",)


def test_a_constraint_is_named_with_how_it_is_published():
    broken = baskets(("ab def", "ab def", "ab c", "ab c", "ab c", "def"))

    assert findings(broken, POLICY).witnesses == (
        "2 records show {(a,b), (d,e,f)}, which stands for {a, d}; 3 are promised",
        "2 records show {(a,b), (d,e,f)}, which stands for {b, e}; 3 are promised",
    )


def test_with_local_recoding_a_constraint_counts_records_that_may_hold_it():
    local = baskets(("ab d", "ad", "a d", "b", "c", "c"), labels="a b c d ab ad")

    assert findings(local, Constraints(3, (("a", "d"),))).support == 3
    assert findings(local, Constraints(4, (("a", "d"),))).witnesses == ("3 records show {a, d}; 4 are promised",)


def test_a_label_across_utility_constraints_and_one_item_too_many_suppressed():
    mixed = baskets(("ac", *PUBLISHED[1:]), labels="ab c def ac")
    gone = baskets(("ab def", "ab def", "ab def", "ab def", "ab def", "def"), suppressed="cg")

    assert findings(mixed, WISHES).witnesses == ("(a,c) is in no utility constraint",)
    assert findings(gone, WISHES).witnesses == ("2 of 7 items are suppressed; 15.00% of them are allowed",)


def test_one_changed_cell_makes_a_group_too_small():
    release = figures_000.figure_2c()
    age = replace(release.columns[0], codes=np.array([0, 0, 0, 1, 1, 1], np.int32))

    finding = verify(figures_000.figure_1a(), replace(release, columns=(age, *release.columns[1:])), [KAnonymity(2)]).findings[
        0
    ]

    assert (finding.holds, finding.violations, finding.support) == (False, 1, 1)
    assert finding.witnesses == ("1 record shows Age=[55:70], Origin=Europe, Gender=All; 2 are promised",)


def test_equal_meaning_in_other_words_can_be_told_apart():
    release = figures_000.figure_2b()
    everyone = PublishedColumn(
        "Gender", "quasi", np.array([0, 1, 1, 1, 1, 1], np.int32), Labels.from_groups([[0, 1], [0, 1]], ["All", "*"])
    )
    told = replace(release, columns=(*release.columns[:2], everyone))

    finding = verify(figures_000.figure_1a(), told, [KAnonymity(2)]).findings[0]

    assert finding.witnesses == ("1 record shows Age=[19:70], Origin=All, Gender=All; 2 are promised",)


def test_missing_is_a_value_of_its_own():
    release = figures_000.figure_2b()
    age = replace(release.columns[0], codes=np.array([-1, 0, 0, 0, 0, 0], np.int32))

    finding = verify(figures_000.figure_1a(), replace(release, columns=(age, *release.columns[1:])), [KAnonymity(2)]).findings[
        0
    ]

    assert finding.witnesses == ("1 record shows Age=(missing), Origin=All, Gender=All; 2 are promised",)


def test_an_item_moved_between_records_of_a_group_is_found():
    release = figures_000.figure_2a()
    shown = release.items.shown.copy()
    shown[release.items.offsets[4]] = release.items.labels.texts.index("(B,D)")  # instead of (A,E,F)
    broken = replace(release, items=replace(release.items, shown=shown))

    linking, diversity = verify(figures_000.figure_1a(), broken, [KKm(2, 2), KLm(2, 2, 2, ("G", "H"))], truthful=False).findings

    assert "1 record shows {(B,D)} with Age=[55:70], Origin=Africa, Gender=All; 2 are promised" in linking.witnesses
    assert linking.violations == 2
    assert (
        "of the 1 record that shows {(B,D)} with Age=[55:70], Origin=Africa, Gender=All, 1 has G; at most 1 in 2 is promised"
        in (diversity.witnesses)
    )


def test_a_quasi_column_renamed_or_given_another_role_still_counts():
    data, release = figures_000.figure_1a(), figures_000.figure_1b()
    harmless = tuple(replace(column, role="other") for column in release.columns)
    renamed = tuple(replace(column, name=f"{column.name}2") for column in release.columns)

    for columns in (harmless, renamed):
        broken = replace(release, columns=columns)
        assert verify(data, broken, [KAnonymity(3)]).findings[0].support == 2
        assert not check_truthful(data, broken).holds


# ---- truthfulness


def lies(release, data=ORIGINAL):
    finding = check_truthful(data, release)
    assert not finding.holds
    return finding.witnesses


def test_a_label_with_nothing_behind_it_is_a_lie():
    assert lies(baskets((*PUBLISHED[:5], "c def"))) == (
        "published record 5 shows c, and the original record has nothing it stands for",
    )


def test_an_item_neither_shown_nor_suppressed_is_lost():
    assert lies(baskets(("ab c", *PUBLISHED[1:]))) == (
        "an item of published record 0 is neither shown nor listed as suppressed",
    )


def test_a_suppressed_item_must_not_be_behind_a_label():
    assert lies(baskets(PUBLISHED, suppressed="gf")) == ("(d,e,f) stands for an item that is listed as suppressed",)


def test_an_item_the_original_does_not_know_is_a_violation_not_a_crash():
    release = baskets(PUBLISHED)
    strange = replace(release.items, domain=("a", "b", "c", "d", "e", "unheard-of", "g"))

    assert "(d,e,f) stands for an item the original does not know" in lies(replace(release, items=strange))


def test_items_in_another_order_mean_the_same():
    release = baskets(PUBLISHED)
    backwards = Labels.from_groups([6 - group for group in release.items.labels.groups()], release.items.labels.texts)
    items = GeneralizedItems(release.items.offsets, release.items.shown, backwards, NAMES[::-1], 6 - release.items.suppressed)

    assert verify(ORIGINAL, replace(release, items=items)).holds


def test_sensitive_items_are_neither_generalized_nor_suppressed():
    secret = replace(ORIGINAL, sensitive_items=np.array([name in "dg" for name in NAMES]))

    said = lies(baskets(PUBLISHED), secret)

    assert said[0] == "(d,e,f) hides a sensitive item among others"
    assert "an item of published record 2 is neither shown nor listed as suppressed" in said


@pytest.mark.parametrize(("code", "shown"), [(0, "[19:39]"), (-1, "(missing)")])
def test_a_cell_that_misses_the_age_is_named(code, shown):
    data, release = figures_000.figure_1a(), figures_000.figure_2c()
    age = replace(release.columns[0], codes=np.array([0, 0, 0, 0, 1, code], np.int32))

    said = lies(replace(release, columns=(age, *release.columns[1:])), data)

    assert said == (f"published record 5 shows Age={shown}, which does not cover the original value",)


def test_a_swapped_pair_of_records_is_untrue():
    release = figures_000.figure_2a()
    swapped = replace(release, rows=np.array([0, 1, 4, 3, 2, 5]))

    finding = check_truthful(figures_000.figure_1a(), swapped)

    assert not finding.holds
    assert finding.witnesses[0] == "published record 2 shows Age=[28:39], which does not cover the original value"


def test_rows_that_are_not_there_and_rows_left_out():
    data, release = figures_000.figure_1a(), figures_000.figure_2b()

    beyond = check_truthful(data, replace(release, rows=np.array([0, 1, 2, 3, 4, 6])))
    fewer = check_truthful(data.take(np.array([0, 1, 2, 3, 4, 5, 5])), release)

    assert beyond.worst == "published record 5 comes from input row 6, and there are 6 rows"
    assert (fewer.holds, fewer.worst) == (True, "1 of 7 records are not published")


def test_columns_that_must_not_be_there_or_are_not_there():
    data, release = figures_000.figure_1a(), figures_000.figure_2b()
    name, extra = (replace(release.columns[2], name=text) for text in ("Name", "Shoe size"))
    broken = replace(release, columns=(release.columns[0], replace(release.columns[1], role="other"), name, extra), items=None)

    assert set(lies(broken, data)) == {
        "column 'Name' identifies persons, and is published",
        "column 'Shoe size' is published, and the original has no such column",
        "column 'Origin' is published as other, and is quasi in the original",
        "quasi column 'Gender' is not published",
        "the items are not published",
    }


def test_columns_that_are_not_generalized_must_be_exact():
    weight = Column("w", "sensitive", "numeric", np.array([0, 1, -1], np.int32), ("5", "7"), np.array([5.0, 7.0]))
    kind = Column("c", "other", "categorical", np.array([0, 1, -1], np.int32), ("x", "y"))
    data = Dataset((weight, kind))
    vague = Labels.from_groups([[0], [0, 1]], ["x", "x or y"])
    columns = tuple(PublishedColumn(c.name, c.role, np.array([0, 1, 1], np.int32), vague) for c in data.columns)

    said = lies(Release(columns, None, (), Provenance("by hand"), np.arange(3)), data)

    assert len(said) == 4
    assert said[2] == "published record 1 shows c=x or y, which is not the original value"


def test_a_value_that_is_no_value_of_the_column_covers_nothing():
    kind = Column("c", "quasi", "categorical", np.array([0, 1], np.int32), ("x", "y"))
    shown = PublishedColumn("c", "quasi", np.array([0, 0], np.int32), Labels.from_groups([[0, 1, 7]], ["x, y or z"]))

    said = lies(Release((shown,), None, (), Provenance("by hand"), np.arange(2)), Dataset((kind,)))

    assert len(said) == 2


# ---- what a release does not have


def test_items_of_the_other_kind_are_not_what_the_guarantee_is_about():
    uncertain = verify(tables_004.table_1(), tables_004.table_3(), [KmAnonymity(2, 2)]).findings[0]
    generalized = verify(ORIGINAL, baskets(PUBLISHED), [NrK(2)]).findings[0]

    assert "publishes uncertain ones" in uncertain.worst
    assert "publishes generalized ones" in generalized.worst


def test_a_guarantee_may_not_call_more_items_sensitive_than_the_original():
    finding = verify(figures_000.figure_1a(), figures_000.figure_2a(), [KLm(2, 2, 2, ("E", "G", "H"))]).findings[0]

    assert not finding.holds
    assert finding.worst == "1 items are promised as sensitive that are not so in the original"


def test_a_range_says_nothing_about_a_category():
    kind = Column("c", "quasi", "categorical", np.array([0], np.int32), ("x",))
    shown = PublishedColumn("c", "quasi", np.array([0], np.int32), Ranges(np.array([0.0]), np.array([9.0]), ("0-9",)))

    assert len(lies(Release((shown,), None, (), Provenance("by hand"), np.arange(1)), Dataset((kind,)))) == 1


def test_long_sets_and_texts_are_cut_short_in_sentences():
    names = tuple(f"item-{i:02}-{'x' * 90}" for i in range(20))
    t = Transactions.from_records([names, names[:1]], names)
    items = GeneralizedItems(t.offsets, t.items, Labels.from_groups([[i] for i in range(20)], names), names, t.items[:0])
    release = Release((), items, (), Provenance("by hand"), np.arange(2))

    finding = verify(Dataset(transactions=t), release, [CompleteK(2)]).findings[0]

    assert "xxx..., and 8 more}" in finding.worst
    assert len(finding.worst) < 1100


@pytest.mark.parametrize(
    ("guarantee", "why"),
    [
        (KAnonymity(2), "quasi columns"),
        (KmAnonymity(2, 2), "items, and the release publishes none"),
        (CompleteK(2), "items, and the release publishes none"),
        (POLICY, "items, and the release publishes none"),
        (KKm(2, 2), "items, and the release publishes none"),
        (KLm(2, 2, 2, ()), "items, and the release publishes none"),
        (WISHES, "items"),
        (NrK(2), "items"),
        (NrL(2, "c"), "items"),
        (NrL(2, "d"), "the column 'd', which is not published"),
    ],
    ids=lambda value: getattr(value, "id", None),
)
def test_a_guarantee_about_what_is_not_published_does_not_hold(guarantee, why):
    kind = Column("c", "other", "categorical", np.array([0, 1, 1], np.int32), ("x", "y"))
    shown = PublishedColumn("c", "other", kind.codes, Labels.from_groups([[0], [1]], ["x", "y"]))

    finding = verify(
        Dataset((kind,)), Release((shown,), None, (), Provenance("by hand"), np.arange(3)), [guarantee], truthful=False
    ).findings[0]

    assert (finding.holds, finding.checked) == (False, True)
    assert why in finding.worst
