"""The pages of a release and of a study: the technical side, the whole pages, and writing them into a release folder."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.identity import Identity
from anonset.attacks import attack
from anonset.data.files import write_text
from anonset.errors import InputError
from anonset.measure import MEASURES
from anonset.measure.information_loss import Preservation, label_loss, preserved_itemsets
from anonset.measure.risk import smallest_protected
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.measure.workload import QueryCounts, Workload, count_queries, random_queries
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset, item_order
from anonset.model.labels import GeneralizedItems, Labels, Ranges, UncertainItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.serialization import to_json
from anonset.model.verdict import Verdict
from anonset.releases.about import Exactness
from anonset.releases.folder import read_about
from anonset.releases.gates import Admission
from anonset.releases.publish import Pages, Published
from anonset.report import points
from anonset.report.certificate import certificate, without_private_half
from anonset.report.check_page import CHECK_PAGE, check_page
from anonset.report.codebook import codebook_pages
from anonset.report.drawings import certificate_drawings, draw_bars, draw_cut, draw_ru_map, report_drawings
from anonset.report.evidence import actor_kinds
from anonset.report.findings import Findings, Whole
from anonset.report.first_page import first_page, people_alike
from anonset.report.frameworks import FRAMEWORKS, IDENTIFIERS, FrameworkName
from anonset.report.rendering import render
from anonset.report.words import Words, words_of
from anonset.study.ru_map import RISK_LIMITS, MapPoint, best_under, by_data, knee, other_risk, promises, ru_points
from anonset.study.trial import Trial


def technical(original: Dataset, release: Release, found: Findings, words: Words) -> dict[str, Any]:
    """What the technical side of the report shows, drawings as SVG."""
    return {
        "parameters": {name: str(value) for name, value in release.provenance.parameters.items() if value not in (None, "")},
        "facts": release_facts(original, release, words)
        if found.whole is None
        else _facts_of_parts(release, found.whole, words),
        "risks": _risks(original, release) if found.whole is None else [],
        "measures": _measures(found, words),
        "found": "" if found.attacks is None else str(draw_bars(points.exposure_bars(found.attacks, words), words, width=720)),
        "plots": _plots(original, release, found, words),
        "cut": _cut(original, release, words),
        "map": str(draw_ru_map(found.map, here=point_of(release, found.map), words=words)) if found.map else "",
        "examples": reading_examples(original, release, words),
        "worst": [] if found.counts is None else found.counts.worst(),
        "queries": 0 if found.counts is None else len(found.counts.workload),
        "inputs": found.inputs or {source.name: source.sha256 for source in original.sources},
        "repeatable": is_repeatable(release),
    }


def _risks(original: Dataset, release: Release) -> list[tuple[str, int, int]]:
    """For each guarantee that protects groups or itemsets: the smallest support of one, in the raw data and in the release."""
    if isinstance(release.items, UncertainItems):
        return []
    raw = Identity(k=1).anonymize(original)
    found = [(g.id, smallest_protected(original, raw, g), smallest_protected(original, release, g)) for g in release.guarantees]
    return [(id, before, after) for id, before, after in found if before and after]


def _measures(found: Findings, words: Words) -> list[tuple[str, float, str]]:
    rows = [(id, value, measure_words(id, words)) for id, value in found.measures.items()]
    if found.counts is not None and "are" not in found.measures and len(found.counts.workload):
        error = float(found.counts.relative_errors().mean())
        rows.append(("are", error, words("measure.are_of", queries=len(found.counts.workload))))
    if found.itemsets is not None:
        support, kept = found.itemsets
        sets = {"itemsets": words.number(kept.itemsets), "support": words.percent(support)}
        values = {"recall": kept.recall, "precision": kept.precision, "support-error": kept.support_error}
        rows += [(f"itemset-{name}", value, words(f"measure.itemset-{name}", **sets)) for name, value in values.items()]
    return rows


def is_repeatable(release: Release) -> bool:
    """Whether the same request gives the same release: nothing was drawn at random, or from a seed."""
    given = release.provenance.parameters
    algorithm = ALGORITHMS.get(release.provenance.algorithm)
    return algorithm is None or not algorithm.randomized or given.get("seed") is not None


def point_of(release: Release, map: Sequence[MapPoint]) -> MapPoint | None:
    """The point of a study whose setting is that of the release, its seed aside: what a label leaves out is the default."""
    algorithm = ALGORITHMS.get(release.provenance.algorithm)
    defaults: dict[str, Any] = (
        {f.name: f.default for f in fields(algorithm)} if algorithm is not None and is_dataclass(algorithm) else {}
    )
    given = {name: value for name, value in release.provenance.parameters.items() if name != "seed"}
    asked = {f"{name}={value}" for name, value in given.items()}
    special = {f"{name}={value}" for name, value in given.items() if value != defaults.get(name)}
    for point in map:
        name, *words = point.label.split(" (")[0].split()
        told = {word for word in words if not word.startswith("seed=")}
        if name == release.provenance.algorithm and special <= told <= asked:
            return point
    return None


def measure_words(id: str, words: Words) -> str:
    """What a measure means: in the words of the language, or its declared meaning if the language has none."""
    if f"measure.{id}" in words.texts:
        return words(f"measure.{id}")
    return MEASURES[id].meaning if id in MEASURES else ""


def release_facts(original: Dataset, release: Release, words: Words) -> list[tuple[str, str]]:
    """What is in the release, in figures."""
    facts = {"records": words.number(len(release))}
    if len(original) != len(release):
        facts["left_out"] = words.number(len(original) - len(release))
    facts["quasi"] = ", ".join(column.name for column in release.quasi) or words("technical.none")
    if isinstance(release.items, GeneralizedItems):
        items = release.items
        wide = words.number(int((items.labels.sizes > 1).sum()))
        facts["items"] = words("technical.items_said", all=words.number(len(items.labels)), generalized=wide)
        facts["suppressed"] = words.number(len(items.suppressed))
        facts["recoding"] = words("technical.global") if items.is_global else words("technical.local")
    elif isinstance(release.items, UncertainItems):
        facts["uncertain"] = words.number(int(release.items.threshold.max(initial=0)))
    return [(words(f"facts.{name}"), said) for name, said in facts.items()]


def _facts_of_parts(release: Release, whole: Whole, words: Words) -> list[tuple[str, str]]:
    """What is known of all records where the release at hand is of some of them."""
    quasi = ", ".join(column.name for column in release.quasi) or words("technical.none")
    return [(words("facts.records"), words.number(whole.records)), (words("facts.quasi"), quasi)]


def _plots(original: Dataset, release: Release, found: Findings, words: Words) -> list[str]:
    generalized = release.quasi or isinstance(release.items, GeneralizedItems)
    bars = [points.column_loss_bars(original, release, words)] if generalized else []
    bars += published_bars(release, words, found.whole)
    if found.counts is not None:
        bars.append(points.error_by_size_bars(found.counts, words))
    if release.items is not None:
        bars.append(points.item_frequency_bars(original, release, words))
    bars += [points.column_bars(original, release, column.name, words) for column in release.quasi]
    return [str(draw_bars(chart, words)) for chart in bars if chart.bars]


def _cut(original: Dataset, release: Release, words: Words) -> str:
    """The hierarchy of the items with what is published of it; nothing where items are not published along it."""
    if not isinstance(release.items, GeneralizedItems) or original.item_hierarchy is None:
        return ""
    blocks = points.cut_blocks(original.item_hierarchy, release, original)
    if not any(block.in_cut for block in blocks):
        return ""
    return str(draw_cut(blocks, words("chart.cut" if release.items.is_global else "chart.cut_of_groups"), words))


def published_bars(release: Release, words: Words, whole: Whole | None = None) -> list[points.Bars]:
    """What the published records alone show of themselves."""
    bars = [points.label_size_bars(release, words)] if isinstance(release.items, GeneralizedItems) else []
    if isinstance(release.items, UncertainItems):
        return [points.doubt_bars(release, words)]
    return [*bars, points.group_size_bars(release, words, whole)] if release.quasi else bars


def reading_examples(original: Dataset, release: Release, words: Words) -> list[tuple[str, str]]:
    """A few published values and what they mean: of every quasi column the commonest label, of the items the widest.

    Of a column that has no label but for "anything", the commonest value.
    """
    found: list[tuple[str, str]] = []
    for column in release.quasi:
        if len(column.labels):
            counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
            loss = label_loss(original.column(column.name), column)
            a = int(np.where((counts > 0) & (loss > 0) & (loss < 1), counts + len(release), counts).argmax())
            meaning = _value_meaning(column.labels, a, original.column(column.name).domain, words)
            found.append((f"{column.name} = {column.labels.texts[a]}", meaning))
    if isinstance(release.items, GeneralizedItems):
        labels = release.items.labels
        for a in np.argsort(-labels.sizes, kind="stable")[:3].tolist():
            if labels.sizes[a] > 1:
                members = _members(labels, a, release.items.domain, words, by_name=True)
                found.append((labels.texts[a], words("reading.some_of", members=members)))
    elif isinstance(release.items, UncertainItems):
        found.append((words("reading.marked"), words("reading.doubt")))
    return found


def _value_meaning(labels: Labels | Ranges, a: int, domain: Sequence[str], words: Words) -> str:
    if isinstance(labels, Ranges):
        low, high = labels.low[a], labels.high[a]
        same, ends = low == high, {"low": words.written(f"{low:g}"), "high": words.written(f"{high:g}")}
        return words("reading.itself") if same else words("reading.number", **ends)
    exact = labels.sizes[a] == 1
    return words("reading.itself") if exact else words("reading.one_of", members=_members(labels, a, domain, words))


def _members(labels: Labels, a: int, domain: Sequence[str], words: Words, most: int = 10, *, by_name: bool = False) -> str:
    names = [domain[i] for i in labels.members[labels.offsets[a] : labels.offsets[a + 1]]]
    some = ", ".join((item_order(names) if by_name else names)[:most])
    return words("format.more", shown=some, rest=words.number(len(names) - most)) if len(names) > most else some


def release_page(original: Dataset, release: Release, found: Findings, cover: Cover) -> str:
    """The HTML of the report. It is for the owner: it shows rows of the original."""
    words = words_of(cover.language).counting(original.unit)
    first = first_page(original, release, found, cover, words)
    more, drawn = technical(original, release, found, words), report_drawings(first, found, words)
    return render("release.html", words=words, page=first, drawn=drawn, found=found, more=more)


def framework_page(original: Dataset, release: Release, found: Findings, cover: Cover, name: FrameworkName) -> str:
    """The HTML of the same figures under the headings of a document. It is for the owner, and shows no rows."""
    words = words_of(cover.language).counting(original.unit)
    page = first_page(original, release, found, cover, words)
    published = [column["name"] for column in page["columns"] if column["role"] not in ("identifier", "none")]
    return render(
        "framework.html",
        words=words,
        page=page,
        framework=FRAMEWORKS[name],
        identifiers=IDENTIFIERS,
        published=published,
    )


def release_twin(original: Dataset, release: Release, found: Findings, cover: Cover) -> dict[str, Any]:
    """The same for machines: what the page says, and the figures behind it."""
    counts = found.counts
    return first_page(original, release, found, cover, words_of(cover.language).counting(original.unit)) | {
        "parameters": release.provenance.parameters,
        "verdict": found.verdict,
        "measures": found.measures,
        "usefulness": found.useful,
        "attacks": found.attacks,
        "query_error": None if counts is None else float(counts.relative_errors().mean()),
        "map": found.map,
        "command": found.command,
        "inputs": found.inputs or {source.name: source.sha256 for source in original.sources},
        "published": found.hashes,
    }


def certificate_page(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    admission: Admission,
    cover: Cover,
    seen: Exactness | None = None,
) -> str:
    """The HTML of the certificate: nothing but what follows from the published files and the promise.

    Where the release is one part of several, `seen` has the figures of all, and what only all of them show is not drawn.
    """
    words = words_of(cover.language).counting(original.unit)
    public = without_private_half(release)
    page = certificate(original, public, guide, admission, cover, words, seen or Exactness.of(public), whole=seen is None)
    return render(
        "release.html",
        words=words,
        page=page,
        drawn=certificate_drawings(page, people_alike(public.guarantees), words),
        more={
            "guide": guide,
            "plots": [] if seen else [str(draw_bars(chart, words)) for chart in published_bars(public, words) if chart.bars],
            "examples": reading_examples(original, public, words),
        },
    )


def public_pages(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    admission: Admission,
    cover: Cover,
    seen: Exactness | None = None,
) -> dict[str, str]:
    """The certificate, the codebook and README.md by the names of their files; parameters as for `certificate_page`."""
    pages = codebook_of(original, release, guide, cover, seen)
    return {"about.html": certificate_page(original, release, guide, admission, cover, seen), **pages}


def codebook_of(
    original: Dataset, release: Release, guide: Mapping[str, Any], cover: Cover, seen: Exactness | None = None
) -> dict[str, str]:
    """The codebook and README.md by the names of their files; parameters as for `certificate_page`."""
    words, public = words_of(cover.language).counting(original.unit), without_private_half(release)
    examples = reading_examples(original, public, words)
    exact = seen or Exactness.of(public)
    return codebook_pages(original, public, guide, cover, words, exact, examples, parts=seen is not None)


def study_page(trials: Sequence[Trial], *, loss: str = "are", limit: float = 0.2, risk: str | None = None) -> str:
    """The HTML of a study's comparison page."""
    own = by_data(trials)
    maps = {name: ru_points(some, loss, risk) for name, some in own.items()}
    return render(
        "study.html",
        trials=trials,
        measures=sorted({id for trial in trials for id in trial.measures}),
        loss=loss,
        limit=f"{limit:.3g}",
        maps=[_map(name, points, loss, limit) | {"promises": promises(own[name])} for name, points in maps.items() if points],
        several=len(maps) > 1,
    )


