"""What Python users are shown, and the functions that show it."""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import anonset
from anonset.api import bar_html, listening
from anonset.measure.workload import Workload
from anonset.samples import DIAGNOSES, generate_patients
from anonset.tasks.signatures import stub

ROLES = {"quasi": ["age", "town"], "items": "diagnoses", "identifier": "patient_id"}
VOID = {"br", "img", "meta", "path", "use", "rect"}


@pytest.fixture(scope="module")
def data():
    return anonset.read(pl.DataFrame(list(generate_patients(80, seed=4)), orient="row"), **ROLES)


@pytest.fixture(scope="module")
def release(data):
    return anonset.anonymize(data, "rmerge-rt", k=4, m=1, items="pcta", seed=1)


@pytest.fixture(scope="module")
def study(data):
    runs = {"rmerge-rt": {"k": [2, 4, 8], "m": 1, "items": "pcta"}}
    return anonset.compare(data, runs, seeds=[1], workload={"kind": "random", "n": 20}, max_risk="k=4")


class Tags(HTMLParser):
    """Whether every tag that opens is closed, and all text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.tags = [], "", set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_everything_says_what_it_is_in_a_line(data, release, study):
    results = [
        data,
        data.columns[0],
        data.transactions,
        release,
        release.columns[0],
        release.items,
        release.items.labels,
        release.columns[0].labels,
        release.verify(),
        release.usefulness(),
        anonset.attack(release, attackers=5, seed=1),
        anonset.profile(data),
        anonset.build_hierarchy("balanced:5", data),
        anonset.workload(data, n=20, seed=1),
        study,
        study.trials[0],
    ]

    for result in results:
        assert "\n" not in repr(result)
        assert len(repr(result)) < 300, type(result)
    assert repr(release) == "<Release of 80 records by rmerge-rt; promises k-km(k=4, m=1)>"


def test_cards_are_whole_and_hold_nothing_foreign(data, release, study):
    tree = anonset.build_hierarchy("balanced:5", data)
    attacked = anonset.attack(release, attackers=5, seed=1)
    for result in (data, release, release.verify(), release.usefulness(), anonset.profile(data), attacked, study, tree):
        card = Tags(result._repr_html_())
        assert card.open == []
        assert not card.tags & {"script", "link", "iframe", "img"}
        assert card.text.strip()


def test_a_release_card_tells_promise_verdict_use_and_rows(release):
    text = Tags(release._repr_html_()).text

    for words in ("k-km(k=4, m=1)", "it holds", "Still good for", "before", "after", "for the owner"):
        assert words in text


def test_a_release_card_says_what_speaks_against_it(data):
    text = Tags(anonset.anonymize(data, "pcta", k=4)._repr_html_()).text

    assert "It would not be handed out" in text
    assert "age, town may be known to an attacker" in text


def test_what_is_in_the_data_is_escaped():
    people = pl.DataFrame({"<b>": ["<script>alert(1)</script>", "x"] * 4})
    data = anonset.read(people, quasi="<b>")
    release = anonset.anonymize(data, "identity", k=2)

    for result in (data, release, anonset.profile(data)):
        assert not Tags(result._repr_html_()).tags & {"script", "b"}


def test_a_study_shows_its_map_and_finds_the_best(study):
    card = Tags(study._repr_html_())

    assert [trial.outcome for trial in study.trials] == ["done"] * 3
    assert "svg" in card.tags
    assert study.best["DataFrame"].label.startswith("rmerge-rt k=4")
    assert "rmerge-rt k=8" in card.text


def test_drawings_show_themselves_and_are_saved(data, release, study, tmp_path):
    for drawing in (release.plot(), study.plot(), anonset.build_hierarchy("balanced:5", data).plot()):
        drawing.save(tmp_path / "drawing.svg")
        assert (tmp_path / "drawing.svg").read_text(encoding="utf-8").startswith("<svg")
        assert "svg" in Tags(drawing._repr_html_()).tags
        assert len(repr(drawing)) < 100
    with pytest.raises(anonset.ParameterError, match="no dataset 'dataframe'; did you mean 'DataFrame'"):
        study.plot("dataframe")


def test_near_names_are_suggested(data, release):
    mistakes = {
        "no measure 'rsik'; did you mean 'risk'": lambda: release.measure("rsik"),
        "no algorithm 'rmerge-tr'; did you mean 'rmerge-t": lambda: anonset.anonymize(data, "rmerge-tr", k=2),
        "no parameter 'detla'; did you mean 'delta'": lambda: anonset.anonymize(data, "rmerge-rt", k=2, detla=0.5),
        "no column 'twon'; did you mean 'town'": lambda: data.column("twon"),
        "no guarantee 'k-anonymty'; did you mean 'k-anonymity'": lambda: make("k-anonymty"),
        "no measure 'ncpp'; did you mean 'ncp'": lambda: anonset.compare(data, {"pcta": {"k": 2}}, loss="ncpp"),
        "no measure 'magic'; choose from ncp, ": lambda: release.measure(["magic"]),
    }
    for words, ask in mistakes.items():
        with pytest.raises(anonset.AnonsetError) as raised:
            ask()
        assert words in str(raised.value)
    assert release.measure("risk") == {"risk": pytest.approx(1 / 4)}


def test_numbers_are_numbers(data):
    assert anonset.anonymize(data, "rmerge-rt", k=2.0, items="pcta").provenance.parameters["k"] == 2
    for k, words in (("2", "k must be a number; got the text '2'"), (2.5, "k must be an integer from 1 to 1e+09; got 2.5")):
        for algorithm in ("rmerge-rt", None):
            with pytest.raises(anonset.ParameterError) as raised:
                anonset.anonymize(data, algorithm, k=k)
            assert str(raised.value) == words


def test_what_is_handed_over_fails_by_its_name(release):
    def two(original):
        return 1

    mistakes = {
        "failed: the measure 'two': TypeError": lambda: release.measure(two),
        "ids of measures, or functions of (original, release), are expected; got int": lambda: release.measure(3),
        "a comparison takes ids of measures": lambda: anonset.compare(release.original, {"pcta": {"k": 2}}, measures=[two]),
        "failed: the guarantee 'odd': TypeError": lambda: release.verify([Odd()]),
        "a guarantee is a frozen dataclass with an id; got Unlike": lambda: release.verify([Unlike()]),
        "a list of guarantees is expected; got Odd": lambda: release.verify(Odd()),
    }
    for words, ask in mistakes.items():
        with pytest.raises(anonset.AnonsetError) as raised:
            ask()
        assert words in str(raised.value)


@dataclass(frozen=True)
class Odd:
    id = "odd"

    def check(self):
        return True


class Unlike:
    def check(self):
        return True


def test_tables_of_a_dataset_and_a_comparison(data, study):
    frame, names = data.to_polars(), ["age", "town", "diagnoses"]

    assert frame["age"].to_list() == data.to_pandas()["age"].to_list()
    assert [set(items) for items in frame[data.item_column].to_list()] == list(map(set, data.transactions.records()))
    assert anonset.read(frame.lazy(), quasi=["age", "town"], items="diagnoses").to_polars().equals(frame.select(names))
    trials = study.to_polars()
    assert trials["m.risk"].to_list() == [trial.measures["risk"] for trial in study.trials]
    assert list(study.to_pandas().columns) == trials.columns


def make(id):
    from anonset.model.guarantees import make_guarantee

    return make_guarantee(id, {"k": 2})


def test_a_profile_of_a_frame_or_a_dataset(data):
    frame = pl.DataFrame(list(generate_patients(80, seed=4)), orient="row")

    assert anonset.profile(frame, **ROLES).as_json() == anonset.profile(data).as_json()
    assert anonset.profile(data).records == 80


def test_workloads_are_drawn_and_counted(data, release):
    queries = anonset.workload(data, n=7, seed=3)

    assert isinstance(queries, Workload)
    assert queries == anonset.workload(release, n=7, seed=3)
    assert len(queries) == 7
    assert release.error_of(queries) >= 0
    assert len(anonset.workload(release, "generalized", n=3)) == 3
    with pytest.raises(anonset.ParameterError, match="drawn from a release"):
        anonset.workload(data, "generalized")


def test_hierarchies_are_built_of_values_columns_and_items(data):
    names = [name for chapter in DIAGNOSES.values() for group in chapter.values() for name in group]

    assert anonset.build_hierarchy("balanced:2", ["1", "2", "3"]).leaves == ("1", "2", "3")
    assert set(anonset.build_hierarchy("balanced:3", data, "town").leaves) == set(data.column("town").domain)
    assert set(anonset.build_hierarchy("learned", data).leaves) <= set(names)


def test_a_recommendation_makes_a_release(data):
    found = anonset.recommend(data, max_risk="k=3", m=1, seconds=5, workload=anonset.workload(data, n=10, seed=1))
    release = anonset.anonymize(data, found.best.algorithm, **found.best.parameters)

    assert release.verify().holds
    assert release.measure("risk")["risk"] <= 1 / 3 + 1e-9
    assert "tried" in repr(found)
    assert Tags(found._repr_html_()).open == []


def test_what_was_explained_in_memory_is_explained_of_a_folder(release, tmp_path):
    release.write(tmp_path / "out", report=False)

    assert anonset.explain(release) == release.explain() == anonset.explain(tmp_path / "out")


def test_a_comparison_ends_with_its_time_and_can_be_cancelled(data):
    def cancel(done):
        raise anonset.Cancelled("enough")

    assert len(anonset.compare(data, [{"algorithm": "pcta", "k": (2, 3)}], seconds=0).trials) == 1  # the first ends in any case
    with pytest.raises(anonset.Cancelled):
        anonset.compare(data, {"pcta": {"k": 2}}, progress=cancel)


def test_progress_goes_to_a_function_to_a_bar_or_to_nobody(data, capsys):
    heard = []
    with listening(heard.append, "Reading") as listener:
        listener(0.5)
    for quiet in (True, "bar", False):
        anonset.anonymize(data, "identity", k=1, progress=quiet)

    assert heard == [0.5]
    assert capsys.readouterr() == ("", "")  # neither a terminal nor a notebook
    assert 'value="40"' in bar_html("Reading <x>", 40)
    assert Tags(bar_html("Reading <x>", 40)).open == []


def test_the_verdict_is_found_once(release):
    assert release.verify() is release.verify()
    assert release.verify(release.guarantees) == release.verify()


def test_the_stub_is_up_to_date():
    written = Path(anonset.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")

    assert written == stub(), "run: python -m anonset.cli.stub > src/anonset/__init__.pyi"
