"""The hierarchies of projects: built, uploaded, shown, exported; and a hierarchy while a user edits it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from itertools import islice
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Rows
from anonset.model.builders import BUILDERS, Material, is_spec
from anonset.model.hierarchy import Hierarchy, plant
from anonset.model.sets import rows_of
from anonset.workbench.files import Draft, ProjectFiles, display_name
from anonset.workbench.journal import (
    AddNode,
    BuildHierarchy,
    DeleteNode,
    EditHierarchy,
    MergeNodes,
    MoveNode,
    RenameNode,
    UseHierarchy,
    after,
)
from anonset.workbench.runs import Runs
from anonset.workbench.store import new_id
from anonset.workbench.values import HierarchyPreview, NamedPreview, Tree, TreeRow
from anonset.workbench.worker_requests import ITEMS, Reading
from anonset.workbench.workers import Workers

LARGEST_UPLOAD = 50_000_000  # bytes
MOST_FILES = 200  # in a zip
LONGEST_LABEL = 200  # characters
MOST_ROWS = 1_000  # of a tree, in one answer
MOST_NODES = 200_000  # of a tree that a page gets whole


class Hierarchies:
    """The hierarchies of projects."""

    def __init__(self, files: ProjectFiles, runs: Runs, workers: Workers) -> None:
        self._files, self._journal, self._runs, self._workers = files, files.journal, runs, workers

    def builders(self) -> tuple[str, ...]:
        """The hierarchy builders, as they are written in a step."""
        return tuple(builder.usage for builder in BUILDERS.values())

    def tree(self, project: str, column: str, opened: Sequence[int] = (), start: int = 0, count: int = 200) -> Tree:
        """The visible rows of a hierarchy: the root and the children of opened nodes; those of the root if none is given."""
        return self._tree(project, column, opened, start, min(count, MOST_ROWS))

    def whole_tree(self, project: str, column: str) -> Tree:
        """All rows of a hierarchy at once, for a page that opens and closes them by itself."""
        return self._tree(project, column, range(MOST_NODES), 0, MOST_NODES)

    def _tree(self, project: str, column: str, opened: Sequence[int], start: int, count: int) -> Tree:
        reading, release = self._reading(project, column), self._journal.state(project).release
        cut: list[str] = []
        if release is not None and (folder := self._runs.folder(project, release)).exists():
            cut = self._workers.ask("hierarchies.cut", reading=reading, folder=folder, column=column)
        page = {"column": column, "opened": opened, "start": start, "count": count, "cut": cut}
        found: Tree = self._workers.ask("hierarchies.tree", self._files.names(project), reading=reading, **page)
        return found

    def find(self, project: str, column: str, text: str) -> tuple[tuple[int, ...], ...]:
        """The paths from the root to at most 20 nodes whose label contains a text."""
        reading = self._reading(project, column)
        found = self._workers.ask("hierarchies.find", self._files.names(project), reading=reading, column=column, text=text)
        return tuple(tuple(path) for path in found)

    async def upload(self, project: str, column: str, name: str, chunks: AsyncIterator[bytes]) -> HierarchyPreview:
        """Keep a hierarchy file and say what it would change; `UseHierarchy` with its id then uses it."""
        draft = await self._files.save_upload(project, name, chunks, LARGEST_UPLOAD)
        upload = self._files.keep_hierarchy(project, draft)
        return await asyncio.to_thread(self.preview, project, column, upload)

    async def upload_several(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> tuple[NamedPreview, ...]:
        """Keep a hierarchy file, or all those in a zip, each for the column that its name says; what each would change."""
        draft = await self._files.save_upload(project, name, chunks, LARGEST_UPLOAD)
        return await asyncio.to_thread(self._keep_several, project, draft)

    def _keep_several(self, project: str, draft: Draft) -> tuple[NamedPreview, ...]:
        parts = unzipped(draft) if is_zipfile(draft.path) else [draft]
        return tuple(self._named(project, part) for part in parts)

    def _named(self, project: str, draft: Draft) -> NamedPreview:
        columns = self._files.columns(project)
        names = {column.name.casefold(): column.name for column in columns if column.role == "quasi"}
        names |= {n.casefold(): ITEMS for column in columns if column.role == ITEMS for n in (ITEMS, column.name)}
        column = names.get(draft.name.removesuffix(".gz").rsplit(".", 1)[0].casefold())
        if column is None:
            draft.path.unlink()
            return NamedPreview(draft.name)
        return NamedPreview(draft.name, column, self.preview(project, column, self._files.keep_hierarchy(project, draft)))

    def preview(self, project: str, column: str, upload: str) -> HierarchyPreview:
        """What an uploaded hierarchy would change."""
        file = {"column": column, "upload": upload, "name": self._files.upload_name(project, upload)}
        reading, names = self._files.reading(project), self._files.names(project)
        found: HierarchyPreview = self._workers.ask("hierarchies.preview", names, reading=reading, **file)
        return found

    def export(self, project: str, column: str) -> bytes:
        """The hierarchy of a column as a CSV file: a value a line, then the groups above it."""
        reading = self._reading(project, column)
        file = reading.folder / f"export-{new_id()}.csv"
        try:
            self._workers.ask("hierarchies.export", self._files.names(project), reading=reading, column=column, file=file)
            return file.read_bytes()
        finally:
            file.unlink(missing_ok=True)

    def check(self, project: str, step: BuildHierarchy | UseHierarchy | EditHierarchy) -> None:
        """Raise where a step about a hierarchy is not possible."""
        state = self._journal.state(project)
        if isinstance(step, BuildHierarchy) and not is_spec(step.how):
            raise InputError(f"a hierarchy to build must be one of {' '.join(self.builders())}")
        if isinstance(step, EditHierarchy) and step.column not in state.hierarchies:
            raise InputError("this column has no hierarchy to change")
        if isinstance(step, UseHierarchy) and not (found := self.preview(project, step.column, step.upload)).usable:
            raise InputError(_why_unusable(found))
        reading = self._files.reading(project, after(state, step))
        if step.column not in reading.hierarchies:
            raise InputError("a hierarchy is for a column that could be known, or for the items")
        self._workers.ask("hierarchies.check", self._files.names(project), reading=reading, column=step.column)

    def _reading(self, project: str, column: str) -> Reading:
        reading = self._files.reading(project)
        if column not in reading.hierarchies:
            raise InputError("this column has no hierarchy")
        return reading


def unzipped(draft: Draft) -> list[Draft]:
    """The files in a zip as drafts, which take its place; an error where there are too many or they are too large."""
    parts = []
    try:
        with ZipFile(draft.path) as archive:
            found = [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX")]
            if len(found) > MOST_FILES or sum(info.file_size for info in found) > LARGEST_UPLOAD:
                raise InputError(f"a zip may have {MOST_FILES} hierarchies, of {LARGEST_UPLOAD // 1_000_000} MB in all")
            for info in found:
                place = draft.path.with_name(f"upload-{new_id()}")
                place.touch(mode=0o600)
                place.write_bytes(archive.read(info))
                parts.append(Draft(place, info.file_size, display_name(info.filename)))
    except (BadZipFile, RuntimeError):  # damaged, encrypted, or packed in a way that is not known
        for part in parts:
            part.path.unlink()
        raise InputError("this zip cannot be read") from None
    finally:
        draft.path.unlink()
    return parts


def _why_unusable(found: HierarchyPreview) -> str:
    if found.problems:
        return f"this hierarchy cannot be used: {found.problems[0]}"
    return f"this hierarchy cannot be used: {found.missing_count} values of the data are not in it; what was there stays"


DELETED = -2  # the parent of a deleted node


class EditedTree:
    """A hierarchy with edits; nodes keep their ids, and new nodes get the next ones."""

    def __init__(self, start: Hierarchy, material: Material, edits: Iterable[object] = ()) -> None:
        self.labels = list(start.labels)
        self.parent = start.parent.tolist()
        self.root, self.first_leaves = start.root, start.n_leaves
        self.children: list[list[int]] = [[] for _ in self.labels]
        for v in sorted(range(start.root), key=lambda v: int(start.low[v])):
            self.children[self.parent[v]].append(v)
        self.material = material
        self.count = dict(zip(material.domain, material.supports.tolist(), strict=True))
        for edit in edits:
            self.change(edit)

    def is_leaf(self, node: int) -> bool:
        """Whether a node is a value; an empty group is no leaf."""
        return node < self.first_leaves

    def change(self, edit: object) -> None:
        """Make one edit, or raise and change nothing."""
        match edit:
            case AddNode(parent, label):
                self._add(self._group(parent), self._free(label))
            case RenameNode(node, label):
                self.labels[self._group(node)] = self._free(label, but=node)
            case MoveNode(node, to):
                self._move(self._node(node), self._group(to))
            case MergeNodes(nodes, label):
                self._merge([self._node(node) for node in nodes], label)
            case DeleteNode(node):
                self._delete(self._node(node))

    def _add(self, parent: int, label: str) -> int:
        self.labels.append(label)
        self.parent.append(parent)
        self.children.append([])
        self.children[parent].append(len(self.labels) - 1)
        return len(self.labels) - 1

    def _move(self, node: int, to: int) -> None:
        above = to
        while above >= 0:
            if above == node:
                raise InputError("a node cannot be moved below itself")
            above = self.parent[above]
        self.children[self.parent[node]].remove(node)
        self.children[to].append(node)
        self.parent[node] = to

    def _merge(self, nodes: list[int], label: str) -> None:
        """Merge groups into the first one, or put values into a new group next to the first value."""
        if len(set(nodes)) < 2 or self.root in nodes:
            raise InputError("a merge needs two nodes or more, and never the root")
        if any(self.is_leaf(node) for node in nodes):
            group = self._add(self.parent[nodes[0]], self._free(label))
            for node in nodes:
                self._move(node, group)
            return
        first, *others = nodes
        name = self._free(label, but=first) if label else self.labels[first]
        for node in others:
            for child in list(self.children[node]):
                self._move(child, first)
            self._delete(node)
        self.labels[first] = name

    def _delete(self, node: int) -> None:
        if node == self.root:
            raise InputError("the root stays")
        if self.is_leaf(node) and self.count.get(self.labels[node]):
            raise InputError("this value occurs in the data, so it stays; move it instead")
        above = self.children[self.parent[node]]
        place = above.index(node)
        above[place : place + 1] = self.children[node]
        for child in self.children[node]:
            self.parent[child] = self.parent[node]
        self.children[node], self.parent[node] = [], DELETED

    def _node(self, node: int) -> int:
        if not 0 <= node < len(self.labels) or self.parent[node] == DELETED:
            raise InputError(f"there is no node {node}")
        return node

    def _group(self, node: int) -> int:
        if self.is_leaf(self._node(node)):
            raise InputError("this is a value of the data, not a group")
        return node

    def _free(self, label: str, but: int = -1) -> str:
        name = " ".join(label.split())
        if not 0 < len(name) <= LONGEST_LABEL:
            raise InputError(f"a label has 1 to {LONGEST_LABEL} characters")
        used = (v for v, text in enumerate(self.labels) if text == name and v != but and self.parent[v] != DELETED)
        if next(used, None) is not None:
            raise InputError("another node has this label already")
        return name

    def hierarchy(self, *, derived: bool) -> Hierarchy:
        """The edited hierarchy, without groups that have no value."""
        nodes = [v for v in self._order(set(range(len(self.labels)))) if self.is_leaf(v) or self._leaves(v)]
        place = {v: i for i, v in enumerate(nodes)}
        planted = plant([self.labels[v] for v in nodes], [place.get(self.parent[v], -1) for v in nodes], place[self.root])
        return Hierarchy(planted.labels, planted.parent, derived)

    def _leaves(self, node: int) -> bool:
        return any(self.is_leaf(child) or self._leaves(child) for child in self.children[node])

    def _order(self, opened: Collection[int]) -> list[int]:
        """The visible nodes from top to bottom."""
        found, todo = [], [self.root]
        while todo:
            node = todo.pop()
            found.append(node)
            if node in opened:
                todo.extend(reversed(self.children[node]))
        return found

    def nodes(self) -> list[int]:
        """The nodes that are not deleted."""
        return [v for v, parent in enumerate(self.parent) if parent != DELETED]

    def find(self, text: str, count: int) -> list[list[int]]:
        """The paths from the root to the first nodes whose label contains a text."""
        part = text.casefold()
        nodes = (v for v in self.nodes() if part in self.labels[v].casefold())
        return [self._path(v) for v in islice(nodes, count)]

    def _path(self, node: int) -> list[int]:
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(self.parent[path[-1]])
        return path[::-1]

    def missing(self) -> list[str]:
        """The values of the data that are not leaves of the tree."""
        there = {self.labels[v] for v in range(self.first_leaves) if self.parent[v] != DELETED}
        return [name for name, n in self.count.items() if n and name not in there]

    def rows(
        self, opened: Collection[int], start: int, count: int, cut: Collection[str] = ()
    ) -> tuple[int, tuple[TreeRow, ...]]:
        """The number of visible nodes, and a page of them from `start` on."""
        visible = self._order(set(opened))
        depth, leaves, covered, support = self._facts()
        page = [
            TreeRow(
                v,
                self.parent[v] if v != self.root else None,
                self.labels[v],
                depth[v],
                self.is_leaf(v),
                v in opened,
                len(self.children[v]),
                leaves[v],
                covered[v],
                int(support[v]),
                self.labels[v] in cut,
            )
            for v in visible[start : start + count]
        ]
        return len(visible), tuple(page)

    def _facts(self) -> tuple[list[int], list[int], list[int], Rows]:
        """For every node: its depth, its leaves, its leaves that occur in the data, and its support."""
        n = len(self.labels)
        order = self._order(set(range(n)))
        depth, leaves, covered = [0] * n, [0] * n, [0] * n
        for v in order[1:]:
            depth[v] = depth[self.parent[v]] + 1
        for v in reversed(order):
            if self.is_leaf(v):
                leaves[v], covered[v] = 1, int(self.count.get(self.labels[v], 0) > 0)
            if v != self.root:
                leaves[self.parent[v]] += leaves[v]
                covered[self.parent[v]] += covered[v]
        return depth, leaves, covered, self._supports(np.array(depth))

    def _supports(self, depth: Rows) -> Rows:
        """The support of each node; a record with several items below a node counts once."""
        n = len(self.labels)
        up, support = np.array(self.parent), np.zeros(n, np.int64)
        leaf_of = {self.labels[v]: v for v in range(self.first_leaves) if self.parent[v] != DELETED}
        node_of = np.array([leaf_of.get(name, -1) for name in self.material.domain], np.int64)
        t = self.material.transactions
        if t is None:
            pairs = np.flatnonzero(node_of >= 0)
            node, weight = node_of[pairs], self.material.supports[pairs]
            record = np.arange(len(node), dtype=np.int64)
        else:
            node, record = node_of[t.items], rows_of(t.offsets)
            node, record = node[node >= 0], record[node >= 0]
            weight = np.ones(int(record.max()) + 1 if len(record) else 0, np.int64)
        for level in range(int(depth.max()), -1, -1):
            here = depth[node] == level
            keys = np.unique(record[here] * n + node[here])
            low_node, low_record = keys % n, keys // n
            support += np.bincount(low_node, weight[low_record], minlength=n).astype(np.int64)
            node = np.concatenate([node[~here], up[low_node]])
            record = np.concatenate([record[~here], low_record])
        return support
