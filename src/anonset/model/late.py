"""What layers above do for a value, found by its name when it is asked for: the value itself knows nothing above it."""

from importlib import import_module
from typing import Any


def late(place: str, *given: Any, **named: Any) -> Any:
    """What the function at a place like `tasks.frames:dataset_stream` answers."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"anonset.{module}"), name)(*given, **named)
