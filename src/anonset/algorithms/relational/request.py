"""What every relational algorithm asks first."""

from anonset.errors import InfeasibleError, InputError
from anonset.model.dataset import Dataset


def check_request(data: Dataset, k: int) -> None:
    """Raise unless the dataset has quasi columns and k records."""
    if not data.quasi:
        raise InputError("this needs quasi columns, and the dataset has none; name them with --quasi")
    if k > len(data):
        raise InfeasibleError(f"k={k} exceeds the {len(data)} records of the dataset")
