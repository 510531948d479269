"""about.json: what a release promises and how to read it, in words and as data; and how much of it is exact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset import __version__
from anonset.data.formats import RELEASE_FORMATS
from anonset.data.formats.base import Guide
from anonset.data.formats.tokens import UNCERTAIN
from anonset.errors import InputError
from anonset.model.cover import Cover
from anonset.model.dataset import EACH_RECORD, Dataset
from anonset.model.ends import rounded_columns
from anonset.model.guarantees import POLICY_FIELDS, Guarantee, guarantee_data, make_guarantee
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class Exactness:
    """Rows of two counts: the exact values of each column, and all; the labels for one item, and all labels of items; the total
    size of the labels for several items, and their number."""

    counts: NDArray[np.int64]

    @classmethod
    def of(cls, release: Release) -> "Exactness":
        """The counts over all records of a release."""
        sizes = np.zeros(0, np.int64)
        if isinstance(release.items, GeneralizedItems):
            sizes = release.items.labels.sizes[release.items.shown].astype(np.int64)
        wide = sizes[sizes > 1]
        rows = [(_exact(column), len(column)) for column in release.columns]
        return cls(np.array([*rows, (len(sizes) - len(wide), len(sizes)), (wide.sum(), len(wide))], np.int64))

    def column(self, number: int) -> float:
        """The share of exact values of a column; a missing value is exact."""
        return self._share(number)

    @property
    def items(self) -> float:
        """The share of the published labels that stand for one item."""
        return self._share(-2)

    @property
    def width(self) -> float | None:
        """The mean number of items of the labels for several items; None if there are none."""
        return self._share(-1) if self.counts[-1, 1] else None

    def _share(self, row: int) -> float:
        some, of = self.counts[row].tolist()
        return some / of if of else 1.0


def _exact(column: PublishedColumn) -> int:
    labels = column.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return int(np.append(exact, True)[column.codes].sum())


def about(
    release: Release,
    original: Dataset,
    format: str,
    guides: Sequence[Guide],
    accepted: Sequence[str] = (),
    outside: Mapping[str, Any] | None = None,
    cover: Cover | None = None,
) -> dict[str, Any]:
    """The content of about.json. `accepted`: sentences on what was published because the owner accepted it.

    `outside`: what is published unchanged and not covered by the guarantees, and how many records it singles out.
    Of the `cover` it has the contact and the licence.
    """
    found = release.margins
    margins = found and {"k": found.k, "counts": dict(sorted(found.counts.items())), "withheld": sorted(found.withheld)}
    return {
        "made_with": f"anonset {__version__}",
        "algorithm": release.provenance.algorithm,
        "seeded": release.provenance.parameters.get("seed") is not None,
        "file": RELEASE_FORMATS[format].file,
        "format": format,
        "records": len(release),
        "suppressed_records": len(original) - len(release),
        "guarantees": [published_guarantee(guarantee, original.unit) for guarantee in release.guarantees],
        "unit": original.unit,
        "counted": _counted(original),
        "attributes": list(guides),
        "published_as_they_are": [column.name for column in release.columns if column.role != "quasi"],
        "accepted": list(accepted),
        "outside": dict(outside or {}),
        **({} if cover is None else cover.handed_on),
        **({} if margins is None else {"margins": margins}),
        "how_to_read": _sentences(release, format, guides, rounded_columns(original, release.provenance.ends)),
    }


def _counted(original: Dataset) -> str:
    """What the guarantees count, in words."""
    if original.sampling is not None:
        return "The guarantees are estimates for the population that the records were drawn from; its people were not counted."
    if original.population is not None:
        return (
            f"The guarantees count the {len(original.population):,} people of the population that the records were taken from."
        )
    if original.unit == "people":
        return "The guarantees count people: a column of the input tells whose record is whose."
    if original.repeats:
        return "The guarantees count records, of which several are one person's: fewer people may look alike than records."
    return f"The guarantees count records; {EACH_RECORD}."


def published_guarantee(guarantee: Guarantee, unit: str = "records") -> dict[str, Any]:
    """The guarantee in words and as data, with the owner's policies counted instead of listed."""
    data = guarantee_data(guarantee)
    counted = {name: len(value) if name in POLICY_FIELDS else value for name, value in data.items()}
    return counted | {"words": guarantee.words(unit)}


