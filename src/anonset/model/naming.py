"""What to say of a name that nobody knows: the one that was meant, or all there are."""

from collections.abc import Iterable
from difflib import get_close_matches


def unknown(
    kind: str, name: object, known: Iterable[str], *, part: str = "", choose: str = "choose from", otherwise: str = ""
) -> str:
    """The sentence: no measure 'rsik'; did you mean 'risk'? Or, where none is near, what there is.

    `part` says in brackets what the name was given for; `otherwise` takes the place of a list that must not be told.
    """
    names = [*known]
    lower = {text.lower(): text for text in reversed(names)}
    near = get_close_matches(str(name).lower(), lower, n=2, cutoff=0.7)
    said = f"no {kind} {name!r}" + (f" ({part})" if part else "")
    if near:
        return f"{said}; did you mean {' or '.join(repr(lower[text]) for text in near)}?"
    return f"{said}; {otherwise or choose + ' ' + (', '.join(names) or 'none')}"
