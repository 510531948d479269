"""[004], tables 1, 3 and 4: the release carries nonreciprocal 3-anonymity and 3-diversity."""

import numpy as np
import pytest

from anonset.model.guarantees import NrK, NrL
from anonset.verify import verify
from anonset.verify.uncertain_matches import UncertainSets
from papers import tables_004


def test_the_assignments_are_the_graph_of_table_4():
    release = tables_004.table_3()

    found = [tuple(np.sort(np.argwhere(release.assignments == p)[:, 1] + 1).tolist()) for p in range(6)]
    assert tuple(found) == tables_004.MATCHES_OF_PUBLISHED


def test_possible_worlds_hold_the_graph_of_table_4_and_some_records_more():
    originals, published = UncertainSets.of(tables_004.table_1(), tables_004.table_3()).all_matches(10_000)

    found = [set((originals[published == p] + 1).tolist()) for p in range(6)]
    more = [sorted(real - set(graph)) for real, graph in zip(found, tables_004.MATCHES_OF_PUBLISHED, strict=True)]
    # r5 = 1110, for one, differs from the first base, 1101, in its last two bits, and both are uncertain
    assert more == [[5], [4], [5], [5], [], [3]]


@pytest.mark.parametrize("assignments", [True, False])
def test_table_3_is_3_anonymous_with_its_assignments_or_without(assignments):
    verdict = verify(tables_004.table_1(), tables_004.table_3(assignments), [NrK(3)])

    verdict.require()
    assert verdict.findings[0].support == 3


def test_table_3_is_3_diverse():
    assert verify(tables_004.table_1(), tables_004.table_3(), [NrL(3, "Religion")]).holds


def test_table_3_is_not_4_anonymous():
    finding = verify(tables_004.table_1(), tables_004.table_3(assignments=False), [NrK(4)], truthful=False).findings[0]

    assert (finding.holds, finding.violations, finding.support) == (False, 4, 3)
    assert "published record 4 matches 3 original records; 4 are promised" in finding.witnesses
