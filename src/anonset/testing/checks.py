"""The common checks: each takes an algorithm and a dataset that fits it, and raises AssertionError if its sentence is wrong."""

import html
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.base import Algorithm
from anonset.errors import Cancelled, InfeasibleError, ParameterError
from anonset.model.cover import Cover
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems, UncertainItems
from anonset.model.parameters import parameters
from anonset.model.release import Accepted, Release
from anonset.releases.folder import read_folder, write_folder
from anonset.releases.publish import publish
from anonset.verify import verify


def same_release(first: Release, second: Release) -> bool:
    """Whether two releases publish the same values for the same rows under the same guarantees."""
    return (
        np.array_equal(first.rows, second.rows)
        and first.guarantees == second.guarantees
        and len(first.columns) == len(second.columns)
        and all(_same_column(a, b) for a, b in zip(first.columns, second.columns, strict=True))
        and _same_items(first.items, second.items)
    )


def _same_column(a: PublishedColumn, b: PublishedColumn) -> bool:
    def shown(column: PublishedColumn) -> list[str]:
        return [column.labels.texts[c] if c >= 0 else "" for c in column.codes]

    return (a.name, a.role) == (b.name, b.role) and shown(a) == shown(b)


def _same_items(a: PublishedItems | None, b: PublishedItems | None) -> bool:
    if isinstance(a, GeneralizedItems) and isinstance(b, GeneralizedItems):
        return shown_sets(a) == shown_sets(b) and _names(a, a.suppressed) == _names(b, b.suppressed)
    if isinstance(a, UncertainItems) and isinstance(b, UncertainItems):
        return a.domain == b.domain and all(
            np.array_equal(getattr(a, part), getattr(b, part))
            for part in ("base_offsets", "base", "distance_offsets", "distance", "threshold")
        )
    return a is None and b is None


def shown_sets(items: GeneralizedItems) -> list[frozenset[frozenset[str]]]:
    """Each published record as a set of labels, each label as the set of its items."""
    groups = [frozenset(items.domain[i] for i in group) for group in items.labels.groups()]
    return [frozenset(groups[a] for a in items.shown[items.offsets[r] : items.offsets[r + 1]]) for r in range(len(items))]


def _names(items: GeneralizedItems, codes: "np.ndarray[tuple[int], np.dtype[np.int32]]") -> set[str]:
    return {items.domain[i] for i in codes}


Check = Callable[[Algorithm, Dataset], None]


def bounds_are_enforced(algorithm: Algorithm, data: Dataset) -> None:
    """A privacy parameter of 0 or of the wrong type is refused when the algorithm is constructed."""
    for bad in (0, -3, "five", 2.5, None):
        try:
            with_privacy(algorithm, bad)
        except ParameterError as error:
            assert privacy_parameter(algorithm) in str(error), error
        else:
            raise AssertionError(f"{privacy_parameter(algorithm)}={bad!r} was accepted")


def k_of_one_loses_nothing(algorithm: Algorithm, data: Dataset) -> None:
    """With k = 1 the algorithm generalizes nothing."""
    release = attempt(with_privacy(algorithm, 1), data)
    if release is None:
        return
    assert len(release) == len(data)
    if isinstance(release.items, GeneralizedItems):
        assert (release.items.labels.sizes == 1).all()
        assert len(release.items.suppressed) == 0
    elif isinstance(release.items, UncertainItems):
        assert len(release.items.distance) == 0
    else:
        assert all(column_is_exact(data.column(column.name), column.labels) for column in release.quasi)


def guarantee_holds(algorithm: Algorithm, data: Dataset) -> None:
    """The verifier confirms the guarantees of the release."""
    release = attempt(algorithm, data)
    if release is not None:
        verify(data, release, truthful=False).require()


def release_is_true_to_the_original(algorithm: Algorithm, data: Dataset) -> None:
    """Every published value covers the original one."""
    release = attempt(algorithm, data)
    if release is not None:
        verify(data, release).require()


def input_is_unchanged(algorithm: Algorithm, data: Dataset) -> None:
    """No array of the dataset has changed after the run."""
    before = [array.copy() for array in arrays_of(data)]
    attempt(algorithm, data)
    for old, new in zip(before, arrays_of(data), strict=True):
        np.testing.assert_array_equal(old, new)


