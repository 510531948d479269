"""Random requests, one after the other, as the description of the API allows them: none fails in a way it does not tell."""

import pytest
from hypothesis import HealthCheck, given, settings

from anonset.rest import create_api
from anonset.workbench import Workbench

pytestmark = [pytest.mark.web, pytest.mark.filterwarnings("ignore")]
schemathesis = pytest.importorskip("schemathesis")
QUICK = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


def refused_by_meaning():
    """The checks that do not know what data and decisions mean: a well-formed request may ask for what they do not allow."""
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    return [positive_data_acceptance]


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    bench = Workbench(tmp_path_factory.mktemp("store"), processes=1, largest_upload=100_000)
    bench.runs.algorithms()  # a worker that is up answers within the time a request gets
    yield schemathesis.openapi.from_asgi("/openapi.json", create_api(bench))
    bench.close()


def test_any_sequence_of_requests(schema):
    class Machine(schema.as_state_machine()):
        def validate_response(self, response, case, additional_checks=None, **more):
            case.validate_response(response, excluded_checks=refused_by_meaning())

    Machine.run(settings=settings(max_examples=15, stateful_step_count=8, **QUICK))

    assert schema.raw_schema["paths"]


def test_every_route_alone(schema):
    operations = [result.ok() for result in schema.get_all_operations()]

    for operation in operations:

        @settings(max_examples=6, **QUICK)
        @given(case=operation.as_strategy())
        def check(case):
            case.call_and_validate(excluded_checks=refused_by_meaning())

        check()

    assert len(operations) > 40
