import pytest

from anonset.errors import InputError
from anonset.study.plan import Plan

DATA = '[[data]]\npath = "shop.dat"\n'
RUN = '[[run]]\nalgorithm = "pcta"\nk = 2\n'


def plan(tmp_path, text):
    (tmp_path / "plan.toml").write_text(text)
    return Plan.from_toml(tmp_path / "plan.toml")


def test_lists_are_combined_with_each_other_and_with_the_seeds(tmp_path):
    text = f'seeds = [1, 2]\n{DATA}{RUN}[[run]]\nalgorithm = "nr-k"\nk = [2, 3]\n[limits]\nseconds = 5\n'

    found = plan(tmp_path, text)

    assert [setting.label() for setting in found.settings] == [
        "pcta k=2",
        "nr-k k=2 seed=1",
        "nr-k k=2 seed=2",
        "nr-k k=3 seed=1",
        "nr-k k=3 seed=2",
    ]
    assert (found.data[0].path, found.data[0].name, found.seconds) == (tmp_path / "shop.dat", "shop.dat", 5)


def test_seeds_are_for_algorithms_that_draw(tmp_path):
    text = f'seeds = [1, 2]\n{DATA}[[run]]\nalgorithm = "pcta"\nk = 2\nprotect = "inversion"\n'

    assert [setting.label() for setting in plan(tmp_path, text).settings] == [
        "pcta k=2 protect=inversion seed=1",
        "pcta k=2 protect=inversion seed=2",
    ]


def test_the_key_names_data_setting_and_measures(tmp_path):
    one, other = plan(tmp_path, DATA + RUN), plan(tmp_path, 'measures = ["ul"]\n' + DATA + RUN)
    setting = one.settings[0]

    assert one.key(setting, ("x",)) == one.key(setting, ("x",))
    assert len({one.key(setting, ("x",)), one.key(setting, ("y",)), other.key(setting, ("x",))}) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "is not valid TOML"),
        (DATA, "at least one"),
        (RUN, "at least one"),
        ("odd = 1\n" + DATA + RUN, "no key 'odd'"),
        (DATA + '[[run]]\nalgorithm = "magic"\n', "no algorithm 'magic'"),
        (DATA + '[[run]]\nalgorithm = "pcta"\nk = 0\n', "k must be an integer"),
        ('measures = ["magic"]\n' + DATA + RUN, "no measure 'magic'"),
        ('measures = ["are"]\n' + DATA + RUN, r"`are` needs a \[workload\]"),
        (DATA + RUN + '[workload]\nkind = "odd"\n', "kind must be one of"),
        (DATA + RUN + "[limits]\nseconds = 0\n", "limits.seconds: expected a number above 0"),
        ('[[data]]\npath = "a"\nschema = { odd = 1 }\n' + RUN, "no key .odd."),
        ('[[data]]\nname = "a"\n' + RUN, "the key .path. is missing|there is no key .file."),
    ],
)
def test_a_plan_that_is_none_is_named_with_its_file(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"plan\.toml: .*{message}"):
        plan(tmp_path, text)


def test_a_plan_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Plan.from_toml(tmp_path / "gone.toml")
