"""Build, show and check hierarchies."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anonset.data.files import require_free
from anonset.data.hierarchies import check_hierarchy, read_hierarchy, write_hierarchy
from anonset.errors import Fix, InputError, Set
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.tasks.inputs import Input


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """How to build (`balanced:5`), for which column of which data (the items, if none), and where it goes."""

    how: str
    source: Input
    output: Path
    column: str | None = None
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class HierarchyCheckRequest:
    """A hierarchy file, and the values it should cover."""

    file: Path
    source: Input | None = None
    column: str | None = None


def run_build(request: BuildRequest) -> Hierarchy:
    """Build a hierarchy over the values of a column, or over the items, and write it."""
    require_free(request.output, overwrite=request.overwrite)
    tree = build(request.how, material(request.source.read(), request.column))
    write_hierarchy(tree, request.output)
    return tree


def of_values(how: str, values: Dataset | Material | Iterable[str], column: str | None = None) -> Hierarchy:
    """A hierarchy over values, or over a column or the items of a dataset."""
    if isinstance(values, Dataset):
        return build(how, material(values, column))
    return build(how, values if isinstance(values, Material) else [str(value) for value in values])


def run_show(file: Path) -> Hierarchy:
    """The hierarchy in a file."""
    return read_hierarchy(file)


def run_check(request: HierarchyCheckRequest) -> list[str]:
    """Return the errors of a hierarchy file, each with its line."""
    domain = None if request.source is None else material(request.source.read(), request.column).domain
    return check_hierarchy(request.file, domain)


def write(tree: Hierarchy, file: Path) -> None:
    """Write a hierarchy to a file that other tasks read."""
    write_hierarchy(tree, file)


def material(data: Dataset, column: str | None) -> Material:
    """The values that occur in a column, or the items."""
    if column is not None:
        return Material.of_column(data.column(column))
    if data.transactions is None:
        raise InputError("the data have no set-valued attribute", fix=[Fix("name a column: {}", Set("column"))])
    return Material.of_items(data.transactions)
