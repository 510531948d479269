"""The rules of an earlier release on new data, so that labels stay the same from year to year.

1. Settings: data are read as those of the earlier release, and anonymized by its algorithm with its parameters, but no seed.
2. Hierarchies are those of the earlier release, without values that it does not name. Values that it does not know are below
   the root or, where rules are global, under the label of their neighbour. Item labels that follow a hierarchy which was built
   on the way are one themselves.
3. Global rules: where no value of an attribute has two labels, values are replaced by their labels before the algorithm runs,
   so it can join labels but not split them. What it publishes is then written for the original values.

What the earlier release names is public. New values are not: where only records that are left out hold one, no label names it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.recoding import group_text
from anonset.algorithms.relational.encoding import uses_tree
from anonset.algorithms.relational.publication import without_left_out
from anonset.data.formats import RELEASE_FORMATS
from anonset.errors import Fix, GuaranteeViolated, InputError, ParameterError, Set
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids
from anonset.model.dataset import Column, Dataset, Transactions, item_order
from anonset.model.hierarchy import Hierarchy, plant, plant_paths
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.literals import plain
from anonset.model.parameters import parameters as declared
from anonset.model.policy import PrivacyPolicy, UtilityPolicy, with_policies
from anonset.model.release import Release
from anonset.model.release_files import Domains, Recoding, read_release_file
from anonset.model.sets import places_in
from anonset.releases.folder import published_folder, read_about, read_manifest
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.inputs import Input, schema_of_original

NAMED = 5  # new values that a remark names


class Rules(NamedTuple):
    """What an earlier release says of one attribute: the values behind each label, and its hierarchy, if any."""

    labels: Mapping[str, tuple[str, ...]]
    tree: Hierarchy | None

    @property
    def names(self) -> frozenset[str]:
        """The values that the release names, and those of a public hierarchy."""
        leaves = self.tree.leaves if self.tree is not None and not self.tree.derived else ()
        return frozenset(leaves).union(*self.labels.values())

    def is_global(self, besides: frozenset[str] = frozenset()) -> bool:
        """Whether no value has two labels; those of `besides` do not count."""
        seen = [name for members in self.labels.values() for name in members if name not in besides]
        return bool(seen) and len(seen) == len(set(seen))


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRules:
    """The settings of an earlier release, and its rules for each attribute."""

    name: str
    algorithm: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, Rules | Sequence[Sequence[Any]]]
    trees: Mapping[str, Hierarchy]
    items: Rules
    sensitive_items: frozenset[str]

    @classmethod
    def read(cls, folder: Path) -> "EarlierRules":
        """Read the private half of a release."""
        manifest = read_manifest(folder) if folder.is_dir() else None
        if manifest is None:
            raise InputError("the release whose rules are taken over is a folder with its private/ half", file=folder)
        published = published_folder(folder)
        if not (published / RELEASE_FORMATS[read_about(published / "about.json")["format"]].file).is_file():
            raise InputError("the rules of a release in parts cannot be taken over yet", file=folder)
        said = read_release_file(folder / "private" / "recoding.json", Recoding)
        domains = read_release_file(folder / "private" / "domains.json", Domains)
        try:
            trees = {name: Hierarchy.from_nodes(tree) for name, tree in domains["columns"].items()}
            tree = None if domains["items"] is None else Hierarchy.from_nodes(domains["items"])
        except (InputError, ValueError, LookupError, OverflowError):
            raise GuaranteeViolated("private/domains.json is damaged: a hierarchy is no tree") from None
        columns = {
            name: Rules(_tuples(labels), trees.get(name)) if isinstance(labels, dict) else labels
            for name, labels in said["columns"].items()
        }
        parameters = {name: value for name, value in manifest["parameters"].items() if name != "seed"}
        items, sensitive = Rules(_tuples(said["items"]), tree), frozenset(domains["sensitive_items"] or ())
        return cls(folder.name, manifest["algorithm"], with_policies(parameters), columns, trees, items, sensitive)

    def choice(self, wanted: AlgorithmChoice) -> AlgorithmChoice:
        """The algorithm and the parameters of the release, unless others are given."""
        id = wanted.algorithm or self.algorithm
        known = {p.name for p in declared(ALGORITHMS.find(id))}
        kept = {name: value for name, value in self.parameters.items() if name in known and value is not None}
        return replace(wanted, algorithm=id, parameters={**kept, **wanted.parameters})

    def of(self, name: str, data: Dataset) -> Rules:
        """The rules for an attribute of new data."""
        if name == data.item_column and data.transactions is not None:
            return self.items
        found = self.columns[name]
        return found if isinstance(found, Rules) else range_rules(found, self.trees.get(name))

    @property
    def has_policies(self) -> bool:
        """Whether a parameter names items."""
        return any(isinstance(value, PrivacyPolicy | UtilityPolicy) for value in self.parameters.values())


def _tuples(labels: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {text: tuple(members) for text, members in labels.items()}


def input_like(folder: Path, source: Input) -> Input:
    """The input, read as the data of an earlier release, without hierarchies: those of the release take their place."""
    for name in ("hierarchies", "item_hierarchy"):
        if getattr(source.wanted(), name) is not None:
            fix = [Fix("leave out {}", Set(name))]
            raise ParameterError("the hierarchies are those of the release whose rules are taken over", fix=fix)
    return Input(source.data, schema=replace(schema_of_original(folder, source), hierarchies=None, item_hierarchy=None))


def require_one_part() -> None:
    """Raise where a release in parts is to follow an earlier one."""
    fix = [Fix("leave out {}", Set("like"))]
    raise ParameterError("a release in parts cannot take over the rules of an earlier one yet", fix=fix)


# Hierarchies of new data


def tree_with(tree: Hierarchy, wanted: frozenset[str], new: Sequence[str], above: Ids) -> Hierarchy:
    """The hierarchy with those of its values that are wanted, and with each new one directly below a node of it."""
    kept = np.zeros(len(tree), np.bool_)
    kept[: tree.n_leaves] = [leaf in wanted for leaf in tree.leaves]
    for v in range(len(tree) - 1):  # children come before their parents
        kept[tree.parent[v]] |= kept[v]
    kept[tree.root] = kept[above] = True
    number, old = np.cumsum(kept) - 1, np.flatnonzero(kept)
    labels = [*(tree.labels[v] for v in old), *new]
    return plant(labels, [*number[tree.parent[old]].tolist(), *number[above].tolist()], int(number[tree.root]))


def beside_neighbours(
    tree: Hierarchy, labels: Mapping[str, tuple[str, ...]], new: Sequence[str], *, numeric: bool = False
) -> Ids:
    """For each new value the node of the label, of several values, that stands for its neighbour in the order of values.

    Below the root it would take all labels with it where too few records have it and rules are global.
    """
    place, node_of = {name: c for c, name in enumerate(tree.leaves)}, dict.fromkeys(new, tree.root)
    for members in labels.values():
        codes = [place[name] for name in members if name in place]
        if len(codes) > 1:
            node_of |= dict.fromkeys(members, tree.lowest_common(codes))
    names = sorted(node_of, key=float) if numeric else item_order(node_of)
    unknown = frozenset(new)
    last = next((node_of[name] for name in names if name not in unknown), tree.root)
    for name in names:
        if name in unknown:
            node_of[name] = last
        last = node_of[name]
    return np.array([node_of[name] for name in new], np.int32)


def tree_of_groups(rules: Rules, new: Sequence[str], *, numeric: bool = False) -> Hierarchy:
    """Two steps: the values that each label stands for under it, and all labels and other new values under the root."""
    group_of = {name: text for text, members in rules.labels.items() if len(members) > 1 for name in members}
    if numeric:
        spans = [(text, min(map(float, members)), max(map(float, members))) for text, members in rules.labels.items()]
        group_of |= {name: text for name in new for text, low, high in spans if low < float(name) < high}
    names = dict.fromkeys([*(name for members in rules.labels.values() for name in members), *new])
    ordered = sorted(names, key=float) if numeric else item_order(names)
    return plant_paths([(name, group_of[name]) if name in group_of else (name,) for name in ordered])


def nested_tree(labels: Mapping[str, tuple[str, ...]]) -> Hierarchy | None:
    """The labels as a hierarchy; None where two of them overlap and neither is part of the other."""
    texts = {frozenset(members): text for text, members in labels.items()}
    above: dict[str, list[frozenset[str]]] = {name: [] for members in labels.values() for name in members}
    for members in sorted((group for group in texts if 1 < len(group) < len(above)), key=len):
        if any(above[name] and not above[name][-1] < members for name in members):
            return None
        for name in members:
            above[name].append(members)
    paths = [(name, *(texts[group] for group in above[name])) for name in item_order(above)]
    return plant_paths(paths) if paths else None


def range_rules(ranges: Sequence[Sequence[float]], tree: Hierarchy | None) -> Rules:
    """Ranges of numbers as labels: for the values of the hierarchy in each range, or for its two ends."""
    values = {} if tree is None else {leaf: float(leaf) for leaf in tree.leaves}
    labels: dict[str, tuple[str, ...]] = {}
    for low, high in ranges:
        ends = tuple(dict.fromkeys(str(plain(end)) for end in (low, high)))
        within = tuple(name for name, value in values.items() if low <= value <= high)
        labels[ends[0] if len(ends) == 1 else f"[{ends[0]}:{ends[1]}]"] = within or ends
    return Rules(labels, tree)


# Values replaced by their labels


class Recoded(NamedTuple):
    """Values that are replaced by others: value c by number image[c], called names[image[c]], over a hierarchy or none."""

    image: Ids
    names: tuple[str, ...]
    tree: Hierarchy | None

    def behind(self, numbers: Ids) -> Ids:
        """The values that some of the new ones stand for."""
        return np.flatnonzero(np.isin(self.image, numbers)).astype(np.int32)


def at_nodes(tree: Hierarchy, labels: Mapping[str, tuple[str, ...]], hidden: frozenset[str]) -> Recoded | None:
    """The values of a hierarchy replaced by the lowest node above each label; None where labels do not follow the hierarchy.

    Values of `hidden` stay what they are, and move out of the nodes.
    """
    place = {name: c for c, name in enumerate(tree.leaves)}
    node_of = np.arange(tree.n_leaves, dtype=np.int32)
    owner = np.full(tree.n_leaves, -1)
    for a, members in enumerate(labels.values()):
        codes = [place[name] for name in members if name in place and name not in hidden]
        if codes:
            node = tree.lowest_common(codes)
            below = slice(int(tree.low[node]), int(tree.high[node]))
            if (owner[below] >= 0).any():
                return None
            owner[below], node_of[below] = a, node
    out = np.array([name in hidden for name in tree.leaves], np.bool_)
    node_of[out] = np.flatnonzero(out)
    if out.any() and tree.root in node_of:  # hidden values have nowhere to go
        return None
    return Recoded(*_contracted(tree, node_of))


def _contracted(tree: Hierarchy, node_of: Ids) -> tuple[Ids, tuple[str, ...], Hierarchy]:
    """The number of the node that stands for each value, the names of these nodes, and the hierarchy that ends with them."""
    last = np.zeros(len(tree), np.bool_)
    last[node_of] = True
    kept, parent = np.ones(len(tree), np.bool_), tree.parent.copy()
    for v in range(len(tree) - 2, -1, -1):
        kept[v] = kept[parent[v]] and not last[parent[v]]
    kept[node_of] = True
    for v in node_of:
        while parent[v] >= 0 and (last[parent[v]] or not kept[parent[v]]):
            parent[v] = tree.parent[parent[v]]  # a hidden value leaves the node that stands for the others
    old = np.flatnonzero(kept)
    number = np.cumsum(kept) - 1
    made = plant([tree.labels[v] for v in old], number[parent[old]].tolist(), int(number[tree.root]))
    image = places_in(made.leaves, [tree.labels[v] for v in node_of])
    return image.astype(np.int32), made.leaves, made


def in_groups(domain: Sequence[str], rules: Rules, hidden: frozenset[str], occurring: frozenset[str]) -> Recoded:
    """The values that occur, replaced by the texts of their labels, without a hierarchy; others stay what they are."""
    text_of = {name: text for text, members in rules.labels.items() for name in members if name not in hidden}
    called = [text_of.get(name, name) for name in domain]
    names = item_order(dict.fromkeys(text for text, name in zip(called, domain, strict=True) if name in occurring))
    return Recoded(places_in(names, called).astype(np.int32), names, None)


def in_ranges(column: Column, rules: Rules) -> Recoded:
    """Numbers replaced by the lowest end of their range, without a hierarchy."""
    assert column.values is not None
    spans = [(min(map(float, members)), max(map(float, members))) for members in rules.labels.values()]
    lowest = column.values.copy()
    for low, high in spans:
        lowest[(low <= column.values) & (column.values <= high)] = low
    occurring = np.unique(lowest[np.unique(column.codes[column.codes >= 0])])
    image = np.where(np.isin(lowest, occurring), np.searchsorted(occurring, lowest), -1)
    return Recoded(image.astype(np.int32), tuple(str(plain(value)) for value in occurring), None)


# New data under the rules


@dataclass(frozen=True, slots=True, eq=False)
class Following:
    """New data under the rules of an earlier release.

    `data` have its hierarchies; `coarse` are what the algorithm reads: the labels of global rules in place of values.
    `new` are the values of each attribute that the earlier release does not name.
    """

    rules: EarlierRules
    data: Dataset
    coarse: Dataset
    recoded: Mapping[str, Recoded]
    new: Mapping[str, tuple[str, ...]]

    def finished(self, release: Release) -> tuple[Dataset, Release]:
        """The data, and what the algorithm published of the coarse ones in terms of their values."""
        columns = tuple(
            _column_back(self.data.column(column.name), self.coarse.column(column.name), column, self.recoded[column.name])
            if column.name in self.recoded
            else column
            for column in release.columns
        )
        items = release.items
        if self.data.item_column in self.recoded and isinstance(items, GeneralizedItems):
            items = _items_back(self.data, items, self.recoded[self.data.item_column])
        made = replace(release, columns=columns, items=items, trace=() if self.recoded else release.trace)
        data = self._with_private_values(made)
        return data, without_left_out(data, made)

    def _with_private_values(self, release: Release) -> Dataset:
        """The data, with hierarchies that are not public where only records that are left out hold new values."""
        kept, data = self.data.take(release.rows), self.data
        for column in kept.quasi:
            if column.hierarchy is not None and not _holds(column.codes, column.domain, self.new.get(column.name, ())):
                data = data.with_hierarchies({column.name: replace_derived(column.hierarchy)})
        t, tree = kept.transactions, data.item_hierarchy
        if t is not None and tree is not None and not _holds(t.items, t.domain, self.new.get(data.item_column, ())):
            data = data.with_item_hierarchy(replace_derived(tree))
        return data

    def sentences(self, release: Release) -> tuple[str, ...]:
        """What stayed as it was, what did not, and which values are new."""
        named: dict[str, tuple[Labels | Ranges, Sequence[str]]] = {
            column.name: (column.labels, self.data.column(column.name).domain) for column in release.quasi
        }
        if isinstance(release.items, GeneralizedItems):
            named[self.data.item_column] = (release.items.labels, release.items.domain)
        return tuple(self._sentence(name, *found) for name, found in named.items())

    def _sentence(self, name: str, labels: Labels | Ranges, domain: Sequence[str]) -> str:
        rules, new = self.rules.of(name, self.data), self.new.get(name, ())
        texts = set(labels.texts)
        same = sum(text in texts for text in rules.labels)
        of = f"{same:,} of {len(rules.labels):,} labels of {self.rules.name}"
        how = "labels can only be joined" if name in self.recoded else "labels are chosen anew for each group of records"
        some = ", ".join(new[:NAMED]) + (", ..." if len(new) > NAMED else "")
        told = f"; {len(new):,} new value{'s' if len(new) > 1 else ''}: {some}" if new else ""
        return f"{name}: {of} ({how}){told}"


def replace_derived(tree: Hierarchy) -> Hierarchy:
    """The hierarchy as one that comes from the data."""
    return Hierarchy(tree.labels, tree.parent, derived=True)


def _holds(codes: Ids, domain: Sequence[str], names: Sequence[str]) -> bool:
    """Whether each of the names occurs."""
    occurs = np.bincount(codes[codes >= 0], minlength=len(domain)) > 0
    return bool(occurs[places_in(domain, names)].all())


def _column_back(own: Column, coarse: Column, published: PublishedColumn, recoded: Recoded) -> PublishedColumn:
    """A published column of coarse values in terms of the values themselves."""
    groups = list(_groups(coarse, published.labels))
    anything = (own.codes < 0).any()
    every = np.arange(len(own.domain), dtype=np.int32)
    behind = [every if anything and len(group) == len(coarse.domain) else recoded.behind(group) for group in groups]
    if own.values is None:
        return replace(published, labels=Labels.from_groups(behind, published.labels.texts))
    ends = [(members[np.argmin(own.values[members])], members[np.argmax(own.values[members])]) for members in behind]
    texts = [own.domain[a] if a == b else f"[{own.domain[a]}:{own.domain[b]}]" for a, b in ends]
    low, high = (own.values[[pair[side] for pair in ends]] for side in (0, 1))
    return replace(published, labels=Ranges(low, high, tuple(texts)))


def _groups(coarse: Column, labels: Labels | Ranges) -> Any:
    if isinstance(labels, Labels):
        yield from labels.groups()
        return
    assert coarse.values is not None
    for low, high in zip(labels.low, labels.high, strict=True):
        yield np.flatnonzero((coarse.values >= low) & (coarse.values <= high))


def _items_back(data: Dataset, items: GeneralizedItems, recoded: Recoded) -> GeneralizedItems:
    """Published coarse items in terms of the items themselves."""
    assert data.transactions is not None
    domain, sensitive = data.transactions.domain, data.sensitive_items
    groups = []
    for members in map(recoded.behind, items.labels.groups()):
        linkable = members if sensitive is None else members[~sensitive[members]]
        groups.append(linkable if len(linkable) else members)
    texts = list(items.labels.texts)
    if recoded.tree is None:
        coarse = list(items.labels.groups())
        for a, members in enumerate(groups):
            if len(coarse[a]) > 1:
                texts[a] = group_text(item_order(domain[i] for i in members))
    return GeneralizedItems(
        items.offsets, items.shown, Labels.from_groups(groups, texts), domain, recoded.behind(items.suppressed)
    )


def follow(folder: Path, data: Dataset) -> Following:
    """The data under the rules of an earlier release."""
    rules = EarlierRules.read(folder)
    data = _with_sensitive_items(data, rules.sensitive_items)
    new: dict[str, tuple[str, ...]] = {}
    recoded: dict[str, Recoded] = {}
    for column in data.quasi:
        data = _column_under(rules, data, column, new, recoded)
    data = _items_under(rules, data, new, recoded)
    return Following(rules, data, _coarse(data, recoded), recoded, new)


def _with_sensitive_items(data: Dataset, names: frozenset[str]) -> Dataset:
    """The data in which items that were sensitive in the earlier release are, too."""
    if data.transactions is None or not names:
        return data
    sensitive = np.array([name in names for name in data.transactions.domain], np.bool_)
    return replace(data, sensitive_items=sensitive if data.sensitive_items is None else sensitive | data.sensitive_items)


def _column_under(
    rules: EarlierRules, data: Dataset, column: Column, new: dict[str, tuple[str, ...]], recoded: dict[str, Recoded]
) -> Dataset:
    """The data with the hierarchy that the rules have for a column; its new values and its replacements are noted."""
    if column.name not in rules.columns:
        raise InputError(f"{rules.name} has no such column", column=column.name)
    own, numeric = rules.of(column.name, data), column.kind == "numeric"
    occurring = _occurring(column.codes, column.domain)
    unknown = _unknown(occurring, own.names)
    new[column.name] = _outside(own, unknown) if numeric else unknown
    tree, is_global = own.tree, own.is_global()
    if tree is not None:
        root = np.full(len(unknown), tree.root, np.int32)
        above = beside_neighbours(tree, own.labels, unknown, numeric=numeric) if is_global else root
        tree = tree_with(tree, own.names, unknown, above)
    recoding = rules.parameters.get("recoding", "nodes")
    if not is_global:
        return data if tree is None else data.with_hierarchies({column.name: tree})
    data = data.with_hierarchies({column.name: tree or tree_of_groups(own, unknown, numeric=numeric)})
    column = data.column(column.name)
    by_tree = tree is not None and uses_tree(column, recoding)
    found = at_nodes(tree, own.labels, frozenset()) if by_tree and tree is not None else None
    if not by_tree:
        found = in_ranges(column, own) if numeric else in_groups(column.domain, own, frozenset(), frozenset(occurring))
    if found is not None:
        recoded[column.name] = found
    return data


def _items_under(rules: EarlierRules, data: Dataset, new: dict[str, tuple[str, ...]], recoded: dict[str, Recoded]) -> Dataset:
    """The data with the hierarchy that the rules have for items; new items and replacements are noted."""
    own, t = rules.items, data.transactions
    if t is None or (not own.labels and own.tree is None):
        return data
    occurring = _occurring(t.items, t.domain)
    new[data.item_column] = unknown = _unknown(occurring, own.names)
    hidden = frozenset(() if data.sensitive_items is None else (t.domain[i] for i in np.flatnonzero(data.sensitive_items)))
    is_global = own.is_global(hidden)
    tree = own.tree
    if tree is None and not is_global:
        tree = nested_tree(own.labels)
    if tree is not None:
        linkable = {text: members for text, members in own.labels.items() if hidden.isdisjoint(members)}
        root = np.full(len(unknown), tree.root, np.int32)
        tree = tree_with(tree, own.names, unknown, beside_neighbours(tree, linkable, unknown) if is_global else root)
    if not is_global or rules.has_policies:
        return data if tree is None else data.with_item_hierarchy(tree)
    data = data.with_item_hierarchy(tree or tree_of_groups(own, unknown))
    assert data.transactions is not None
    domain = data.transactions.domain
    found = in_groups(domain, own, hidden, frozenset(occurring)) if tree is None else at_nodes(tree, own.labels, hidden)
    if found is not None:
        recoded[data.item_column] = found
    return data


def _occurring(codes: Ids, domain: Sequence[str]) -> tuple[str, ...]:
    return tuple(domain[c] for c in np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(domain))).tolist())


def _unknown(occurring: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in occurring if name not in names)


def _outside(rules: Rules, unknown: Sequence[str]) -> tuple[str, ...]:
    """The numbers that no range has."""
    spans = [(min(map(float, members)), max(map(float, members))) for members in rules.labels.values()]
    return tuple(name for name in unknown if not any(low <= float(name) <= high for low, high in spans))


def _coarse(data: Dataset, recoded: Mapping[str, Recoded]) -> Dataset:
    """The data with labels in place of values."""
    columns = tuple(
        _coarse_column(column, recoded[column.name]) if column.name in recoded else column for column in data.columns
    )
    if (found := recoded.get(data.item_column)) is None:
        return replace(data, columns=columns)
    t = data.transactions
    assert t is not None
    offsets, items = collapse(t.offsets, found.image[t.items])
    sensitive = None
    if data.sensitive_items is not None:
        sensitive = np.zeros(len(found.names), np.bool_)
        sensitive[found.image[np.flatnonzero(data.sensitive_items)]] = True
    return replace(
        data,
        columns=columns,
        transactions=Transactions(offsets, items, found.names),
        item_hierarchy=found.tree,
        sensitive_items=sensitive,
    )


def _coarse_column(column: Column, found: Recoded) -> Column:
    codes = np.append(found.image, np.int32(-1))[column.codes]
    if found.tree is not None or column.values is None:
        return Column(column.name, column.role, "categorical", codes, found.names, hierarchy=found.tree)
    return Column(column.name, column.role, "numeric", codes, found.names, np.array([float(name) for name in found.names]))
