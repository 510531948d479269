"""What a check found."""

from dataclasses import asdict, dataclass
from typing import Any

from anonset.errors import GuaranteeViolated
from anonset.model.dataset import EACH_RECORD
from anonset.notebook import card, table


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question: does this guarantee hold, and what is the worst place?

    `support` is that of the worst group or itemset found; `checked` is false where the check would have been too large,
    which counts as not holding. `unit` is what was counted, people or records, if anything was; `people` the fewest people of
    any group or itemset, where they could be counted.
    """

    guarantee: str
    holds: bool
    violations: int = 0
    worst: str = ""
    support: int | None = None
    witnesses: tuple[str, ...] = ()
    checked: bool = True
    unit: str = ""
    people: int | None = None

    @property
    def state(self) -> str:
        """The state as text: holds, DOES NOT HOLD or not checked."""
        return "not checked" if not self.checked else "holds" if self.holds else "DOES NOT HOLD"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the independent verifier found.

    Attributes
    ----------
    findings : tuple of Finding
        One finding for each guarantee that was checked.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> verdict = anonset.anonymize(data, "lift", k=2, m=2).verify()
    >>> verdict.holds, verdict.violations
    (True, 0)
    """

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether something was checked and everything holds."""
        return bool(self.findings) and all(finding.holds and finding.checked for finding in self.findings)

    @property
    def unit(self) -> str:
        """What was counted: people where every finding that counts did so, records otherwise."""
        counted = [finding.unit for finding in self.findings if finding.unit]
        return "people" if counted and all(unit == "people" for unit in counted) else "records"

    @property
    def fewest_people(self) -> int | None:
        """The fewest people of any group or itemset, where they were counted and records are more."""
        fewer = [f.people for f in self.findings if f.unit == "records" and f.people is not None]
        return min(fewer, default=None)

    @property
    def counted(self) -> str:
        """A sentence about what was counted; empty where no finding counts."""
        if self.unit == "people":
            return "counted: people"
        if self.fewest_people is not None:
            few = f"as few as {self.fewest_people:,} {'person' if self.fewest_people == 1 else 'people'}"
            return f"counted: records, of which several are one person's (accepted); a group or an itemset has {few}"
        return f"counted: records; {EACH_RECORD}" if any(finding.unit for finding in self.findings) else ""

    @property
    def violations(self) -> int:
        """The number of violations over all findings."""
        return sum(finding.violations for finding in self.findings)

    def __repr__(self) -> str:
        parts = (f"{finding.guarantee} {finding.state}" for finding in self.findings)
        return f"<Verdict: {', '.join(parts) or 'nothing was checked'}>"

    def _repr_html_(self) -> str:
        rows = [(f.guarantee, f.state, f.violations, "; ".join(f.witnesses[:1]) or f.worst) for f in self.findings]
        title = "Verdict: everything holds" if self.holds else "Verdict: NOT everything holds"
        return card(title, table(("promise", "found", "violations", "the worst place"), rows))

    def as_json(self) -> dict[str, Any]:
        """What it says in sum, and its findings."""
        return {
            "holds": self.holds,
            "violations": self.violations,
            "unit": self.unit,
            "counted": self.counted,
            "findings": [asdict(finding) for finding in self.findings],
        }

    def require(self) -> None:
        """Raise unless everything holds.

        Raises
        ------
        GuaranteeViolated
            With the first guarantee that does not hold or was not checked, and a witness.
        """
        for finding in self.findings:
            if not finding.checked:
                raise GuaranteeViolated(f"{finding.guarantee} was not checked: {finding.worst}")
            if not finding.holds:
                witness = finding.witnesses[0] if finding.witnesses else finding.worst
                count = f"{finding.violations} violation{'s' if finding.violations != 1 else ''}"
                raise GuaranteeViolated(f"{finding.guarantee} does not hold ({count}): {witness}")
        if not self.findings:
            raise GuaranteeViolated("nothing was promised, so nothing was checked")