def same_parameters_same_release(algorithm: Algorithm, data: Dataset) -> None:
    """Two runs, with the same seed if it takes one, give the same release."""
    seeded = with_seed(algorithm)
    first, second = attempt(seeded, data), attempt(seeded, data)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert same_release(first, second)


def impossible_k_is_an_error(algorithm: Algorithm, data: Dataset) -> None:
    """A k above the number of records raises InfeasibleError."""
    try:
        with_privacy(algorithm, len(data) + 1).anonymize(data)
    except InfeasibleError as error:
        assert str(error)
    else:
        raise AssertionError("more records than there are were promised")


def other_record_order_is_valid_too(algorithm: Algorithm, data: Dataset) -> None:
    """The same records in another order still give a release that verifies."""
    backwards = data.take(np.arange(len(data), dtype=np.int64)[::-1].copy())
    release = attempt(algorithm, backwards)
    if release is not None:
        verify(backwards, release).require()


def record_order_says_nothing(algorithm: Algorithm, data: Dataset) -> None:
    """If it is not randomized, the same records in another order give the same published bytes."""
    if algorithm.randomized:
        return
    n = len(data)
    for order in (np.arange(n)[::-1], np.random.default_rng(n).permutation(n)):
        assert published_bytes(algorithm, data) == published_bytes(algorithm, data.take(order.astype(np.int64)))


def provenance_runs_again_to_an_equal_release(algorithm: Algorithm, data: Dataset) -> None:
    """The provenance of a release is enough to compute it again."""
    release = attempt(with_seed(algorithm), data)
    if release is not None:
        again = make(release.provenance.algorithm, release.provenance.parameters)
        assert same_release(release, again.anonymize(data))


def written_and_read_back_it_still_verifies(algorithm: Algorithm, data: Dataset) -> None:
    """The release folder, read from its files alone, carries the guarantee."""
    release = attempt(algorithm, data)
    if release is None or len(release) == 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        publish(data, release, Path(folder) / "out", format="jsonl", accepted=everything(data))
        verify(data, read_folder(Path(folder) / "out", data)).require()


def the_codebook_says_only_what_is_published(algorithm: Algorithm, data: Dataset) -> None:
    """README.md and the codebook hold no value that neither the records nor about.json have, no path and no name of a file."""
    release = attempt(algorithm, data)
    if release is None or len(release) == 0 or find_spec("jinja2") is None:  # pages need the extra `report`
        return
    from anonset.report.pages import codebook_of

    with tempfile.TemporaryDirectory() as folder:
        write_folder(release, data, Path(folder), format="jsonl")
        about = (Path(folder) / "published" / "about.json").read_text(encoding="utf-8")
        records = (Path(folder) / "published" / "records.jsonl").read_text(encoding="utf-8")
        pages = codebook_of(data, read_folder(Path(folder), data), json.loads(about), Cover(date=""))
        published = texts_of([json.loads(about), *map(json.loads, records.splitlines())])
    known = {word for text in (*published, *own_texts()) for word in (text, *re.findall(r"\w+", text))}
    private = [*values_of(data), *(source.name for source in data.sources), folder]
    for name, page in pages.items():
        words = html.unescape(page)
        for text in set(private) - known:
            assert not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", words), f"{name} has {text!r}, which is not published"


def texts_of(value: Any) -> Iterator[str]:
    """All texts and numbers in plain data, keys too."""
    if isinstance(value, Mapping):
        yield from texts_of([*value, *value.values()])
    elif isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    else:
        yield f"{value:g}" if isinstance(value, float) else str(value)


def values_of(data: Dataset) -> list[str]:
    """The texts of a dataset, items among them, and its longer numbers: shorter ones may be figures of the page."""
    found = [] if data.transactions is None else list(data.transactions.domain)
    for column in data.columns:
        found += [text for text in column.domain if column.kind == "categorical" or len(text) > 3]
    return [text for text in found if text.strip()]


@cache
def own_texts() -> tuple[str, ...]:
    """What the pages say of every release."""
    from anonset.report import snippets
    from anonset.report.words import words_of

    templates = files("anonset.report").joinpath("templates")
    fixed = [templates.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "codebook.html", "readme.md")]
    return (*words_of("en").texts.values(), *fixed, inspect.getsource(snippets))


