"""The algorithm to take for each kind of data where nobody named one: good within seconds, and rarely worthless."""

from typing import Any, Literal

Kind = Literal["quasi", "items", "both"]
RECOMMENDED: dict[Kind, tuple[str, dict[str, Any]]] = {
    "quasi": ("peel", {}),
    "items": ("lift", {}),
    "both": ("rt-search", {}),
}
