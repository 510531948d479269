import time

import pytest
from numba.core import event

from anonset.algorithms.rt.search_budget import SearchBudget, parse_steps, working_time
from anonset.errors import ParameterError
from anonset.model.progress import silent


def test_the_clock_stands_still_while_kernels_compile():
    with working_time() as clock:
        begin = clock()
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            time.sleep(0.3)
        compiled = clock() - begin
        time.sleep(0.05)

        assert compiled < 0.2
        assert clock() - begin >= 0.05


def test_time_is_shared_by_starts_and_rounds():
    now = [0.0]
    budget = SearchBudget(10.0, "", silent, lambda: now[0])

    now[0] = 3.9
    assert not budget.is_spent
    now[0] = 4.0
    assert budget.is_spent
    budget.start_rounds()
    assert not budget.is_spent
    now[0] = 10.0
    assert budget.is_spent


def test_steps_are_counted_instead_of_time():
    budget = SearchBudget(0.0, "1+2", silent)

    assert not budget.is_spent
    budget.step()
    assert budget.is_spent
    budget.start_rounds()
    budget.step()
    assert not budget.is_spent
    budget.step()
    assert (budget.is_spent, budget.steps) == (True, "1+2")


def test_what_is_no_number_of_steps_is_refused():
    with pytest.raises(ParameterError, match=r"12\+7"):
        parse_steps("many")
