"""[000] section 6, efficiency and algorithmic choices: figure 7."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.rt.items import Items
from anonset.algorithms.rt.steps import make_step
from anonset.errors import InfeasibleError
from anonset.measure.ul_record import ul_record
from anonset.model.arrays import Rows as RowNumbers
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.reproduction.claims import Check, Claim, Experiment, Judgement, Row, Rows, Series, Value
from anonset.reproduction.claims import Plot as PlotOf
from anonset.reproduction.figures import Ratio, along, by_setting, done, lines, number, pick, ratios, table
from anonset.reproduction.materials import Materials, nested
from anonset.reproduction.paper_000_runs import (
    DELTA,
    ITEM_SHARES,
    RUM,
    SETTING,
    K,
    M,
    bounds_on_ncp,
    bounds_on_ul,
    patients,
    settings,
)
from anonset.reproduction.rules import always, at_least, at_most, lowest, reaches, untestable
from anonset.reproduction.trials import cpu_seconds, labelled, timed

RECORDS = (2_000, 4_000, 6_000, 8_000, 10_000)
K_VALUES = (15, 20, 30, 50)
SUBSET = 4_000
UP_TO_22 = 2.0
TEN_TIMES = 10.0
SAME_UL = 0.05
ROUNDING = 1e-12
