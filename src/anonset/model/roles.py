"""The parts that columns play."""

from typing import Literal

Role = Literal["identifier", "quasi", "sensitive", "other"]
Kind = Literal["numeric", "categorical"]
NO_ROLE = "none"
