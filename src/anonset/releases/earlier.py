"""An earlier release, read from its folder alone: its records, what its labels stand for, and whose records they are.

Its original is not needed: the private half has the values behind each label.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.formats import RELEASE_FORMATS
from anonset.data.formats.tokens import UNCERTAIN
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import PartialItems
from anonset.model.labels import GeneralizedItems, PublishedColumn
from anonset.model.release_files import Recoding, damage, read_release_file
from anonset.model.schema import Kind
from anonset.releases.about import read_guarantee
from anonset.releases.folder import published_folder, read_about, read_manifest, read_marks, read_rows
from anonset.runtime.native_panics import without_panic


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRelease:
    """What somebody holds who has an earlier release, and whose record each of its records is.

    `domains` are the values behind the labels of each column, `marks` hashes of the people, `rows` the input rows; `inputs` are
    the hashes of the files that it was made of, and `reading` how they were read.
    """

    name: str
    columns: tuple[PublishedColumn, ...]
    domains: Mapping[str, tuple[str, ...]]
    items: GeneralizedItems | None
    rows: Rows
    marks: NDArray[np.uint64] | None
    inputs: frozenset[str]
    input_records: int
    key: str | None
    partial: bool

    def __len__(self) -> int:
        return len(self.rows)


def read_earlier(folder: Path) -> EarlierRelease:
    """Read a release folder with its private half."""
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is None:
        raise InputError("an earlier release is a folder with its private/ half", file=folder)
    published = published_folder(folder)
    guide = read_about(published / "about.json")
    path = published / RELEASE_FORMATS[guide["format"]].file
    if not path.is_file():
        raise InputError("a release in parts cannot be compared with others yet", file=folder)
    if any(attribute["kind"] == UNCERTAIN for attribute in guide["attributes"]):
        raise InputError(f"a release of {guide['algorithm']} cannot be compared with others yet", file=folder)
    recoding = read_release_file(folder / "private" / "recoding.json", Recoding)
    roster = _roster(guide, recoding)
    suppressed = np.zeros(0, np.int32)
    if roster.transactions is not None:
        place = {name: i for i, name in enumerate(roster.transactions.domain)}
        suppressed = np.array(sorted(place[name] for name in recoding["suppressed"]), np.int32)
    try:
        with without_panic(f"{path.name} cannot be read as about.json explains it"):
            columns, items = RELEASE_FORMATS[guide["format"]].read_back(path, guide["attributes"], roster, suppressed)
    except GuaranteeViolated:
        raise
    except Exception as error:
        raise GuaranteeViolated(f"{path.name} cannot be read as about.json explains it: {damage(error)}") from None
    assert items is None or isinstance(items, GeneralizedItems)
    n = guide["records"]
    guarantees = [read_guarantee(data) for data in manifest["guarantees"]]
    reading = manifest.get("reading") or {}
    return EarlierRelease(
        folder.name,
        columns,
        {column.name: column.domain for column in roster.columns},
        items,
        read_rows(folder, n, manifest.get("input_records", n)),
        read_marks(folder / "private", n),
        frozenset(source["sha256"] for source in manifest.get("inputs", ())),
        manifest.get("input_records", 0),
        reading.get("id"),
        any(isinstance(guarantee, PartialItems) for guarantee in guarantees),
    )


def _roster(guide: Mapping[str, Any], recoding: Recoding) -> Dataset:
    """A dataset without records that has the values behind the labels of a release."""
    columns, items, item_column = [], None, "items"
    for attribute in guide["attributes"]:
        name = attribute["name"]
        if attribute["role"] == "items":
            item_column = name
            domain = sorted({i for members in recoding["items"].values() for i in members} | set(recoding["suppressed"]))
            items = Transactions(np.zeros(1, np.int64), np.zeros(0, np.int32), tuple(domain))
            continue
        labels = recoding["columns"][name]
        values = sorted({v for members in labels.values() for v in members}) if isinstance(labels, dict) else []
        numeric = attribute["kind"] == "numeric" and not values
        numbers = np.zeros(0) if numeric else None
        kind: Kind = "numeric" if numeric else "categorical"
        columns.append(Column(name, attribute["role"], kind, np.zeros(0, np.int32), tuple(values), numbers))
    return Dataset(tuple(columns), items, item_column=item_column)
