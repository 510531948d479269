"""The golden releases: every algorithm with its variants, by the kind of data, with parameters whose bounds bind.

`EQUAL` lists the entries of one kind that publish the same, each with the reason; all others differ.
"""

import functools
import tempfile
from pathlib import Path

import anonset
from golden.data import policy_text
from golden.releases import Case, result_of

PAIRS = {"tree": "items-in-pairs.csv"}
FEW = {"tree": "sections-in-pairs.csv"}
MERGING = ("rmerge-r", "rmerge-t", "rmerge-rt", "tmerge-r", "tmerge-t", "tmerge-rt")


@functools.cache
def policies():
    """A privacy policy of listed itemsets, and a utility policy of the departments with a tenth of the items to suppress."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "policy.toml"
        file.write_text(policy_text())
        return anonset.read_policies(file)


def _hierarchy_based():
    k7, few = {"k": 7, "m": 2}, {"k": 3, "m": 2}
    return {
        "da": Case("items", "da", k7, **PAIRS),
        "da refine": Case("items", "da", {"k": 4, "m": 3, "refine": True, "seed": 5}, **PAIRS),
        "aa": Case("items", "aa", k7, **PAIRS),
        "aa order=paper": Case("items", "aa", k7 | {"order": "paper"}, **PAIRS),
        "da order=paper": Case("items", "da", k7 | {"order": "paper"}, **PAIRS),
        "aa refine": Case("items", "aa", k7 | {"refine": True, "seed": 5}, **PAIRS),
        "aa m=3": Case("items", "aa", {"k": 4, "m": 3}, **PAIRS),
        "vpa": Case("items", "vpa", k7, **PAIRS),
        "vpa parts=2": Case("items", "vpa", k7 | {"parts": 2}, **PAIRS),
        "lra": Case("items", "lra", k7, **PAIRS),
        "lra alike=gray parts=4": Case("items", "lra", {"k": 4, "m": 2, "alike": "gray", "parts": 4}),
        "lra alike=rare": Case("items", "lra", {"k": 4, "m": 2, "alike": "rare", "parts": 3}),
        "lra alike=length": Case("items", "lra", {"k": 4, "m": 2, "alike": "length", "parts": 3}),
        "lra inner=pcta": Case("items", "lra", {"k": 4, "m": 2, "inner": "pcta", "parts": 3}),
        "lra inner=vpa": Case("items", "lra", k7 | {"inner": "vpa", "parts": 2}, **PAIRS),
        "partition": Case("items", "partition", {"k": 4}),
        "partition pairs": Case("items", "partition", {"k": 3}, **PAIRS),
        "sections oa": Case("sections", "oa", few, **FEW),
        "sections oa m=3": Case("sections", "oa", {"k": 6, "m": 3}, **FEW),
        "sections da": Case("sections", "da", few, **FEW),
        "sections aa": Case("sections", "aa", few, **FEW),
        "sections aa order=paper": Case("sections", "aa", few | {"order": "paper"}, **FEW),
        "sections aa order=paper m=3": Case("sections", "aa", {"k": 6, "m": 3, "order": "paper"}, **FEW),
        "sections vpa": Case("sections", "vpa", few, **FEW),
    }


def _lift():
    k4 = {"k": 4, "m": 2}
    return {
        "lift": Case("items", "lift", k4),
        "lift m=3": Case("items", "lift", {"k": 4, "m": 3}),
        "lift residue=drop": Case("items", "lift", k4 | {"residue": "drop"}),
        "lift residue=drop limit=0.3": Case("items", "lift", k4 | {"residue": "drop", "residue_limit": 0.3}),
        "lift minimize=ncp": Case("items", "lift", k4 | {"minimize": "ncp"}),
        "lift minimize=ul": Case("items", "lift", k4 | {"minimize": "ul"}),
        "lift minimize=ncp pairs": Case("items", "lift", k4 | {"minimize": "ncp"}, **PAIRS),
        "lift minimize=ul pairs": Case("items", "lift", k4 | {"minimize": "ul"}, **PAIRS),
        "lift no hierarchy": Case("items", "lift", k4, tree=""),
        "lift two columns of items": Case("both-items", "lift", k4, tree=""),
        "lift margins": Case("items", "lift", k4, margins=True),
    }


def _constraint_based():
    k4 = {"k": 4, "m": 2}
    both = policies()
    listed, groups = {"k": 12, "privacy": both.privacy}, {"utility": both.utility}
    return {
        "coat": Case("items", "coat", k4),
        "coat pick=commonest": Case("items", "coat", k4 | {"pick": "commonest"}),
        "coat pick=first": Case("items", "coat", k4 | {"pick": "first"}),
        "coat queue=static": Case("items", "coat", k4 | {"queue": "static"}),
        "coat weights=semantic": Case("items", "coat", k4 | {"weights": "semantic"}),
        "coat refine": Case("items", "coat", k4 | {"refine": True}),
        "coat utility": Case("items", "coat", {"k": 2, "m": 1} | groups),
        "coat listed": Case("items", "coat", listed),
        "coat listed utility": Case("items", "coat", listed | groups),
        "pcta": Case("items", "pcta", k4),
        "pcta m=3": Case("items", "pcta", {"k": 3, "m": 3}),
        "pcta queue=static": Case("items", "pcta", k4 | {"queue": "static"}),
        "pcta weights=semantic": Case("items", "pcta", k4 | {"weights": "semantic"}),
        "pcta refine": Case("items", "pcta", k4 | {"refine": True}),
        "pcta listed": Case("items", "pcta", listed),
        "pcta listed absent=merged": Case("items", "pcta", listed | {"absent": "merged"}),
        "upcta": Case("items", "upcta", k4),
        "upcta listed utility": Case("items", "upcta", listed | groups),
        "upcta utility": Case("items", "upcta", {"k": 12, "m": 1} | groups),
    }


def _relational():
    k4, suppress = {"k": 4}, {"suppression": 0.06}
    cases = {
        "cluster": Case("relational", "cluster", k4 | {"seed": 3}),
        "cluster seed=4": Case("relational", "cluster", k4 | {"seed": 4}),
        "cluster recursive": Case("relational", "cluster", k4 | {"seed": 3, "l": 2, "diversity": "recursive", "c": 2.0}),
        "cluster t": Case("relational", "cluster", k4 | {"seed": 3, "t": 0.4}),
        "cluster partition_above": Case("relational", "cluster", k4 | {"seed": 3, "partition_above": 100}),
        "mondrian relaxed": Case("relational", "mondrian", k4 | {"splits": "relaxed"}),
        "mondrian l=3": Case("relational", "mondrian", k4 | {"l": 3}),
        "mondrian entropy": Case("relational", "mondrian", k4 | {"l": 3, "diversity": "entropy"}),
        "mondrian t": Case("relational", "mondrian", k4 | {"t": 0.3}),
        "mondrian weights": Case("relational", "mondrian", k4 | {"weights": "age=3,town=0.5"}),
        "peel l=2": Case("relational", "peel", k4 | {"l": 2}),
        "peel choices": Case("relational", "peel", k4 | {"choices": 20}),
        "identity": Case("relational", "identity", {"k": 1}),
    }
    for name in ("mondrian", "incognito", "top-down", "bottom-up", "peel"):
        cases |= {name: Case("relational", name, k4), f"{name} no gaps": Case("relational", name, k4, gaps=False)}
    for name in ("incognito", "top-down", "bottom-up"):
        cases |= {f"{name} suppression": Case("relational", name, k4 | suppress, gaps=False)}
        wish = {"t": 0.3} if name == "top-down" else {"l": 4}
        cases |= {f"{name} {next(iter(wish))}": Case("relational", name, k4 | {"suppression": 0.1} | wish, gaps=False)}
    for name in ("cluster", "mondrian", "peel"):
        seed = {"seed": 3} if name == "cluster" else {}
        for recoding in ("ranges", "sets"):
            cases |= {f"{name} recoding={recoding}": Case("relational", name, k4 | seed | {"recoding": recoding})}
        cases |= {f"five digits {name}": Case("income", name, k4 | seed)}
    cases |= {"five digits incognito": Case("income", "incognito", k4 | {"suppression": 0.05})}
    return cases


def _rt(kind="rt", **more):
    k4 = {"k": 4, "m": 2, "items": "pcta"} | more
    cases = {"t-first": Case(kind, "t-first", k4), "r-first": Case(kind, "r-first", k4 | {"seed": 3})}
    cases |= {name: Case(kind, name, k4 | {"seed": 3, "delta": 0.7}) for name in MERGING}
    search = {"k": 4, "m": 2, "seed": 3, "steps": "5+3"} | more
    cases |= {
        "rt-search": Case(kind, "rt-search", search),
        "rt-search any": Case(kind, "rt-search", search | {"labels": "any"}),
    }
    return cases


def _rt_variants():
    k4 = {"k": 4, "m": 2, "seed": 3}
    merge = k4 | {"delta": 0.6}
    groups = {"utility": policies().utility}
    cases = {f"rmerge-rt items={step}": Case("rt", "rmerge-rt", merge | {"items": step}) for step in ("aa", "coat", "lift")}
    cases |= {
        f"tmerge-rt items={step}": Case("rt", "tmerge-rt", k4 | {"delta": 0.65, "items": step})
        for step in ("aa", "coat", "lift")
    }
    cases |= {f"r-first items={step}": Case("rt", "r-first", k4 | {"items": step}) for step in ("aa", "coat", "lift")}
    cases |= {
        f"rmerge-r rum={rum}": Case("rt", "rmerge-r", k4 | {"items": "pcta", "rum": rum, "delta": delta})
        for rum, delta in _RUMS
    }
    cases |= {
        f"{name} proximity=ul": Case("rt", name, merge | {"items": "pcta", "proximity": "ul"}, records=160)
        for name in ("rmerge-t", "tmerge-rt")
    }
    cases |= {
        f"{name} refine": Case("rt", name, merge | {"items": "pcta", "refine": True}) for name in ("rmerge-t", "tmerge-rt")
    }
    cases |= {
        f"rmerge-r clusters={c}": Case("rt", "rmerge-r", merge | {"items": "pcta", "clusters": c}) for c in ("mondrian", "peel")
    }
    search = k4 | {"steps": "5+3", "labels": "any"}
    return cases | {
        "rt-search tree aim=detail": Case("rt", "rt-search", search | {"labels": "tree", "aim": "detail"}),
        "rt-search tree items=lift": Case("rt", "rt-search", search | {"labels": "tree", "items": "lift"}),
        "t-first items=lift": Case("rt", "t-first", {"k": 4, "m": 2, "items": "lift"}),
        "rmerge-rt compare": Case("rt", "rmerge-rt", merge | {"items": "pcta", "compare": 20}),
        "tmerge-r tum": Case("rt", "tmerge-r", merge | {"items": "pcta", "tum": "ul-record-exact0"}),
        "rmerge-rt recoding=sets": Case("rt", "rmerge-rt", merge | {"items": "pcta", "recoding": "sets"}),
        "rmerge-rt item_weights": Case("rt", "rmerge-rt", merge | {"items": "pcta", "item_weights": "semantic"}),
        "rmerge-rt utility": Case("rt", "rmerge-rt", {"k": 4, "m": 1, "seed": 3, "delta": 0.9, "items": "coat"} | groups),
        "rt-search aim=detail": Case("rt", "rt-search", search | {"aim": "detail"}),
        "rt-search items=lift": Case("rt", "rt-search", search | {"items": "lift"}),
        "rt-search delta": Case("rt", "rt-search", search | {"delta": 0.19, "steps": "12+7"}),
        "rt-search balance": Case("rt", "rt-search", search | {"balance": 1.0}),
        "rt-search tree balance": Case("rt", "rt-search", search | {"labels": "tree", "balance": 0.8}),
        "rt-search margins": Case("rt", "rt-search", search, margins=True),
    }


_RUMS = (("discernibility", 9000), ("c-avg", 8))


def _nonreciprocal():
    k4, l3 = {"k": 4, "seed": 3}, {"l": 3, "seed": 3}
    return {
        "nr-k": Case("labelled-rt", "nr-k", k4),
        "nr-k seed=4": Case("labelled-rt", "nr-k", {"k": 4, "seed": 4}),
        "nr-k walk=closed": Case("labelled-rt", "nr-k", k4 | {"walk": "closed"}),
        "nr-k walk=backtracking": Case("labelled-rt", "nr-k", k4 | {"walk": "backtracking"}),
        "nr-k rings=many": Case("labelled-rt", "nr-k", k4 | {"rings": "many"}),
        "nr-k bits=2": Case("labelled-rt", "nr-k", k4 | {"bits": 2}),
        "nr-k rounds=0": Case("labelled-rt", "nr-k", k4 | {"rounds": 0}),
        "nr-l": Case("labelled-rt", "nr-l", l3),
        "nr-l walk=closed": Case("labelled-rt", "nr-l", l3 | {"walk": "closed"}),
        "gray-ring": Case("labelled-rt", "gray-ring", k4),
        "cahd": Case("labelled-rt", "cahd", l3),
        "cahd candidates=10": Case("labelled-rt", "cahd", l3 | {"candidates": 1}),
        "items nr-k": Case("items", "nr-k", k4),
        "items nr-l": Case("labelled-items", "nr-l", l3),
        "items gray-ring": Case("items", "gray-ring", k4),
        "items cahd": Case("labelled-items", "cahd", l3),
    }


CASES = {
    "items-by-hierarchy": _hierarchy_based,
    "items-by-lift": _lift,
    "items-by-constraints": _constraint_based,
    "relational": _relational,
    "rt": lambda: _rt() | {"identity": Case("rt", "identity", {"k": 1, "m": 1})},
    "rt-sensitive": lambda: _rt("rt-sensitive", l=2),
    "rt-variants": _rt_variants,
    "nonreciprocal": _nonreciprocal,
}

EQUAL = {  # entries that publish the same records, and why; "here": seen on these data, not true of all data
    ("aa order=paper", "da order=paper"): "here, with m = 2, both close the same pairs in the same order",
    (
        "sections oa",
        "sections aa order=paper",
        "sections vpa",
    ): "here, on a small domain, all three reach the cut of lowest NCP",
    ("sections da", "sections aa"): "here, with m = 2 and few items, both end at the same cut",
    ("lift", "lift margins"): "margins are written to about.json and leave the records as they are",
    ("rt-search any", "rt-search margins"): "margins are written to about.json and leave the records as they are",
    (
        "lift minimize=ncp",
        "lift minimize=ul",
    ): "here both losses choose the same nodes: those of a level are all of one size",
    (
        "pcta listed",
        "pcta listed absent=merged",
    ): "here other merges raise the itemset that no record holds, so both protect it",
    ("coat", "coat refine"): "here, where the rarest item goes first, nothing is left to refine",
    ("pcta", "upcta"): "without a utility policy upcta is pcta",
    ("incognito no gaps", "top-down no gaps"): "here the greedy specialization ends at the optimal levels",
    ("top-down", "bottom-up no gaps"): "both leave only stays and sexes exact; ages and towns are at their roots, gaps or not",
    ("nr-k rounds=0", "gray-ring"): "without local search nr-k has the Gray order only",
}


def entries_of(topic):
    """What makes the entries of a topic, by their names."""
    return {name: functools.partial(result_of, case) for name, case in CASES[topic]().items()}
