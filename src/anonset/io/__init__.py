"""Reading datasets, hierarchies and policies; writing hierarchies, policies and releases."""

from anonset.io.reading import Guess, Note, guess, read, read_and_guess
from anonset.io.schema import Schema

__all__ = ["Guess", "Note", "Schema", "guess", "read", "read_and_guess"]
