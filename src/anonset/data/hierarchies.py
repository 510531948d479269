"""Hierarchies in files: `leaf;level1;...;*` lines, `child,parent` pairs, nested JSON; each also gzipped."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anonset.data.hierarchy_parsing import HEADER, READERS, HierarchyFormat, ParsedTree, check_one_tree
from anonset.data.sources import as_input_errors, text
from anonset.errors import InputError, NewValuesError
from anonset.model.hierarchy import Hierarchy, plant


def read_hierarchy(path: str | Path, domain: Sequence[str] | None = None) -> Hierarchy:
    """The hierarchy in a file; every value of the domain, where one is given, must be a leaf."""
    complaints, tree = _read(Path(path))
    if tree is None:
        raise complaints[0]
    require_leaves(tree, domain or (), file=path)
    return tree


def check_hierarchy(path: str | Path, domain: Sequence[str] | None = None) -> list[str]:
    """Everything that is wrong with the hierarchy in a file, each with its line; nothing where it can be used."""
    try:
        complaints, tree = _read(Path(path))
        if tree is not None:
            require_leaves(tree, domain or (), file=path)
        return [str(complaint) for complaint in complaints]
    except InputError as error:
        return [str(error)]


def require_leaves(tree: Hierarchy, values: Sequence[str], *, file: str | Path, column: str | None = None) -> None:
    """Raise unless every value is a leaf."""
    leaves = set(tree.leaves)
    uncovered = [value for value in values if value not in leaves]
    if uncovered:
        some = ", ".join(repr(value[:40]) for value in uncovered[:3])
        message = f"{len(uncovered)} values of the data are not leaves of this hierarchy, e.g. {some}"
        raise NewValuesError(message, uncovered, file=file, column=column)


def write_hierarchy(tree: Hierarchy, path: str | Path, *, format: HierarchyFormat | None = None) -> None:
    """Write a hierarchy; a name that ends in .json (or .json.gz) asks for nested JSON, any other for level lines."""
    target = Path(path)
    plain = target.name.lower().removesuffix(".gz")
    lines = WRITERS[format or ("json" if plain.endswith(".json") else "levels")](tree)
    content = lines.encode("utf-8")
    with as_input_errors(target):
        target.write_bytes(gzip.compress(content, mtime=0) if target.name.lower().endswith(".gz") else content)


def _read(path: Path) -> tuple[list[InputError], Hierarchy | None]:
    """What is wrong with the tree in a file, and the tree where nothing is."""
    content = text(path)
    tree = ParsedTree(str(path))
    READERS[_format(path, content)](content, tree)
    if not tree.complaints:
        check_one_tree(tree)
    if tree.complaints:
        return tree.complaints, None
    return [], plant(tree.labels, tree.parent, tree.parent.index(-1))


def _format(path: Path, content: str) -> HierarchyFormat:
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        return "json"
    first = content.lstrip().split("\n", 1)[0].rstrip("\r")
    try:
        fields = next(csv.reader([first]), [])
    except csv.Error:  # a field longer than the reader takes, since it has other separators
        return "levels"
    if tuple(name.strip().lower() for name in fields) == HEADER:
        return "pairs"
    return "levels" if ";" in first or len(fields) != 2 else "pairs"


def _level_lines(tree: Hierarchy) -> str:
    up, out = tree.parent.tolist(), io.StringIO()
    lines = csv.writer(out, delimiter=";", lineterminator="\n")
    for leaf in range(tree.n_leaves):
        row, v = [], leaf
        while v >= 0:
            row.append(tree.labels[v])
            v = up[v]
        lines.writerow(row)
    return out.getvalue()


def _pair_lines(tree: Hierarchy) -> str:
    """Children from left to right below their parents; a chain's nodes get names of their own, as pairs need them."""
    names: dict[str, int] = {}
    for v in range(len(tree)):
        name, tries = tree.labels[v], 1
        while name in names:
            tries += 1
            name = f"{tree.labels[v]} ({tries})"
        names[name] = v
    texts, up, out = tuple(names), tree.parent.tolist(), io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(HEADER)
    for v in sorted(range(len(tree)), key=lambda v: (tree.low[v], tree.depth[v])):
        lines.writerow((texts[v], texts[up[v]] if up[v] >= 0 else ""))
    return out.getvalue()


def _nested(tree: Hierarchy) -> str:
    nodes: list[Any] = [label if v < tree.n_leaves else {"name": label, "children": []} for v, label in enumerate(tree.labels)]
    for v in sorted(range(tree.root), key=lambda v: int(tree.low[v])):
        nodes[tree.parent[v]]["children"].append(nodes[v])
    return json.dumps(nodes[tree.root], ensure_ascii=False, indent=1) + "\n"


WRITERS: dict[HierarchyFormat, Callable[[Hierarchy], str]] = {"levels": _level_lines, "pairs": _pair_lines, "json": _nested}
