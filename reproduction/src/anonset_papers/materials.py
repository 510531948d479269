"""The data of the experiments: the papers' own if they are available, seeded look-alikes if not."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from anonset.data import Schema, read
from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.samples import write_sample
from anonset_papers.lookalikes import like_bms_pos, like_bms_webview_1, like_bms_webview_2, like_chess, like_pumsb

QUICK_RECORDS = 1_500
T = TypeVar("T")


class Source(NamedTuple):
    """A dataset of the papers: its name, its file in the data folder (empty: not available), and its look-alike."""

    title: str
    file: str
    load: Callable[[Path], Dataset]
    lookalike: Callable[[], Dataset]
    stand_in: str


def default_folder() -> Path | None:
    """The folder in ANONSET_DATA, or ../shared/data; None if it does not exist."""
    given = os.environ.get("ANONSET_DATA")
    folder = Path(given) if given else Path("..") / "shared" / "data"
    return folder if folder.is_dir() else None


@dataclass(slots=True)
class Materials:
    """The datasets by name, each read once; `quick` takes only their first records."""

    folder: Path | None = None
    quick: bool = False
    _loaded: dict[str, Dataset] = field(default_factory=dict)

    def data(self, name: str) -> Dataset:
        """The dataset of that name, or its look-alike."""
        if name not in self._loaded:
            path = self._path(name)
            source = SOURCES[name]
            whole = source.lookalike() if path is None else source.load(path)
            self._loaded[name] = first(whole, QUICK_RECORDS) if self.quick else whole
        return self._loaded[name]

    def said(self, name: str) -> str:
        """A text that says which data are used for a name."""
        source, path = SOURCES[name], self._path(name)
        text = f"{source.title}: {source.stand_in} (a stand-in)" if path is None else f"{source.title}: {path.name}"
        return f"{text}, its first {QUICK_RECORDS:,} records" if self.quick else text

    def pick(self, full: T, quick: T) -> T:
        """`full` in a full run, `quick` in a quick run."""
        return quick if self.quick else full

    def _path(self, name: str) -> Path | None:
        file = SOURCES[name].file
        if self.folder is None or not file:
            return None
        path = self.folder / file
        return path if path.exists() else None


def check_folder(folder: Path) -> None:
    """Raise InputError if the folder has none of the datasets."""
    if not any(source.file and (folder / source.file).exists() for source in SOURCES.values()):
        files = ", ".join(source.file for source in SOURCES.values() if source.file)
        raise InputError(f"has none of {files}; leave --data out to run on look-alikes", file=folder)


def first(data: Dataset, n: int) -> Dataset:
    """The first n records."""
    return data if len(data) <= n else data.take(np.arange(n, dtype=np.int64))


def nested(data: Dataset, n: int, *, seed: int = 0) -> Dataset:
    """n random records; those of a smaller n are among those of a larger one ([003] 5.2.4)."""
    return data if len(data) <= n else data.take(np.sort(np.random.default_rng(seed).permutation(len(data))[:n]))


def _patients() -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        roles = {"identifier": ("patient_id",), "quasi": ("age", "sex", "town", "schooling"), "items": ("diagnoses",)}
        schema = Schema(**roles, item_separator="|", hierarchies=Path(folder) / "hierarchies")  # type: ignore[arg-type]
        return read(write_sample(folder, 26_735), schema=schema)


def _informs(path: Path) -> Dataset:
    return read(path, schema=Schema(hierarchies=path.parent / "informs05_hierarchies"))


SOURCES: dict[str, Source] = {
    "WV1": Source(
        "BMS-WebView-1",
        "transactions/bms_webview_1.dat.gz",
        read,
        lambda: Dataset(transactions=like_bms_webview_1()),
        "seeded click-streams of the same size, domain and lengths",
    ),
    "WV2": Source(
        "BMS-WebView-2",
        "transactions/bms_webview_2.dat.gz",
        read,
        lambda: Dataset(transactions=like_bms_webview_2()),
        "seeded click-streams of the same size, domain and lengths",
    ),
    "POS": Source(
        "BMS-POS", "", read, lambda: Dataset(transactions=like_bms_pos()), "seeded baskets of the same size, domain and lengths"
    ),
    "CHESS": Source(
        "Chess",
        "transactions/chess.dat.gz",
        read,
        lambda: Dataset(transactions=like_chess()),
        "seeded boards of the same size and attributes",
    ),
    "PUMSB": Source(
        "Pumsb", "", read, lambda: Dataset(transactions=like_pumsb()), "seeded census answers of the same size and attributes"
    ),
    "INFORMS": Source(
        "INFORMS 2005",
        "rt/informs05.csv.gz",
        _informs,
        _patients,
        "made-up patients of `anonset sample`",
    ),
}
