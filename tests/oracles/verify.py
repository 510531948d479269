"""The guarantees, word by word: slow loops over sets of texts, for small releases."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

from anonset.model.labels import GeneralizedItems, Ranges


def shown_cell(column, r):
    """What a reader sees in a cell: a text and what it means."""
    a = column.codes[r]
    if a < 0:
        return None
    labels = column.labels
    if isinstance(labels, Ranges):
        return labels.texts[a], labels.low[a], labels.high[a]
    return (labels.texts[a],)


def quasi_rows(original, release):
    """What each record shows in its quasi columns."""
    quasi = {column.name for column in original.quasi}
    columns = [column for column in release.columns if column.name in quasi]
    return [tuple(shown_cell(column, r) for column in columns) for r in range(len(release))]


def members_of(items, a):
    """The names of the items that a label stands for."""
    return {items.domain[i] for i in items.labels.members[items.labels.offsets[a] : items.labels.offsets[a + 1]]}


def labels_of(items, r):
    """The labels a record shows, as (text, names)."""
    shown = items.shown[items.offsets[r] : items.offsets[r + 1]]
    return [(items.labels.texts[a], frozenset(members_of(items, a))) for a in shown]


def item_rows(release, sensitive):
    """The labels each record shows, but for those of sensitive items only."""
    rows = range(len(release))
    return [frozenset(text for text, names in labels_of(release.items, r) if not names <= set(sensitive)) for r in rows]


def sensitive_of(original):
    """The names of the sensitive items."""
    if original.sensitive_items is None:
        return set()
    return {name for name, s in zip(original.transactions.domain, original.sensitive_items, strict=True) if s}


def answer(supports, k):
    """Whether all supports reach k, how many do not, and the smallest."""
    supports = list(supports)
    short = sum(n < k for n in supports)
    return short == 0, short, min(supports, default=None)


def k_anonymity(original, release, g):
    return answer(Counter(quasi_rows(original, release)).values(), g.k)


def sets_up_to(record, m, least=1):
    return [frozenset(known) for size in range(least, m + 1) for known in combinations(sorted(record), size)]


def km_anonymity(original, release, g):
    records = item_rows(release, sensitive_of(original))
    return answer(Counter(known for record in records for known in sets_up_to(record, g.m)).values(), g.k)


def complete_k(original, release, g):
    records = item_rows(release, sensitive_of(original))
    return answer([sum(record <= other for other in records) for record in set(records)], g.k)


def constraints(original, release, g):
    possible = [set().union(*(names for _, names in labels_of(release.items, r))) for r in range(len(release))]
    supports = [sum(set(itemset) <= names for names in possible) for itemset in g.itemsets]
    return answer([n for n in supports if n > 0], g.k)


def k_km(original, release, g, sensitive=None):
    groups = quasi_rows(original, release)
    records = item_rows(release, sensitive_of(original) if sensitive is None else sensitive)
    rows = zip(groups, records, strict=True)
    counts = Counter((group, known) for group, record in rows for known in sets_up_to(record, g.m, least=0))
    return answer(counts.values(), g.k)


def k_lm(original, release, g):
    _, violations, support = k_km(original, release, g, g.sensitive)
    rows = range(len(release))
    groups, records = quasi_rows(original, release), item_rows(release, g.sensitive)
    secrets = [set().union(*(names for _, names in labels_of(release.items, r))) & set(g.sensitive) for r in rows]
    matches = {(groups[r], known) for r in rows for known in sets_up_to(records[r], g.m, least=0)}
    for group, known in matches:
        held = [secrets[r] for r in rows if groups[r] == group and known <= records[r]]
        violations += sum(Fraction(sum(name in s for s in held), len(held)) > Fraction(1, g.l) for name in g.sensitive)
    return violations == 0, violations, support


def utility_constraints(original, release, g):
    shown = {label for r in range(len(release)) for label in labels_of(release.items, r)}
    outside = [names for _, names in shown if len(names) > 1 and not any(names <= set(group) for group in g.groups)]
    visible = set().union(*(names for _, names in shown))
    occurring = set().union(*original.transactions.records()) - sensitive_of(original)
    too_many = len(occurring - visible) > g.suppression * len(occurring)
    return not outside and not too_many, len(outside) + too_many, None


def matches(original, release, r, p):
    """[004]: whether original record r is a possible world of published record p."""
    items, secret = release.items, sensitive_of(original)
    base = {items.domain[i] for i in items.base[items.base_offsets[p] : items.base_offsets[p + 1]]} - secret
    distance = {items.domain[i] for i in items.distance[items.distance_offsets[p] : items.distance_offsets[p + 1]]} - secret
    different = (list(original.transactions.records())[r] - secret) ^ base
    quasi = {column.name: column for column in original.quasi}
    covered = all(covers(quasi[c.name], c, r, p) for c in release.columns if c.name in quasi)
    return different <= distance and len(different) <= items.threshold[p] and covered


def nr_k(original, release, g):
    """Tries every choice of k disjoint assignments."""
    n = len(release)
    edges = {(r, p) for r, p in product(range(n), range(n)) if matches(original, release, r, p)}
    perfect = [frozenset(enumerate(a)) for a in permutations(range(n)) if set(enumerate(a)) <= edges]
    return any(len(frozenset().union(*some)) == n * g.k for some in combinations(perfect, g.k))


def covers(column, published, r, p):
    """Whether published cell p stands for original value r."""
    code, a, labels = column.codes[r], published.codes[p], published.labels
    if a < 0 or code < 0:
        return a < 0 if code < 0 and a < 0 else code < 0 and covers_anything(column, labels, a)
    if isinstance(labels, Ranges):
        return labels.low[a] <= column.values[code] <= labels.high[a]
    return int(code) in labels.members[labels.offsets[a] : labels.offsets[a + 1]].tolist()


def covers_anything(column, labels, a):
    if not isinstance(labels, Ranges):
        known = column.hierarchy is not None and not column.hierarchy.derived
        held = range(len(column.domain)) if known else column.codes[column.codes >= 0].tolist()
        return set(held) <= set(labels.members[labels.offsets[a] : labels.offsets[a + 1]].tolist())
    seen = [column.values[c] for c in column.codes if c >= 0]
    return all(labels.low[a] <= value <= labels.high[a] for value in seen)


def untrue_cells(original, release):
    """Pairs of a published record and a column whose cell is not true."""
    found = set()
    for published in release.columns:
        column = original.column(published.name)
        for p, r in enumerate(release.rows):
            fine = covers(column, published, r, p)
            if column.role != "quasi" and published.codes[p] >= 0:
                a, labels = published.codes[p], published.labels
                single = labels.low[a] == labels.high[a] if isinstance(labels, Ranges) else labels.sizes[a] == 1
                fine = fine and single and column.codes[r] >= 0
            if not fine:
                found.add((p, published.name))
    return found


def untrue_items(original, release):
    """How many shown labels, items and kinds of labels are not true."""
    items, secret = release.items, sensitive_of(original)
    records = list(original.transactions.records())
    suppressed = {items.domain[i] for i in items.suppressed}
    count, used = 0, set()
    for p, r in enumerate(release.rows):
        shown = labels_of(items, p)
        used |= set(shown)
        count += sum(not names & records[r] for _, names in shown)
        visible = set().union(*(names for _, names in shown))
        count += len(records[r] - visible - (suppressed - secret))
    count += sum(bool(names & suppressed) for _, names in used)
    count += sum(bool(names & secret) and len(names) > 1 for _, names in used)
    return count


def untrue_worlds(original, release):
    """Published records that their original does not match, and those whose sensitive items are not as they are."""
    assert not isinstance(release.items, GeneralizedItems)
    items, secret, count = release.items, sensitive_of(original), 0
    records = list(original.transactions.records())
    for p, r in enumerate(release.rows):
        base = {items.domain[i] for i in items.base[items.base_offsets[p] : items.base_offsets[p + 1]]}
        distance = {items.domain[i] for i in items.distance[items.distance_offsets[p] : items.distance_offsets[p + 1]]}
        different = (base ^ records[r]) - secret
        count += not (different <= distance - secret and len(different) <= items.threshold[p])
        count += bool((base ^ records[r]) & secret or distance & secret)
    return count


def sensitive_groups(original, release, name):
    """The texts of a column, group by group."""
    column = next(column for column in release.columns if column.name == name)
    groups = {}
    for r, shown in enumerate(quasi_rows(original, release)):
        groups.setdefault(shown, []).append(shown_cell(column, r))
    return list(groups.values())


def l_diversity(original, release, g):
    """How many groups are not diverse."""
    count = 0
    for values in sensitive_groups(original, release, g.column):
        often = sorted(Counter(values).values(), reverse=True)
        n = len(values)
        fine = {
            "distinct": len(often) >= g.l,
            "entropy": Fraction(n) ** n >= Fraction(g.l) ** n * prod(Fraction(c) ** c for c in often),
            "recursive": often[0] < Fraction(str(g.c)) * sum(often[g.l - 1 :]),
        }
        count += not fine[g.kind]
    return count


def t_closeness(original, release, g):
    """How many groups are too far away; a transport problem over the values in their order, or all at distance 1."""
    groups = sensitive_groups(original, release, g.column)
    everyone = [value for values in groups for value in values]
    numeric = original.column(g.column).kind == "numeric" and None not in everyone
    domain = sorted(set(everyone), key=lambda value: float(value[0]) if numeric else str(value))
    count = 0
    for values in groups:
        gap = [Fraction(values.count(v), len(values)) - Fraction(everyone.count(v), len(everyone)) for v in domain]
        if numeric:
            moved = sum(abs(sum(gap[: i + 1])) for i in range(len(domain))) / max(1, len(domain) - 1)
        else:
            moved = sum(part for part in gap if part > 0)
        count += moved > Fraction(str(g.t))
    return count
