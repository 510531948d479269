"""What a hierarchy is built from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.model.arrays import Rows, freeze
from anonset.model.columns import Column
from anonset.model.transactions import Transactions


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The values of a domain and how often each occurs; for items also the records."""

    domain: tuple[str, ...]
    supports: Rows
    transactions: Transactions | None = None

    def __post_init__(self) -> None:
        freeze(self.supports)

    @classmethod
    def of_names(cls, domain: Sequence[str]) -> "Material":
        """Values that are said to occur equally often."""
        return cls(tuple(domain), np.ones(len(domain), np.int64))

    @classmethod
    def of_items(cls, transactions: Transactions) -> "Material":
        """The items of records."""
        return cls(transactions.domain, transactions.supports, transactions)

    @classmethod
    def of_column(cls, column: Column) -> "Material":
        """The values of a column."""
        supports = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)).astype(np.int64)
        return cls(column.domain, supports)
