"""What a workload that is to be drawn may ask for."""

from anonset.errors import ParameterError


def check_sizes(*, least: int = 1, **sizes: int) -> None:
    """Raise unless every size is a whole number of at least `least`."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise ParameterError(f"{name} of a workload must be a whole number of at least {least}; got {size!r}")


def check_share(**shares: float) -> None:
    """Raise unless every share is a number from 0 to 1."""
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ParameterError(f"{name} of a workload must be a number from 0 to 1; got {share!r}")
