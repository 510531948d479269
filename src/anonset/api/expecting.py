"""What is told to somebody who hands over something else than was expected."""

from anonset.api.release import Release
from anonset.errors import InputError
from anonset.model.dataset import Dataset


def expect_dataset(value: object) -> None:
    """Raise unless it is a dataset."""
    if not isinstance(value, Dataset):
        way_out = "anonset.read(table, quasi=[...]) makes one of a table or a file"
        also = "; anonset.anonymize_frame takes a DataFrame as it is" if hasattr(value, "__arrow_c_stream__") else ""
        raise InputError(f"a dataset is expected; got {type(value).__name__}: {way_out}{also}")


def expect_release(value: object) -> None:
    """Raise unless it is a release beside its original."""
    if not isinstance(value, Release):
        way_out = "anonset.anonymize makes one, anonset.load reads one from its folder"
        raise InputError(f"a release is expected; got {type(value).__name__}: {way_out}")
