"""Sets of clusters that merge, are dropped and split again, against writing every set anew from its items."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.constraints._kernels import clusters as kernel
from cluster_records import rows_of, sets_in


class Sets:
    """Sets of items under a clustering, in arrays that the kernels change in place."""

    def __init__(self, sets, d):
        self.sets, self.cluster_of = sets, np.arange(d, dtype=np.int32)
        self.rows = rows_of(sets)
        self.full, self.items = self.rows[1].copy(), self.rows[2].copy()
        self.holders, self.used = kernel.gather_holders(self.rows, d)

    def members(self, cluster):
        return np.flatnonzero(self.cluster_of == cluster).tolist()

    def make_room(self, room):
        """Room for that much, and none to spare: what is left behind must not be read again."""
        pool, self.used = kernel.compact_pool(self.holders, room)
        self.holders = (pool, *self.holders[1:])

    def join(self, keep, gone):
        room = int(self.holders[2][keep] + self.holders[2][gone])
        self.make_room(room)
        before = self.used
        held_both = [r for r, s in enumerate(sets_in(self.rows)) if {keep, gone} <= set(s)]
        self.used = kernel.join(keep, gone, self.rows, self.holders, before)
        assert sorted(self.holders[0][self.used : before + room].tolist()) == held_both
        self.cluster_of[self.cluster_of == gone] = keep

    def drop(self, cluster):
        kernel.drop(cluster, self.rows, self.holders)
        self.cluster_of[self.cluster_of == cluster] = -1

    def take_out(self, item):
        cluster = int(self.cluster_of[item])
        others = [i for i in self.members(cluster) if i != item]
        self.make_room(2 * int(self.holders[2][cluster]))
        self.cluster_of[item], self.cluster_of[others] = item, others[0]
        original = (self.full, self.items, self.cluster_of)
        self.used = kernel.take_out(item, cluster, others[0], *original, self.rows, self.holders, self.used)

    def check(self):
        """Sets and holders are those that the clustering makes of the items."""
        expected = [sorted({int(self.cluster_of[i]) for i in s} - {-1}) for s in self.sets]
        assert sets_in(self.rows) == expected
        pool, first, count = self.holders
        for c in set(self.cluster_of.tolist()) - {-1}:
            found = pool[first[c] : first[c] + count[c]].tolist()
            assert sorted(found) == [r for r, s in enumerate(expected) if c in s]


@given(st.integers(2, 7), st.data())
def test_changes_leave_what_writing_anew_would(d, draw):
    sets = Sets(draw.draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1), max_size=8)), d)
    sets.check()

    for _ in range(draw.draw(st.integers(1, 6))):
        alive = sorted(set(sets.cluster_of.tolist()) - {-1})
        large = [i for c in alive for i in sets.members(c) if len(sets.members(c)) > 1]
        changes = [*(["join"] * (len(alive) > 1)), *(["drop"] * bool(alive)), *(["take out"] * bool(large))]
        match draw.draw(st.sampled_from(changes)) if changes else "":
            case "join":
                sets.join(*sorted(draw.draw(st.permutations(alive))[:2]))
            case "drop":
                sets.drop(draw.draw(st.sampled_from(alive)))
            case "take out":
                sets.take_out(draw.draw(st.sampled_from(large)))
        sets.check()


@given(st.integers(1, 6), st.data())
def test_sets_are_written_from_their_items(d, draw):
    sets = Sets(draw.draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1), max_size=8)), d)
    which = sorted(draw.draw(st.sets(st.integers(0, len(sets.sets) - 1)))) if sets.sets else []
    sets.cluster_of[:] = draw.draw(st.lists(st.integers(-1, d - 1), min_size=d, max_size=d))

    kernel.write(np.array(which, np.int32), sets.full, sets.items, sets.cluster_of, sets.rows)

    for r, found in enumerate(sets_in(sets.rows)):
        anew = sorted({int(sets.cluster_of[i]) for i in sets.sets[r]} - {-1})
        assert found == (anew if r in which else sorted(sets.sets[r]))
