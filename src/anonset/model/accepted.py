"""What a publisher insists on although it is refused otherwise."""

from collections.abc import Collection
from dataclasses import dataclass

LOST_SHARE = 0.9  # of an attribute that may say "anything" where nobody insists


@dataclass(frozen=True, slots=True)
class Accepted:
    """Columns that may go out although nothing covers them or they nearly name people, and whether any loss will do.

    `repeats`: records may be counted although several are one person's. It is recorded wherever the release is described.
    """

    exposure: tuple[str, ...] = ()
    loss: bool = False
    repeats: bool = False

    def takes_repeats(self, tied: Collection[str]) -> bool:
        """Whether rows of one person may be counted as people; naming all columns that tie them says so too."""
        return self.repeats or bool(tied and set(tied) <= set(self.exposure))
