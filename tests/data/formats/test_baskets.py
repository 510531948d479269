"""Few bytes are read without a compiled kernel, and as it reads them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data.formats import baskets
from anonset.errors import InputError

tokens = st.one_of(st.integers(-(10**18) + 1, 10**18 - 1).map(str), st.sampled_from(["0", "00", "-0", "-", "7x", "1" * 19]))
texts = st.lists(st.one_of(tokens, st.sampled_from([" ", "\n", "\r\n", "\t", "\x0b"])), min_size=1).map("".join)


def parsed(data, few, monkey):
    monkey.setattr(baskets, "FEW", few)
    try:
        found = list(baskets._parsed("f.dat", iter([data])))
        offsets = np.cumsum([0, *(n for part in found for n in np.diff(part[0]))])
        return offsets, np.concatenate([part[1] for part in found]), found[-1][2]
    except InputError as error:
        return str(error)


@given(texts)
def test_few_bytes_are_read_as_many_are(text):
    with pytest.MonkeyPatch.context() as monkey:
        quick, compiled = parsed(text.encode(), 1 << 16, monkey), parsed(text.encode(), 0, monkey)

    assert type(quick) is type(compiled)
    if isinstance(quick, str):
        assert quick == compiled
    else:
        for mine, other in zip(quick, compiled, strict=True):
            np.testing.assert_array_equal(mine, other)
            assert mine.dtype == other.dtype
