"""What every relational algorithm asks first."""

from typing import Annotated

from anonset.errors import InfeasibleError, InputError
from anonset.model.dataset import Dataset
from anonset.model.parameters import Bounds

Suppression = Annotated[float, Bounds(0.0, 1.0), "share of the records that may be left out"]


def check_request(data: Dataset, k: int) -> None:
    """Raise unless the dataset has quasi columns and k records."""
    if not data.quasi:
        raise InputError("this needs quasi columns, and the dataset has none; name them with --quasi")
    if k > len(data):
        raise InfeasibleError(f"k={k} exceeds the {len(data)} records of the dataset")


def most_left_out(suppression: float, data: Dataset) -> int:
    """The number of records that may be left out."""
    return int(suppression * len(data) + 1e-9)
