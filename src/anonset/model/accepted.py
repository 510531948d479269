"""What a publisher insists on although it is refused otherwise."""

from dataclasses import dataclass

LOST_SHARE = 0.9  # of an attribute that may say "anything" where nobody insists


@dataclass(frozen=True, slots=True)
class Accepted:
    """Columns that may go out although nothing covers them or they nearly name people, and whether any loss will do.

    It is recorded wherever the release is described.
    """

    exposure: tuple[str, ...] = ()
    loss: bool = False
