"""The page that recounts a promise: the same verdict as the verifier, on releases and on changed ones; what a reader sees."""

import json
import os
import random

import pytest
from axe_playwright_python.sync_playwright import Axe

from anonset.algorithms import make
from anonset.errors import AnonsetError
from anonset.model.release import Accepted
from anonset.releases.publish import publish
from anonset.report.pages import release_pages
from anonset.samples import write_sample
from anonset.tasks.inputs import Input
from anonset.verify import verify
from anonset.verify.reading import read_for_verdict

CHANGES = int(os.environ.get("ANONSET_CHANGES", "25"))  # of each release
ANYTHING = Accepted(("age", "sex", "diagnoses"), loss=True)
COUNTED = {"k-anonymity", "km-anonymity", "complete-k", "k-km", "k-lm"}
SETTINGS = {  # algorithms whose guarantees the page counts
    "k-anonymity": ("mondrian", {"k": 4}, ()),
    "km-anonymity": ("aa", {"k": 4, "m": 2}, ()),
    "km-anonymity of three": ("lift", {"k": 3, "m": 3}, ()),
    "complete-k": ("partition", {"k": 3}, ()),
    "k-km": ("r-first", {"k": 4, "m": 2, "items": "lift"}, ()),
    "k-lm": ("rmerge-r", {"k": 4, "m": 2, "l": 2, "delta": 0.9, "items": "lift", "seed": 1}, ("HIV infection", "depression")),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    return write_sample(folder, 300, 3), folder / "hierarchies"


def released(sample, out, setting, format):
    """The data and the folder of a release with its pages."""
    algorithm, values, sensitive = SETTINGS[setting]
    patients, hierarchies = sample
    roles = {"identifier": ["patient_id"], "quasi": ["age", "sex"], "items": ["diagnoses"], "item_separator": "|"}
    roles |= {"sensitive_items": sensitive or None, "hierarchies": str(hierarchies)}
    if "items" not in make(algorithm, values).needs:
        roles |= {"items": [], "hierarchies": None, "item_separator": None}
    elif "quasi" not in make(algorithm, values).needs:
        roles["quasi"] = []
    data = Input(patients, {name: tuple(v) if isinstance(v, list) else v for name, v in roles.items()}).read()
    release = make(algorithm, values).anonymize(data)
    publish(
        data, release, out, format=format, pages=release_pages(data), accepted=Accepted(("age", "sex", "diagnoses"), loss=True)
    )
    return data


def changed(text, dice, format):
    """The text of a records file after one change that a reader could make by mistake or on purpose."""
    lines = text.splitlines(keepends=True)
    head = 1 if format == "csv" else 0
    rows = range(head, len(lines))
    kind = dice.choice(["swap", "drop", "double", "word", "cell", "cut"])
    if kind == "swap":
        a, b = dice.choice(rows), dice.choice(rows)
        lines[a], lines[b] = lines[b], lines[a]
    elif kind == "drop":
        del lines[dice.choice(rows)]
    elif kind == "double":
        lines[dice.choice(rows)] = lines[dice.choice(rows)]
    elif kind == "cut":
        return text[: dice.randrange(1, len(text))]
    else:
        a, b = dice.choice(rows), dice.choice(rows)
        sign = " " if format == "fimi" else ","
        first, second = lines[a].rstrip("\n").split(sign), lines[b].rstrip("\n").split(sign)
        place = dice.randrange(min(len(first), len(second)))
        first[place] = second[place]
        lines[a] = sign.join(first) + "\n"
    return "".join(lines)


def verdict_of(folder, data):
    """What the verifier finds on the guarantees in a folder; all broken where it cannot be read."""
    guarantees = json.loads((folder / "published" / "about.json").read_text())["guarantees"]
    try:
        release = read_for_verdict(folder, data)
    except AnonsetError:
        return {guarantee["id"]: False for guarantee in guarantees}
    return {finding.guarantee: finding.holds for finding in verify(data, release, truthful=False).findings}


def opened(page, folder):
    page.goto((folder / "published" / "check.html").as_uri())
    return json.loads(page.locator("#release").text_content())["release"]


def recounted(page, release, text):
    found = page.evaluate("([release, text]) => check(release, text)", [release, text])
    return {finding["id"]: finding["holds"] for finding in found}


@pytest.mark.parametrize("format", ["csv", "jsonl", "fimi"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_page_and_the_verifier_agree(setting, format, sample, tmp_path, page):
    if format == "fimi" and setting not in ("km-anonymity", "km-anonymity of three", "complete-k"):
        pytest.skip("FIMI has no columns")
    out = tmp_path / "out"
    data = released(sample, out, setting, format)
    release = opened(page, out)
    records = out / "published" / json.loads((out / "published" / "about.json").read_text())["file"]
    text, dice, broken = records.read_text(encoding="utf-8"), random.Random(f"{setting} {format}"), 0
    assert recounted(page, release, text) == {
        id: holds if id in COUNTED else None for id, holds in verdict_of(out, data).items()
    }

    for _ in range(CHANGES):
        other = changed(text, dice, format)
        records.write_text(other, encoding="utf-8")
        (out / "private").rename(tmp_path / "hidden")  # rows and hashes would give the change away
        expected = verdict_of(out, data)
        (tmp_path / "hidden").rename(out / "private")
        found = recounted(page, release, other)
        assert {id: found[id] for id in found if id in COUNTED} == {id: expected[id] for id in expected if id in COUNTED}
        broken += not all(expected.values())

    assert broken > 0


def test_a_reader_chooses_the_file_and_sees_the_verdict(sample, tmp_path, page):
    out = tmp_path / "out"
    released(sample, out, "k-km", "csv")
    page.goto((out / "published" / "check.html").as_uri())
    page.get_by_text("The promise holds in this file.").wait_for()  # small: its records are in the page

    changed_file = tmp_path / "records.csv"
    lines = (out / "published" / "records.csv").read_text().splitlines(keepends=True)
    changed_file.write_text("".join([lines[0], "[1:2],female,\n", *lines[2:]]))
    page.set_input_files("#file", str(changed_file))

    page.get_by_text("The promise does NOT hold in this file.").wait_for()
    assert "age=[1:2], sex=female" in page.locator("#findings").inner_text()
    page.set_input_files("#file", str(out / "published" / "records.csv"))
    page.get_by_text("The promise holds in this file.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_asks_nobody(scheme, sample, tmp_path, page):
    out, asked = tmp_path / "out", []
    released(sample, out, "km-anonymity", "csv")
    page.emulate_media(color_scheme=scheme)
    page.on("request", lambda request: asked.append(request.url))

    page.goto((out / "published" / "check.html").as_uri())
    page.get_by_text("The promise holds in this file.").wait_for()

    assert Axe().run(page).response["violations"] == []
    assert [url for url in asked if not url.startswith("file:")] == []


def test_names_and_values_cannot_run(tmp_path, page):
    evil = "</script><img src=x onerror=alert(1)>"
    (tmp_path / "evil.csv").write_text(f'"{evil}",items\n' + f'"{evil}","{evil}"\n' * 6)
    data = Input(tmp_path / "evil.csv", {"quasi": (evil,), "items": ("items",), "item_separator": "|"}).read()
    release = make("r-first", {"k": 3, "items": "pcta"}).anonymize(data)
    publish(data, release, tmp_path / "out", pages=release_pages(data), accepted=Accepted((evil, "items"), loss=True))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))

    page.goto((tmp_path / "out" / "published" / "check.html").as_uri())

    page.get_by_text("The promise holds in this file.").wait_for()
    assert page.locator("img").count() == 0
