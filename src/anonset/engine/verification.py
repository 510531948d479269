"""Verify the parts before they are published: count each part, and match every published record with its original."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from anonset.engine.domains import Answer
from anonset.engine.journal import Driver
from anonset.engine.measures import both_losses, losses_of
from anonset.engine.part_files import MATCHES, asjson, unjson
from anonset.engine.partitioning import read_part, write_parts
from anonset.engine.questions import Context, Summed
from anonset.engine.record_pairs import RecordPairs, SortBack, copies_of, part_path, part_release, published_guide
from anonset.engine.shuffle import Slices, slices_of, spill
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, PartialItems
from anonset.model.labels import GeneralizedItems
from anonset.model.verdict import Finding
from anonset.releases.about import Exactness
from anonset.verify.attacker_view import sensitive_names
from anonset.verify.findings import fails
from anonset.verify.margins import MARGINS, SeenItems, linkable_counts, margins_finding
from anonset.verify.parts import (
    ADDED,
    MATCHED,
    added,
    check_alone,
    check_matched,
    part_counts,
    together,
    whole_finding,
)
from anonset.verify.reading.parts import (
    GROUP,
    NUMBERS,
    ROW,
    back_frame,
    explained,
    read_matched,
    shown_numbers,
)
from anonset.verify.reading.promises import margins_of, promised
from anonset.verify.truthfulness import check_truthful, left_out


@dataclass(frozen=True, eq=False)
class PartJudge(SortBack):
    """Counts and findings of each published part; also copies its records into slices for the batches, as `SortBack` does."""

    guarantees: tuple[Guarantee, ...]
    name: ClassVar[str] = "counting what is published"

    def ask(self, unit: int, context: Context) -> Answer:
        """Return the counts and findings of one part, and write its copy for the batches."""
        about, release = published_guide(context), part_release(unit, context)
        alone = [asdict(check_alone(release, context.roster, g)) for g in _alone(self.guarantees)]
        numbers = shown_numbers(part_path(unit, context, about), about)
        said = {"findings": [alone], "seen": explained(release, about) | {NUMBERS: numbers}}
        if "margins" in about and isinstance(release.items, GeneralizedItems):
            said["margins"] = SeenItems.of(release.items, sensitive_names(context.roster)).plain()
        answer: Answer = super().ask(unit, context) | {
            "records": np.array([len(release)], np.int64),
            "exact": Exactness.of(release).counts[None],
            "said": asjson(said),
        }
        return answer | part_counts(release, context.roster, self.guarantees, about["attributes"][-1])

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the findings of both, with the counts added."""
        one, two = unjson(first["said"]), unjson(second["said"])
        seen = {name: sorted({*one["seen"][name], *two["seen"][name]}) for name in one["seen"]}
        said = {"findings": one["findings"] + two["findings"], "seen": seen}
        if "margins" in one:
            said["margins"] = SeenItems.of_parts([SeenItems.from_plain(part["margins"]) for part in (one, two)]).plain()
        rest = {key: np.concatenate([first[key], second[key]]) for key in ("part", "records", "exact")}
        return rest | added(first, second) | {"said": asjson(said)}


def margins_checked(about: dict[str, Any], counted: Answer, compared: Answer, original: Dataset) -> list[Finding]:
    """Return the finding on margins, where the release has any, from what all parts and all batches add up to."""
    margins = margins_of(about)
    if margins is None:
        return []
    said = unjson(counted["said"])
    if "margins" not in said or original.transactions is None:
        return [fails(MARGINS, "margins go with generalized items, and the release has none")]
    counts = dict(zip(original.transactions.domain, compared["linkable"].tolist(), strict=True))
    return [margins_finding(margins, promised(about, None), counts, SeenItems.from_plain(said["margins"]))]


def findings_of(
    about: dict[str, Any],
    guarantees: Sequence[Guarantee],
    answer: Answer,
    original: Dataset,
    matched: Mapping[int, Finding],
    gone: int,
    of: int,
) -> list[Finding]:
    """Return a finding for each guarantee over all parts; `gone` of `of` items are not published.

    `matched` has the findings of guarantees about matches, by the number of the guarantee.
    """
    alone = [[Finding(**f | {"witnesses": tuple(f["witnesses"])}) for f in part] for part in unjson(answer["said"])["findings"]]
    by_group = dict(zip(map(id, _alone(guarantees)), zip(*alone, strict=True), strict=True))
    found = []
    for number, guarantee in enumerate(guarantees):
        if number in matched:
            found.append(matched[number])
        elif isinstance(guarantee, PartialItems):
            holds = gone <= guarantee.share * of
            worst = f"{gone} of {of} items are not shown in their records; at most {guarantee.share:.2%} is promised"
            found.append(Finding(guarantee.id, holds, 0 if holds else gone, worst, None, () if holds else (worst,)))
        elif isinstance(guarantee, ADDED):
            found.append(whole_finding(guarantee, number, answer, about["attributes"][-1], original))
        else:
            found.append(together(list(by_group[id(guarantee)])))
    return found


