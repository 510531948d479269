"""Privacy and utility policies in files: TOML, JSON, or CSV with one itemset (or group) a line.

TOML and JSON have the keys `privacy` (itemsets, "all" together with `m`, or "transactions") and `utility` (groups), with
`suppression`, `weights` and `penalties` as further keys of utility; either half may be absent.
"""

import csv
import io
import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from anonset.data.files import as_input_errors, text, trimmed
from anonset.errors import InputError
from anonset.model.parameters import parameters
from anonset.model.policy import AllItemsets, Itemset, Itemsets, PrivacyPolicy, UtilityPolicy, WholeTransactions
from anonset.model.serialization import parsed_json, parsed_toml

KEYS = ("privacy", "m", "utility", "suppression", "weights", "penalties")
ALL, TRANSACTIONS = "all", "transactions"


class Policies(NamedTuple):
    """What one file asks for."""

    privacy: PrivacyPolicy | None = None
    utility: UtilityPolicy | None = None


def read_policies(path: str | Path, domain: Collection[str] | None = None) -> Policies:
    """Read privacy and utility policies from a TOML or JSON file.

    Parameters
    ----------
    path : str or Path
        The file.
    domain : collection of str, optional
        The items of the data; unknown items are an error.

    Returns
    -------
    Policies
        The privacy and the utility policy; a policy that the file does not contain is None.

    Raises
    ------
    InputError
        If the file is not valid.
    """
    return _read(Path(path), domain, csv_holds=None)


def read_privacy(path: str | Path, domain: Collection[str] | None = None) -> PrivacyPolicy:
    """The privacy policy in a TOML, JSON or CSV file."""
    privacy = _read(Path(path), domain, csv_holds="privacy").privacy
    if privacy is None:
        raise InputError("has no key `privacy`", file=path)
    return privacy


def read_utility(path: str | Path, domain: Collection[str] | None = None) -> UtilityPolicy:
    """The utility policy in a TOML, JSON or CSV file."""
    utility = _read(Path(path), domain, csv_holds="utility").utility
    if utility is None:
        raise InputError("has no key `utility`", file=path)
    return utility


def read_named(algorithm: type, values: Mapping[str, Any], folder: Path) -> dict[str, PrivacyPolicy | UtilityPolicy]:
    """The policies among an algorithm's parameters that the values give as names of files in a folder."""
    found: dict[str, PrivacyPolicy | UtilityPolicy] = {}
    for p in parameters(algorithm):
        name = values.get(p.name)
        if isinstance(name, str) and p.kind in (PrivacyPolicy, UtilityPolicy):
            found[p.name] = read_utility(folder / name) if p.kind is UtilityPolicy else read_privacy(folder / name)
    return found


def write_policies(path: str | Path, privacy: PrivacyPolicy | None = None, utility: UtilityPolicy | None = None) -> None:
    """Write privacy and utility policies to a TOML, JSON or CSV file; CSV can contain one of the two.

    Parameters
    ----------
    path : str or Path
        The file.
    privacy : PrivacyPolicy, optional
        The itemsets to protect.
    utility : UtilityPolicy, optional
        The groups of items that may be generalized together.

    Examples
    --------
    >>> import anonset
    >>> from anonset.model.policy import Itemsets
    >>> anonset.write_policies("policy.toml", Itemsets((("a", "b"),)))
    >>> anonset.read_policies("policy.toml").privacy.itemsets
    (('a', 'b'),)
    """
    target, values = Path(path), _values(privacy, utility)
    match target.suffix.lower():
        case ".toml":
            content = "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())
        case ".json":
            content = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
        case ".csv":
            content = _csv(values, target)
        case _:
            raise InputError("the name of a policy file must end in .toml, .json or .csv", file=target)
    with as_input_errors(target):
        target.write_text(content, encoding="utf-8", newline="")


def _read(path: Path, domain: Collection[str] | None, csv_holds: str | None) -> Policies:
    content = text(path)
    kind = path.suffix.lower()
    if kind == ".csv" and csv_holds is not None:
        policies = _from_lines(content, csv_holds, path)
    elif kind in (".toml", ".json"):
        policies = _from_keys(content, kind, path)
    else:
        wanted = ".toml or .json" if csv_holds is None else ".toml, .json or .csv"
        raise InputError(f"the name of a policy file must end in {wanted}", file=path)
    if domain is not None:
        _check_known(policies, frozenset(domain), path)
    return policies