def write_study(
    trials: Sequence[Trial], folder: Path, *, loss: str = "are", limit: float = 0.2, risk: str | None = None
) -> tuple[Path, ...]:
    """Write report.html, and the map of each dataset as SVG; return their paths."""
    page = folder / "report.html"
    page.write_text(study_page(trials, loss=loss, limit=limit, risk=risk), encoding="utf-8", newline="\n")
    maps = {name: points for name, own in by_data(trials).items() if (points := ru_points(own, loss, risk))}
    written = [page]
    for n, (name, points) in enumerate(maps.items(), 1):
        stem = "ru_map" if len(maps) == 1 else f"ru_map_{n}_{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}"
        written.append(folder / f"{stem}.svg")
        draw_ru_map(points, limit=limit, loss=loss, title=_title(name)).save(written[-1])
    return tuple(written)


def _map(name: str, points: Sequence[MapPoint], loss: str, limit: float) -> dict[str, Any]:
    """What the page shows of one dataset."""
    curves = {series: [p for p in points if p.series == series] for series in dict.fromkeys(p.series for p in points)}
    axis = points[0].axis
    return {
        "name": name,
        "axis": axis,
        "meaning": MEASURES[axis].meaning,
        "other": other_risk(axis),
        "drawing": str(draw_ru_map(points, limit=limit, loss=loss, title=_title(name))),
        "best": best_under(points, limit),
        "presets": [(preset, bound, source, best_under(points, bound)) for preset, (bound, source) in RISK_LIMITS.items()],
        "knees": [(series, knee(curve)) for series, curve in curves.items()],
        "frontier": sorted((p for p in points if p.on_frontier), key=lambda p: p.risk),
    }


