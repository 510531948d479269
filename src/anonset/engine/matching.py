"""The verdict on matches: each group of originals beside what is published of it, which the verifier brings together itself."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anonset.engine.beside import RecordPairs, copies_of, published_guide
from anonset.engine.coding import Answer
from anonset.engine.driver import Driver
from anonset.engine.parting import read_part, write_parts
from anonset.engine.questions import Context, Summed
from anonset.engine.source import Piece, PieceSource
from anonset.engine.spilling import Slices, slices_of, spill
from anonset.engine.writing import MATCHES, asjson, unjson
from anonset.errors import GuaranteeViolated
from anonset.model.guarantees import Guarantee
from anonset.model.verdict import Finding
from anonset.verify.findings import fails
from anonset.verify.parts import MATCHED, check_matched, together
from anonset.verify.reading.parts import GROUP, ROW, back_frame, read_matched

ORIGINALS, BESIDE = "originals", "beside"


@dataclass(frozen=True, eq=False)
class Deal(RecordPairs):
    """The originals of each piece, and what is published of them, written for their groups."""

    groups: int
    name: ClassVar[str] = "bringing originals together"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """Where the records of a piece are for each group: at the same places in both files."""
        number, piece = unit
        frame = back_frame(self.copies(context), number, piece.rows, piece.first)
        group = frame[GROUP].fill_null(-1).to_numpy()
        if group.min(initial=0) < 0 or group.max(initial=0) >= self.groups:
            raise GuaranteeViolated("a record is in a group that does not exist")
        spill(frame, group, self.groups, context.work / BESIDE, number)
        return write_parts(context.batch(piece), piece.first, group, self.groups, context.work / ORIGINALS, number)


@dataclass(frozen=True, eq=False)
class Match(Summed):
    """What each group says about guarantees of matches, given by number."""

    guarantees: tuple[tuple[int, Any], ...]
    name: ClassVar[str] = "looking at matches"

    def ask(self, unit: Slices, context: Context) -> Answer:
        """The findings of one group."""
        original, rows = read_part(unit, context, ORIGINALS)
        frame, order = unit.read(context.work / BESIDE), np.argsort(rows)
        assert np.array_equal(frame[ROW].to_numpy(), rows), "both were dealt out alike"
        original = original.take(order)
        release = read_matched(frame[order], published_guide(context), original, rows[order])
        return {"said": asjson([{n: asdict(check_matched(release, original, g)) for n, g in self.guarantees}])}

    def both(self, first: Answer, second: Answer) -> Answer:
        """The findings of both."""
        return {"said": asjson(unjson(first["said"]) + unjson(second["said"]))}


def matched_findings(
    driver: Driver, source: PieceSource, counted: Answer, guarantees: Sequence[Guarantee]
) -> dict[int, Finding]:
    """The verdict on each guarantee of matches, by its number; `counted` says which parts there are."""
    asked = tuple((n, g) for n, g in enumerate(guarantees) if isinstance(g, MATCHED))
    matches = driver.context.work / MATCHES
    if not asked or not matches.is_dir():
        return {n: fails(g.id, "there are no assignments, so nothing says who may be whom") for n, g in asked}
    groups = int(pl.scan_parquet(matches / "*.parquet").select(pl.col("group").max()).collect().item() or 0) + 1
    deal = Deal(copies_of(counted), min(groups, source.rows))
    dealt = driver.ask(deal, list(enumerate(source.pieces)), groups, into=(ORIGINALS, BESIDE))
    parts = unjson(driver.ask(Match(asked), slices_of(dealt))["said"])
    return {n: together([_finding(part[str(n)]) for part in parts]) for n, _ in asked}


def _finding(said: dict[str, Any]) -> Finding:
    return Finding(**said | {"witnesses": tuple(said["witnesses"])})
