"""The verbs a worker knows."""

from collections.abc import Callable
from typing import Any

from anonset.workbench.worker import checking, databases, inspecting, looking, promising, repeating, running, versus

VERBS: dict[str, Callable[..., Any]] = {
    "take_in": looking.take_in,
    "look": looking.look,
    "tree": looking.tree,
    "find": looking.find,
    "preview": looking.preview,
    "export": looking.export,
    "check_edit": looking.check_edit,
    "remarks": promising.remarks,
    "look_at_rules": promising.look_at_rules,
    "make_rules": promising.make_rules,
    "read_rules": promising.read_rules,
    "supports": looking.supports,
    "items": looking.items,
    "described": looking.described,
    "warm_up": running.warm_up,
    "make": running.make,
    "advise": running.advise,
    "points": running.points,
    "compare": inspecting.compare,
    "story": inspecting.story,
    "worst": inspecting.worst,
    "check": inspecting.check,
    "check_file": checking.check_file,
    "candidates": inspecting.candidates,
    "lab": inspecting.lab,
    "cut": inspecting.cut,
    "tables": databases.tables,
    "fetch": databases.fetch,
    "write_table": databases.write_table,
    "kept": versus.kept,
    "records": versus.records,
    "measures": versus.measures,
    "kit": repeating.kit,
}