def _from_lines(content: str, holds: str, path: Path) -> Policies:
    """One itemset or group a line, its items with commas between."""
    seen: dict[str, int] = {}
    itemsets: list[Itemset] = []
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    try:
        for row in reader:
            items = tuple(trimmed(item) for item in row)
            if not any(items):
                continue
            _check_line(items, seen if holds == "utility" else {}, path, reader.line_num)
            itemsets.append(items)
    except csv.Error as error:
        raise InputError(f"cannot be read: {error}", file=path, line=reader.line_num) from None
    if holds == "utility":
        return Policies(utility=UtilityPolicy(tuple(itemsets)))
    return Policies(privacy=Itemsets(tuple(itemsets)))


def _check_line(items: Itemset, seen: dict[str, int], path: Path, line: int) -> None:
    for item in items:
        if not item:
            raise InputError("an item is empty", file=path, line=line)
        if item in seen:
            raise InputError(f"{item!r} is on line {seen[item]} already", file=path, line=line)
        seen[item] = line


def _from_keys(content: str, kind: str, path: Path) -> Policies:
    values = parsed_toml(content, path) if kind == ".toml" else parsed_json(content, path)
    try:
        return _policies(values)
    except InputError as error:
        raise InputError(error.advice, file=path) from None


def _policies(values: Any) -> Policies:
    if not isinstance(values, dict):
        raise InputError("a table with the keys privacy or utility is expected")
    for key in values:
        if key not in KEYS:
            raise InputError(f"there is no key {key!r}; there are {', '.join(KEYS)}")
    privacy = _privacy(values["privacy"], values.get("m")) if "privacy" in values else None
    if "m" in values and values.get("privacy") != ALL:
        raise InputError("m belongs to privacy = 'all'")
    if "utility" not in values:
        stray = [key for key in ("suppression", "weights", "penalties") if key in values]
        if stray:
            raise InputError(f"{stray[0]} needs utility beside it")
        return Policies(privacy)
    suppression = values.get("suppression", 0.0)
    utility = UtilityPolicy(
        _itemsets("utility", values["utility"]),
        _number("suppression", suppression),
        _numbers("weights", values.get("weights", {})),
        _numbers("penalties", values.get("penalties", {})),
    )
    return Policies(privacy, utility)


def _privacy(value: Any, m: Any) -> PrivacyPolicy:
    if value == ALL:
        if isinstance(m, bool) or not isinstance(m, int) or m < 1:
            raise InputError(f"privacy = 'all' needs m, a whole number from 1; got {m!r}")
        return AllItemsets(m)
    if value == TRANSACTIONS:
        return WholeTransactions()
    return Itemsets(_itemsets("privacy", value))


def _itemsets(key: str, value: Any) -> tuple[Itemset, ...]:
    good = isinstance(value, list) and all(
        isinstance(items, list) and items and all(isinstance(item, str) and item for item in items) for items in value
    )
    if not good:
        also = ", 'all' or 'transactions'" if key == "privacy" else ""
        raise InputError(f"{key} must be a list of lists of items{also}")
    return tuple(tuple(items) for items in value)


def _numbers(key: str, value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(f"{key} must be a table of item = number")
    return {item: _number(f"{key} of {item!r}", number) for item, number in value.items()}


def _number(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise InputError(f"{what} must be a number from 0; got {value!r}")
    return float(value)


def _check_known(policies: Policies, domain: frozenset[str], path: Path) -> None:
    named: list[str] = []
    if isinstance(policies.privacy, Itemsets):
        named += [item for itemset in policies.privacy.itemsets for item in itemset]
    if policies.utility is not None:
        named += [item for group in policies.utility.groups for item in group]
        named += [*policies.utility.weights, *policies.utility.penalties]
    unknown = list(dict.fromkeys(item for item in named if item not in domain))
    if unknown:
        raise InputError(f"{len(unknown)} items are not in the data, e.g. {unknown[0]!r}", file=path)


def _values(privacy: PrivacyPolicy | None, utility: UtilityPolicy | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    match privacy:
        case AllItemsets(m):
            values |= {"privacy": ALL, "m": m}
        case WholeTransactions():
            values["privacy"] = TRANSACTIONS
        case Itemsets(itemsets):
            values["privacy"] = [list(itemset) for itemset in itemsets]
    if utility is not None:
        values |= {"utility": [list(group) for group in utility.groups], "suppression": utility.suppression}
        values |= {"weights": dict(utility.weights)} if utility.weights else {}
        values |= {"penalties": dict(utility.penalties)} if utility.penalties else {}
    return values


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _csv(values: dict[str, Any], path: Path) -> str:
    lists = [value for value in values.values() if isinstance(value, list)]
    if len(lists) != 1 or set(values) - {"privacy", "utility", "suppression"} or values.get("suppression"):
        raise InputError("CSV holds either itemsets or groups, and nothing beside them; write .toml or .json", file=path)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lists[0])
    return out.getvalue()