def everything(data: Dataset) -> Accepted:
    """Accept any exposure and any loss: test data are too small to be useful."""
    names = [column.name for column in data.columns] + ([data.item_column] if data.transactions is not None else [])
    return Accepted(tuple(names), loss=True)


def cancelling_leaves_nothing_behind(algorithm: Algorithm, data: Dataset) -> None:
    """A listener that raises Cancelled stops the run: no release is returned."""

    def cancel(done: float) -> None:
        assert 0.0 <= done <= 1.0
        raise Cancelled("enough")

    try:
        algorithm.anonymize(data, progress=cancel)
    except (Cancelled, InfeasibleError):
        return
    raise AssertionError("progress was never told, so the work cannot be cancelled")


def plain_data_are_protected(algorithm: Algorithm, data: Dataset) -> None:
    """Data in which every record occurs k times are published, not refused."""
    value = getattr(algorithm, privacy_parameter(algorithm))
    copies = data.take(np.repeat(np.arange(len(data), dtype=np.int64), value))
    if "sensitive-column" in algorithm.needs:
        copies = with_different_labels(copies)
    verify(copies, algorithm.anonymize(copies)).require()


COMMON_CHECKS: tuple[Check, ...] = (
    bounds_are_enforced,
    k_of_one_loses_nothing,
    guarantee_holds,
    release_is_true_to_the_original,
    input_is_unchanged,
    same_parameters_same_release,
    impossible_k_is_an_error,
    plain_data_are_protected,
    other_record_order_is_valid_too,
    record_order_says_nothing,
    provenance_runs_again_to_an_equal_release,
    written_and_read_back_it_still_verifies,
    the_codebook_says_only_what_is_published,
    cancelling_leaves_nothing_behind,
)


def attempt(algorithm: Algorithm, data: Dataset) -> Release | None:
    """The release, or None if the algorithm raises InfeasibleError."""
    try:
        return algorithm.anonymize(data)
    except InfeasibleError as error:
        assert str(error), "an infeasible request needs a reason"
        return None


def published_bytes(algorithm: Algorithm, data: Dataset) -> dict[str, bytes] | None:
    """The published files, or None if the algorithm raises InfeasibleError."""
    release = attempt(algorithm, data)
    if release is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        write_folder(release, data, Path(folder))
        return {path.name: path.read_bytes() for path in (Path(folder) / "published").iterdir()}


def privacy_parameter(algorithm: Algorithm | type[Algorithm]) -> str:
    """The name of the parameter that sets the protection: k, or l if it has no k."""
    cls: Any = algorithm if isinstance(algorithm, type) else type(algorithm)
    return "k" if any(p.name == "k" for p in parameters(cls)) else "l"


def with_privacy(algorithm: Algorithm, value: Any) -> Algorithm:
    """The same algorithm with another privacy parameter."""
    changed: Algorithm = replace(algorithm, **{privacy_parameter(algorithm): value})  # type: ignore[type-var]
    return changed


def with_seed(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with a seed, if it takes one."""
    cls: Any = type(algorithm)
    if not any(p.name == "seed" for p in parameters(cls)):
        return algorithm
    changed: Algorithm = replace(algorithm, seed=7)  # type: ignore[type-var]
    return changed


def with_different_labels(data: Dataset) -> Dataset:
    """The same records, each with its own value in the sensitive column."""
    n = len(data)
    names = tuple(f"v{r}" for r in range(n))
    columns = tuple(
        Column(c.name, c.role, "categorical", np.arange(n, dtype=np.int32), names) if c.role == "sensitive" else c
        for c in data.columns
    )
    return replace(data, columns=columns)


def column_is_exact(original: Column, labels: Any) -> bool:
    """Whether every label has a single value."""
    return bool((labels.low == labels.high).all()) if original.kind == "numeric" else bool((labels.sizes == 1).all())


def arrays_of(data: Dataset) -> list[Any]:
    """Every array a dataset holds."""
    found: list[Any] = [column.codes for column in data.columns]
    found += [column.values for column in data.columns if column.values is not None]
    if data.transactions is not None:
        found += [data.transactions.offsets, data.transactions.items]
    return found
