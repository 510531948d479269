"""What a worker reads: datasets, hierarchies as they were changed, releases; the last few stay at hand."""

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anonset.model.builders import Material
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.tasks import hierarchy
from anonset.tasks.inputs import Input, load
from anonset.workbench.orders import ITEMS, Reading
from anonset.workbench.trees import EditedTree

KEPT = 3


class RecentValues:
    """The last few values that took long to make."""

    def __init__(self, most: int = KEPT) -> None:
        self._most, self._values = most, OrderedDict[str, Any]()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The value of a key, made where it is not at hand."""
        if key not in self._values:
            self._values[key] = make()
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return self._values[key]


class WorkerCaches:
    """Everything a worker keeps at hand."""

    def __init__(self) -> None:
        self._data, self._trees, self._releases = RecentValues(), RecentValues(), RecentValues()

    def data(self, reading: Reading, progress: Progress = silent) -> Dataset:
        """The dataset, with its hierarchies."""
        found: Dataset = self._data.get(reading.key, lambda: self.source(reading).read(progress))
        return found

    def source(self, reading: Reading) -> Input:
        """The input of tasks: hierarchies that were changed are written to files of the project."""
        given = {column: self._given(reading, column) for column in reading.hierarchies}
        settings = dict(reading.settings) | ({"hierarchies": given} if given else {})
        return Input(reading.file, settings)

    def _given(self, reading: Reading, column: str) -> str:
        choice = reading.hierarchies[column]
        if not choice.edits and choice.how is not None:
            return choice.how
        if not choice.edits:
            return str(upload_path(reading.folder, choice.upload))
        name = hashlib.sha256(json.dumps([reading.bare().key, column, repr(choice)]).encode()).hexdigest()[:16]
        file = reading.folder / "trees" / f"{name}.csv"
        if not file.exists():
            file.parent.mkdir(exist_ok=True, mode=0o700)
            draft = file.with_suffix(f".{os.getpid()}.csv")
            hierarchy.write(self.tree(reading, column).hierarchy(derived=choice.upload is None), draft)
            draft.replace(file)
        return str(file) if choice.upload is not None else f"derived:{file}"

    def material(self, reading: Reading, column: str) -> Material:
        """What a hierarchy of a column is built from."""
        return hierarchy.material(self.data(reading.bare()), None if column == ITEMS else column)

    def tree(self, reading: Reading, column: str) -> EditedTree:
        """The tree of a column as it was changed."""
        choice = reading.hierarchies[column]
        key = repr((reading.bare().key, column, choice))

        def make() -> EditedTree:
            found = self.material(reading, column)
            return EditedTree(self._begun(reading, column, found), found, choice.edits)

        made: EditedTree = self._trees.get(key, make)
        return made

    def _begun(self, reading: Reading, column: str, found: Material) -> Hierarchy:
        choice = reading.hierarchies[column]
        if choice.upload is not None:
            return hierarchy.run_show(upload_path(reading.folder, choice.upload))
        return hierarchy.of_values(choice.how or "balanced:5", found)

    def release(self, reading: Reading, folder: Path) -> tuple[Dataset, Release]:
        """The original and the release in a folder of this project."""
        data = self.data(reading)
        made: Release = self._releases.get(str(folder), lambda: load(folder, data).require_rows().release)
        return data, made


def upload_path(folder: Path, upload: str | None) -> Path:
    """Where an uploaded hierarchy lies: ids are ours, and no name of a user reaches the file system."""
    found = sorted((folder / "uploads").glob(f"{upload}.*"))
    return found[0] if upload and upload.isalnum() and found else folder / "uploads" / "missing.csv"
