"""What worker processes do for the workbench; the server itself computes nothing and reads no data but pages of a copy."""

import os
import re
from dataclasses import dataclass
from typing import Any

from anonset.errors import ON_COMMAND_LINE, AnonsetError
from anonset.jobs.worker import Reporter, Serve

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PATHS = re.compile(r"(/[^\s:,;]+)+/([^\s:,;/]+)")

WORDS = {  # where the command line names a flag, a page names a place
    re.compile(r"one record a person \(--key \S+\)"): "one record a person under Data",
    re.compile(r"insist on counting rows \(--accept-repeats\)"): "insist on counting rows under Promise, Exceptions",
    re.compile(r"insist with --accept-(?:exposure (?:'[^']*'|\S+)|loss)"): "accept it under Promise, Exceptions",
    re.compile(r"not needed \(--identifier\)"): "not needed under Data",
    re.compile(r"; --other .* to publish .*| with --quasi$|: --quasi, --sensitive or --other"): "; see Data",
    re.compile(r"; --identifier leaves it out"): "; leave it out under Data",
    re.compile(r" \((?:Itemsets|UtilityPolicy)\.\w+\)"): "",
    re.compile(r"; pass --hierarchy"): "; see Hierarchies",
    re.compile(r"name one: --sheet"): "save the one you mean as a file of its own",
    re.compile(r"cast it (?:to text|in a query): --query"): "read a view that casts it to text",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A deliberate error, as it travels between processes."""

    error: str
    text: str


def make(less: int = 0) -> Serve:
    """A worker's server: a verb with its arguments in, a value or a refusal out. What it needs is loaded in the worker only.

    Its process takes less of the machine than others, by so many steps of `nice`.
    """
    if less and hasattr(os, "nice"):
        os.nice(less)
    from anonset.workbench.worker.reading import WorkerCaches
    from anonset.workbench.worker.verbs import VERBS

    desk = WorkerCaches()

    def serve(request: tuple[str, dict[str, Any], frozenset[str]], report: Reporter) -> Any:
        verb, arguments, names = request
        ON_COMMAND_LINE.set(True)  # in this process alone: the words above speak of flags
        try:
            return VERBS[verb](desk, report, **arguments)
        except AnonsetError as error:
            return Refused(type(error).__name__, told(str(error), names))

    return serve


def told(text: str, names: frozenset[str]) -> str:
    """What an error says without our paths, and without values of the data: only known names stay in quotation marks."""
    plain = PATHS.sub(r"\2", in_words(text))
    return QUOTED.sub(lambda found: found[0] if found[0][1:-1] in names else "…", plain)


def in_words(text: str) -> str:
    """A sentence with the places of the workbench instead of flags."""
    for flag, place in WORDS.items():
        text = flag.sub(place, text)
    return text