def _alone(guarantees: Sequence[Guarantee]) -> list[Guarantee]:
    """Return the guarantees that can be checked in each part separately."""
    return [g for g in guarantees if not isinstance(g, (*ADDED, *MATCHED))]


@dataclass(frozen=True, eq=False)
class Compare(RecordPairs):
    """Compares every published record with its original: is it truthful, and what is lost."""

    guarantees: tuple[Guarantee, ...]
    name: ClassVar[str] = "comparing with the original"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Return false records, and the sums for the measures."""
        batch, release = self.pair(unit, context)
        partial = any(isinstance(guarantee, PartialItems) for guarantee in self.guarantees)
        generalized = isinstance(release.items, GeneralizedItems)
        gone = left_out(batch, release.items, release.rows) if partial and generalized else (0, 0)  # type: ignore[arg-type]
        found = {"said": asjson([asdict(check_truthful(batch, release))]), "not shown": np.array(gone, np.int64)}
        if batch.transactions is not None:
            counts = linkable_counts(batch)
            found["linkable"] = np.array([counts[name] for name in batch.transactions.domain], np.int64)
        return found | losses_of(batch, release, context.roster)

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the findings of both, and the sums added."""
        bad = [finding for a in (first, second) for finding in unjson(a["said"]) if not finding["holds"]]
        sums = [{name: array for name, array in a.items() if name != "said"} for a in (first, second)]
        return {"said": asjson(bad or unjson(first["said"])), **both_losses(*sums)}


def truth_of(answer: Answer) -> Finding:
    """Return one finding on truthfulness for all batches."""
    return together([Finding(**finding | {"witnesses": tuple(finding["witnesses"])}) for finding in unjson(answer["said"])])


ORIGINALS, PUBLISHED_SIDE = "originals", "beside"


@dataclass(frozen=True, eq=False)
class Deal(RecordPairs):
    """Writes the originals of each batch and their published records, in slices for their groups."""

    groups: int
    name: ClassVar[str] = "bringing originals together"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Write the records of a batch; return where those of each group are: at the same positions in both files."""
        number, ref = unit
        frame = back_frame(self.copies(context), number, ref.rows, ref.first)
        group = frame[GROUP].fill_null(-1).to_numpy()
        if group.min(initial=0) < 0 or group.max(initial=0) >= self.groups:
            raise GuaranteeViolated("a record is in a group that does not exist")
        spill(frame, group, self.groups, context.work / PUBLISHED_SIDE, number)
        return write_parts(context.batch(ref), ref.first, group, self.groups, context.work / ORIGINALS, number)


@dataclass(frozen=True, eq=False)
class Match(Summed):
    """Findings of each group on the guarantees about matches, given with their numbers."""

    guarantees: tuple[tuple[int, Any], ...]
    name: ClassVar[str] = "looking at matches"

    def ask(self, unit: Slices, context: Context) -> Answer:
        """Return the findings of one group."""
        original, rows = read_part(unit, context, ORIGINALS)
        frame, order = unit.read(context.work / PUBLISHED_SIDE), np.argsort(rows)
        assert np.array_equal(frame[ROW].to_numpy(), rows), "both were dealt out alike"
        original = original.take(order)
        release = read_matched(frame[order], published_guide(context), original, rows[order])
        return {"said": asjson([{n: asdict(check_matched(release, original, g)) for n, g in self.guarantees}])}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Return the findings of both."""
        return {"said": asjson(unjson(first["said"]) + unjson(second["said"]))}


def matched_findings(
    driver: Driver, source: BatchSource, counted: Answer, guarantees: Sequence[Guarantee]
) -> dict[int, Finding]:
    """Return the finding on each guarantee about matches, by its number; `counted` is the answer of `PartJudge`."""
    numbered = tuple((n, g) for n, g in enumerate(guarantees) if isinstance(g, MATCHED))
    matches = driver.context.work / MATCHES
    if not numbered or not matches.is_dir():
        return {n: fails(g.id, "there are no assignments, so nothing says who may be whom") for n, g in numbered}
    groups = int(pl.scan_parquet(matches / "*.parquet").select(pl.col("group").max()).collect().item() or 0) + 1
    deal = Deal(copies_of(counted), min(groups, source.rows))
    dealt = driver.ask(deal, list(enumerate(source.batches)), groups, into=(ORIGINALS, PUBLISHED_SIDE))
    parts = unjson(driver.ask(Match(numbered), slices_of(dealt))["said"])
    return {n: together([_finding(part[str(n)]) for part in parts]) for n, _ in numbered}


def _finding(said: dict[str, Any]) -> Finding:
    return Finding(**said | {"witnesses": tuple(said["witnesses"])})
