"""The pages of a release and of a study as people see them: on a desk, a tablet, a phone and paper, light and dark."""

import json
import re

import pytest

pytest.importorskip("jinja2")

import anonset
from anonset.report.pages import write_study
from anonset.samples import write_sample
from anonset.study.trial import Trial

HOSTILE = "<img src=x onerror=\"document.title='run'\">"
SCRIPT = "</script><script>document.title='run'</script>"
FORMULA = '=HYPERLINK("http://example.com";"x")'
WIDTHS = (1200, 820, 390)
PAGES = ("report.html", "published/about.html", "published/codebook.html")
WIDER = """() => [...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  const scrolls = e.closest('.scroll, figure, .stack thead');
  return !scrolls && box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
}).map(e => e.outerHTML.slice(0, 120))"""
OUTSIDE = """() => [...document.querySelectorAll('svg text')].filter(e => {
  const said = e.getBoundingClientRect(), drawn = e.closest('svg').getBoundingClientRect();
  return !e.closest('[visibility=hidden]') && (said.right > drawn.right + 2 || said.left < drawn.left - 2);
}).map(e => e.textContent)"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A release with its pages in both languages, of ordinary and of hostile names, and a study."""
    place = tmp_path_factory.mktemp("pages")
    write_sample(place / "sample", 300, 3)
    roles = {"identifier": "patient_id", "quasi": ["age", "sex", "town"], "sensitive": "schooling", "items": "diagnoses"}
    data = anonset.read(
        place / "sample" / "patients.csv", **roles, item_separator="|", hierarchies=place / "sample" / "hierarchies"
    )
    release = anonset.anonymize(data, "rmerge-rt", k=5, m=2, items="pcta", seed=1)
    for language in ("en", "de"):
        release.write(place / language, title="Patients of two wards", by="A. Steward", language=language, accept_loss=True)
    _hostile(place)
    trials = [
        Trial(f"{a}{k}", HOSTILE, a, {"k": k}, "done", measures={"are": k**power / 9, "risk": 1 / k})
        for a, power in (("aa", 1.0), (f"pcta {SCRIPT}", 0.6))
        for k in (2, 3, 5, 9, 20)
    ]
    (place / "study").mkdir()
    write_study(trials, place / "study")
    return place


def _hostile(place):
    names = [HOSTILE, SCRIPT, FORMULA, "x" * 200]
    rows = [{FORMULA: n % 2, SCRIPT: names[n % 2], "bag": [names[n % 4], names[(n + 1) % 4]]} for n in range(40)]
    (place / "hostile.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = anonset.read(place / "hostile.jsonl", quasi=[FORMULA, SCRIPT], items="bag")
    release = anonset.anonymize(data, "rmerge-rt", k=4, m=2, items="pcta", seed=1)
    release.write(place / "hostile", title=HOSTILE, by=SCRIPT, accept_loss=True)


def opened(page, path, width=1200, scheme="light"):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")


def all_pages(folder):
    return [*(folder / name / half for name in ("en", "de", "hostile") for half in PAGES), folder / "study" / "report.html"]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(page, folder, width):
    for path in all_pages(folder):
        opened(page, path, width)

        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(WIDER) == [], path
        assert "hostile" in path.parts or page.evaluate(OUTSIDE) == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_serious_for_those_who_read_with_other_means(page, folder, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in all_pages(folder):
        if "hostile" in path.parts:
            continue
        opened(page, path, width, scheme)

        found = [
            (v["id"], v["impact"], v["nodes"][0]["html"][:200])
            for v in axe.run(page).response["violations"]
            if v["impact"] in ("serious", "critical")
        ]
        assert found == [], path


def test_dark_is_dark_and_paper_is_white(page, folder):
    opened(page, folder / "en" / "report.html", scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert max(map(int, page.evaluate(colour)[4:-1].split(","))) < 60

    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_names_in_the_data_run_nothing(page, folder):
    for path in (*(folder / "hostile" / half for half in PAGES), folder / "study" / "report.html"):
        opened(page, path)

        assert page.title() != "run"
        assert page.locator("script, img").count() == 0
        assert page.get_by_text("onerror").count() > 0
    maps = sorted((folder / "study").rglob("*.svg"))
    for path in maps:  # a browser shows them on their own too
        page.goto(path.as_uri())
        assert page.evaluate("[document.title, document.getElementsByTagName('script').length]") == ["", 0]
    assert len(maps) > 0


def test_paper_holds_everything_on_a_few_sheets(page, folder):
    page.goto((folder / "en" / "report.html").as_uri())

    paper = page.pdf(prefer_css_page_size=True)

    assert paper.startswith(b"%PDF")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 15
    page.emulate_media(media="print")
    heading = page.get_by_role("heading", name="To make it again")
    assert heading.bounding_box()["height"] > 0, "what is folded on a screen is open on paper"


def test_a_point_of_the_map_tells_more_when_pointed_at_or_reached_by_key(page, folder):
    opened(page, folder / "study" / "report.html")
    tip = page.locator(".tip0")

    assert tip.evaluate("e => getComputedStyle(e).visibility") == "hidden"
    page.locator(".at0").hover()
    assert tip.evaluate("e => getComputedStyle(e).visibility") == "visible"
    page.mouse.move(0, 0)
    page.locator(".at0").focus()
    assert tip.evaluate("e => getComputedStyle(e).visibility") == "visible"
    assert "risk" in tip.text_content()


def test_labels_do_not_overlap_as_drawn(page, folder):
    opened(page, folder / "study" / "report.html")

    overlapping = page.evaluate(
        """() => { const boxes = [...document.querySelectorAll('svg > text')].filter(e => /^k=/.test(e.textContent))
          .map(e => e.getBoundingClientRect());
          return [boxes.length, boxes.filter((a, i) => boxes.some((b, j) => j > i && a.left < b.right && b.left < a.right
            && a.top < b.bottom && b.top < a.bottom)).length]; }"""
    )

    assert overlapping[0] >= 8
    assert overlapping[1] == 0
