"""Every registered algorithm, every common check, on tiny nasty datasets and on whatever Hypothesis thinks of."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import ALGORITHMS
from anonset.errors import InfeasibleError
from anonset.model.dataset import Column
from anonset.model.parameters import parameters
from anonset.testing import COMMON_CHECKS, fitting, tiny_datasets
from anonset.testing.checks import privacy_parameter, with_different_labels
from strategies import item_datasets, relational_datasets, rt_datasets

# the baseline promises what its data may not have: its check is meant to fail there
PROTECTING = [name for name in ALGORITHMS if name != "identity"]


def instance(name, value=2):
    values = {p.name: value for p in parameters(ALGORITHMS[name]) if p.required}
    return ALGORITHMS[name](**(values | {privacy_parameter(ALGORITHMS[name]): value}))


def datasets_for(needs):
    if "items" not in needs:
        return relational_datasets(min_records=2)
    if "quasi" in needs:
        return rt_datasets(min_records=2)
    return item_datasets(min_records=2)


@pytest.mark.parametrize("check", COMMON_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", PROTECTING)
@settings(max_examples=12)
@given(data=st.data())
def test_algorithm(name, check, data):
    needs = ALGORITHMS[name].needs
    dataset = data.draw(datasets_for(needs))
    if "sensitive-column" in needs:
        dataset = with_sensitive_column(dataset)
    check(instance(name), dataset)


@pytest.mark.parametrize("kind", tiny_datasets())
@pytest.mark.parametrize("name", PROTECTING)
def test_tiny_nasty_datasets_give_a_valid_release_or_a_reason(name, kind):
    dataset = fitting(tiny_datasets()[kind], ALGORITHMS[name].needs)
    for check in COMMON_CHECKS:
        if check.__name__ != "plain_data_are_protected":
            check(instance(name), dataset)
    try:
        release = instance(name, value=3).anonymize(dataset)
    except InfeasibleError as error:
        assert str(error)
    else:
        assert len(release) <= len(dataset)


def with_sensitive_column(dataset):
    codes = np.zeros(len(dataset), np.int32)
    extra = Column("label", "sensitive", "categorical", codes, ("x",))
    return with_different_labels(replace(dataset, columns=(*dataset.columns, extra)))
