"""What a check found."""

from dataclasses import asdict, dataclass
from typing import Any

from anonset.errors import GuaranteeViolated


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question: does this guarantee hold, and what is the worst place?

    `support` is that of the worst group or itemset found; `checked` is false where the check would have been too large,
    which counts as not holding.
    """

    guarantee: str
    holds: bool
    violations: int = 0
    worst: str = ""
    support: int | None = None
    witnesses: tuple[str, ...] = ()
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings about one release."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether something was checked and everything holds."""
        return bool(self.findings) and all(finding.holds and finding.checked for finding in self.findings)

    @property
    def violations(self) -> int:
        """The number of violations over all findings."""
        return sum(finding.violations for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        findings = [asdict(finding) for finding in self.findings]
        return {"holds": self.holds, "violations": self.violations, "findings": findings}

    def require(self) -> None:
        """Raise unless everything holds."""
        for finding in self.findings:
            if not finding.checked:
                raise GuaranteeViolated(f"{finding.guarantee} was not checked: {finding.worst}")
            if not finding.holds:
                witness = finding.witnesses[0] if finding.witnesses else finding.worst
                count = f"{finding.violations} violation{'s' if finding.violations != 1 else ''}"
                raise GuaranteeViolated(f"{finding.guarantee} does not hold ({count}): {witness}")
        if not self.findings:
            raise GuaranteeViolated("nothing was promised, so nothing was checked")