def _title(name: str) -> str:
    return f"Risk and utility of releases of {name}"


ATTACKERS, QUERIES = 200, 200
SUPPORTS = (0.05, 0.1, 0.2, 0.4)  # the first at which the frequent itemsets can be listed


def release_pages(
    original: Dataset,
    *,
    command: str = "",
    map: Sequence[MapPoint] = (),
    workload: Workload | None = None,
    cover: Cover | None = None,
) -> Pages:
    """A writer of the pages in published/, which hold nothing raw, and of the owner's report.html and report.json.

    `map`: the points of a study. `workload`: the queries that matter, random ones if not given.
    """
    front = cover or Cover()
    words = words_of(front.language).counting(original.unit)  # raises for an unknown language before the work starts

    def write(folder: Path, release: Release, published: Published) -> None:
        guide = read_about(folder / "published" / "about.json")
        for name, text in public_pages(original, release, guide, published.admission, front).items():
            write_text(folder / "published" / name, text)
        records = folder / "published" / guide["file"]
        write_text(records.with_name(CHECK_PAGE), check_page(guide, records, _sensitive(original), words))
        more: dict[str, Any] = {"command": command, "map": map, "workload": workload, "useful": published.usefulness}
        more |= {"accepted": published.admission, "actor": front.actor}
        found = findings(original, release, published.verdict, published.measures, folder=folder, **more)
        write_report(folder, original, release, found, front)

    return write