def read_guarantee(data: dict[str, Any]) -> Guarantee:
    """The guarantee from its data; the policy behind a constraint is private, so its size alone is not enough."""
    values = {name: value for name, value in data.items() if name not in {"id", "words"}}
    for name in POLICY_FIELDS & values.keys():
        if not isinstance(values[name], list):
            raise InputError(f"{data['id']} can be checked only with private/manifest.json, which lists its {name}")
    return make_guarantee(data["id"], values)


def _sentences(release: Release, format: str, guides: Sequence[Guide], rounded: Sequence[str]) -> list[str]:
    kinds = {guide["kind"] for guide in guides}
    sentences = ["Records are sorted by what they show; their order and their position mean nothing."]
    if "numeric" in kinds:
        sentences.append("A numeric value is exact, or a range from lo to hi, both included, in which the true value lies.")
    if names := [guide["name"] for guide in guides if guide["name"] in rounded and guide.get("labels") == "ranges"]:
        listed = ", ".join(map(repr, names))
        sentences.append(f"The ends of ranges of {listed} are rounded outward: they need not be values of anybody.")
    if kinds & {"categorical", "ordered"}:
        sentences.append("A categorical value is exact, or stands for one of the values listed for it.")
    if kinds & {"numeric", "ordered", "categorical"}:
        sentences.append("A value that covers everything may also stand for a missing value; an exact missing value is empty.")
    if "set" in kinds:
        sentences.append("A generalized item says that the person has at least one of the items listed for it.")
        sentences.append("An item is shown once in a record even if it stands for several; suppressed items are in no record.")
    if UNCERTAIN in kinds:
        sentences.append("A record shows a base set of items and says which are uncertain: each may be there or not.")
        sentences.append("At most `errors` of the uncertain items differ from the true set; all others are as shown.")
        sentences.append('To count records with bounds: `anonset count FOLDER "COLUMN contains ITEM"`.')
    for guide in guides:
        sentences += _spelling(format, guide)
    if release.margins is not None:
        k = release.margins.k
        sentences.append(
            f"`margins` has the number of records with an item in the whole data, rounded down to a multiple of {k}; "
            f"an item behind a published one that has none is in fewer than {k} records, unless it is `withheld`."
        )
    if release.provenance.parameters.get("seed") is not None:
        sentences.append("The release was made with a seed: whoever learns it can repeat the random choices that were made.")
    return sentences


def _spelling(format: str, guide: Guide) -> list[str]:
    name = guide["name"]
    sentences = []
    if "separator" in guide:
        sentences.append(f"The items of {name!r} are separated by {guide['separator']!r}.")
    if "marks" in guide:
        marks = guide["marks"]
        sentences.append(
            f"{marks['certain']} is in the set; {marks['doubted']} is shown as being in it and {marks['possible']} as not "
            "being in it, but either may be wrong."
        )
    if "errors_column" in guide:
        sentences.append(f"The column {guide['errors_column']!r} has the `errors` of a record.")
    if "numbers" in guide:
        sentences.append("`numbers` names the numbers that are not items of the original.")
    if "errors_from" in guide:
        sentences.append(f"The last number of a line less {guide['errors_from']} is the record's `errors`.")
    if guide.get("generalized"):
        sentences.append(f"`generalized` lists what each generalized value of {name!r} stands for.")
    columns = guide.get("columns", {})
    if columns.keys() >= {"lo", "hi"}:
        sentences.append(f"{name!r} is in two columns, {columns['lo']} and {columns['hi']}.")
    if columns.keys() >= {"base", "uncertain", "errors"}:
        sentences.append(
            f"{name!r} is in three columns: the base set in {columns['base']}, the uncertain items in {columns['uncertain']}, "
            f"and `errors` in {columns['errors']}."
        )
    if format == "jsonl" and guide["kind"] == UNCERTAIN:
        sentences.append(f"{name!r} is an object: `base` has the base set, `uncertain` the uncertain items, and `errors`.")
    return sentences
