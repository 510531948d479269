"""The array shapes that all values share."""

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]  # (n + 1,) starts at 0, ends at the number of entries, never falls
Ids = NDArray[np.int32]  # codes of values, items, labels or nodes
Rows = NDArray[np.int64]  # (n,) rows of the input
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]