def _sensitive(original: Dataset) -> list[str]:
    """The sensitive items, which are published as they are."""
    if original.transactions is None or original.sensitive_items is None:
        return []
    return [name for name, sensitive in zip(original.transactions.domain, original.sensitive_items, strict=True) if sensitive]


def write_report(
    folder: Path,
    original: Dataset,
    release: Release,
    found: Findings,
    cover: Cover,
    framework: FrameworkName | None = None,
) -> Path:
    """Write report.html and its twin report.json into a release folder, for the eyes of the owner alone.

    With a `framework`, write the page of this framework instead, e.g. report.hipaa.html.
    """
    if framework is not None:
        page = folder / f"report.{framework}.html"
        write_text(page, framework_page(original, release, found, cover, framework), mode=0o600)
        return page
    twin = to_json(release_twin(original, release, found, cover))
    write_text(folder / "report.json", twin, mode=0o600)
    write_text(folder / "report.html", release_page(original, release, found, cover), mode=0o600)
    return folder / "report.html"


def findings(
    original: Dataset,
    release: Release,
    verdict: Verdict,
    measures: Mapping[str, float],
    *,
    folder: Path,
    command: str = "",
    accepted: Admission | None = None,
    useful: Usefulness | None = None,
    inputs: Mapping[str, str] | None = None,
    map: Sequence[MapPoint] = (),
    workload: Workload | None = None,
    attackers: int = ATTACKERS,
    progress: Progress = silent,
    m: int | None = None,
    seed: int | None = None,
    actor: str = "recipient",
) -> Findings:
    """The results for the internal page, with simulated attackers who know m items (by default as the guarantees say).

    The `actor` decides which attackers these are.
    """
    items = m or max((getattr(guarantee, "m", 0) for guarantee in release.guarantees), default=0) or 2
    return Findings(
        verdict,
        dict(measures),
        attack(original, release, kinds=actor_kinds(actor, original, items), attackers=attackers, seed=seed, progress=progress),
        _counts(original, release, workload),
        _itemsets(original, release),
        tuple(map),
        command,
        inputs or {},
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "published").iterdir())},
        accepted,
        useful or usefulness(original, release),
    )


def _counts(original: Dataset, release: Release, workload: Workload | None) -> QueryCounts | None:
    """The counts of the workload, or of a random one; None if the release has nothing to query."""
    asked = usual_queries(original, release) if workload is None else workload
    return None if asked is None else count_queries(original, release, asked)


def usual_queries(original: Dataset, release: Release) -> Workload | None:
    """Random queries for the attributes of the release; None if it has nothing to query."""
    has_items = original.transactions is not None and release.items is not None
    columns = bool(original.quasi) and (release.items is None or isinstance(release.items, GeneralizedItems))
    kind = "both" if has_items and columns else "items" if has_items else "relational"
    try:
        return random_queries(original, QUERIES, kind=kind)  # type: ignore[arg-type]
    except InputError:
        return None


def _itemsets(original: Dataset, release: Release) -> tuple[float, Preservation] | None:
    """How frequent itemsets survive; None where there are none, or too many to list."""
    if not isinstance(release.items, GeneralizedItems):
        return None
    for support in SUPPORTS:
        try:
            kept = preserved_itemsets(original, release, support=support)
        except InputError:
            continue
        return (support, kept) if kept.itemsets else None
    return None
