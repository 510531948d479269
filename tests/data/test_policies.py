import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import read_policies, read_privacy, read_utility, write_policies
from anonset.errors import InputError
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions

names = st.text("ab,\"\n'é\x7f[=#", min_size=1, max_size=4).map(str.strip).filter(bool)
itemsets = st.lists(st.lists(names, min_size=1, max_size=3, unique=True).map(tuple), min_size=1, max_size=4).map(tuple)
weights = st.dictionaries(names, st.floats(0, 1e6), max_size=2)


@st.composite
def utilities(draw):
    pool = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    cut = draw(st.integers(0, len(pool) - 1))
    groups = tuple(tuple(part) for part in (pool[:cut], pool[cut:]) if part)
    return UtilityPolicy(groups, draw(st.floats(0, 1)), draw(weights), draw(weights))


@pytest.mark.parametrize("ending", ["toml", "json"])
@given(
    privacy=st.one_of(st.none(), itemsets.map(Itemsets), st.integers(1, 9).map(AllItemsets), st.just(WholeTransactions())),
    utility=st.one_of(st.none(), utilities()),
)
def test_policies_survive_being_written(tmp_path_factory, ending, privacy, utility):
    path = tmp_path_factory.mktemp("p") / f"p.{ending}"
    if privacy is None and utility is None:
        return

    write_policies(path, privacy, utility)

    assert read_policies(path) == (privacy, utility)


@given(itemsets)
def test_itemsets_survive_as_csv(tmp_path_factory, sets):
    path = tmp_path_factory.mktemp("p") / "p.csv"

    write_policies(path, Itemsets(sets))

    assert read_privacy(path) == Itemsets(sets)


def test_groups_survive_as_csv(tmp_path):
    utility = UtilityPolicy((("a", "b"), ("c",)))

    write_policies(tmp_path / "p.csv", utility=utility)

    assert (tmp_path / "p.csv").read_text() == "a,b\nc\n"
    assert read_utility(tmp_path / "p.csv") == utility


def test_the_keys_of_a_policy_are_as_documented(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(
        'privacy = "all"\nm = 2\nutility = [["a", "b"]]\nsuppression = 0.1\nweights = { a = 2 }\n[penalties]\nb = 3.5\n'
    )

    privacy, utility = read_policies(path, domain=["a", "b"])

    assert privacy == AllItemsets(2)
    assert utility == UtilityPolicy((("a", "b"),), 0.1, {"a": 2.0}, {"b": 3.5})
    assert (read_privacy(path), read_utility(path)) == (privacy, utility)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.toml", "privacy = ", r"p\.toml: is not valid TOML"),
        ("p.json", '{"privacy":\n [}', r"p\.json, line 2, column 3: is not valid JSON"),
        ("p.json", "[" * 100_000, r"p\.json: is nested too deeply"),
        ("p.json", "[1]", r"p\.json: a table with the keys"),
        ("p.toml", "private = 1", r"p\.toml: there is no key 'private'; there are privacy, m,"),
        ("p.toml", "privacy = 'some'", r"p\.toml: privacy must be a list of lists of items, 'all' or 'transactions'"),
        ("p.toml", "privacy = [[]]", r"p\.toml: privacy must be a list of lists"),
        ("p.toml", "privacy = [['a', 'a']]", r"p\.toml: a privacy constraint must name one or more different items"),
        ("p.toml", "privacy = 'all'", r"p\.toml: privacy = 'all' needs m"),
        ("p.toml", "privacy = 'all'\nm = 0", r"p\.toml: privacy = 'all' needs m"),
        ("p.toml", "privacy = [['a']]\nm = 2", r"p\.toml: m belongs to privacy = 'all'"),
        ("p.toml", "suppression = 0.5", r"p\.toml: suppression needs utility beside it"),
        ("p.toml", "utility = [['a']]\nsuppression = 2", r"p\.toml: suppression must lie between 0 and 1"),
        ("p.toml", "utility = [['a']]\nsuppression = nan", r"p\.toml: suppression must be a number from 0"),
        ("p.toml", "utility = [['a'], ['a']]", r"p\.toml: utility constraints must not share items"),
        ("p.toml", "utility = [['a']]\nweights = 3", r"p\.toml: weights must be a table"),
        ("p.toml", "utility = [['a']]\nweights = { a = 'x' }", r"p\.toml: weights of 'a' must be a number"),
        ("p.toml", "privacy = [['a', 'z']]", r"p\.toml: 1 items are not in the data, e\.g\. 'z'"),
        ("p.toml", "utility = [['a']]\npenalties = { z = 1 }", r"p\.toml: 1 items are not in the data"),
        ("p.yaml", "x", r"p\.yaml: the name of a policy file must end in \.toml or \.json"),
        ("p.toml", "", r"p\.toml: is empty"),
    ],
)
def test_a_bad_policy_is_told_with_its_file(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=message):
        read_policies(tmp_path / name, domain=["a"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nc,,d\n", r"p\.csv, line 2: an item is empty"),
        ("a,b\nc,a\n", r"p\.csv, line 2: 'a' is on line 1 already"),
        ('a,b\n"c"d\n', r"p\.csv, line 2: cannot be read"),
    ],
)
def test_a_bad_line_of_groups_is_told(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text)

    with pytest.raises(InputError, match=message):
        read_utility(tmp_path / "p.csv")


def test_what_csv_cannot_hold_and_what_is_absent_is_refused(tmp_path):
    with pytest.raises(InputError, match="CSV holds either itemsets or groups"):
        write_policies(tmp_path / "p.csv", AllItemsets(2))
    with pytest.raises(InputError, match="CSV holds either"):
        write_policies(tmp_path / "p.csv", utility=UtilityPolicy((("a",),), 0.5))
    with pytest.raises(InputError, match=r"must end in \.toml, \.json or \.csv"):
        write_policies(tmp_path / "p.txt", AllItemsets(2))
    write_policies(tmp_path / "p.toml", AllItemsets(2))
    with pytest.raises(InputError, match="has no key `utility`"):
        read_utility(tmp_path / "p.toml")
    write_policies(tmp_path / "p.toml", utility=UtilityPolicy((("a",),)))
    with pytest.raises(InputError, match="has no key `privacy`"):
        read_privacy(tmp_path / "p.toml")
