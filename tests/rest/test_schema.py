"""Random requests, one after the other, as the description of the API allows them: none fails in a way it does not tell.

They are made to the whole server with accounts, so that schemathesis also sees what happens without a token.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from anonset.server.access import Access
from anonset.server.app import create_app
from anonset.server.sessions import Sessions
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
    bench.accounts.add("rex", "release")
    access = Access(Sessions(bench.store), accounts=bench.accounts)
    headers = {"Authorization": f"Bearer {bench.accounts.make_token('rex')}"}
    app = create_app(bench, access, ["localhost", "testserver"])
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=headers), headers
    bench.close()


@pytest.fixture(scope="module")
def looking(schema):
    """The headers of an account that may look."""
    app = schema[0].app
    app.access.accounts.add("lou", "look")
    return {"Authorization": f"Bearer {app.access.accounts.make_token('lou')}"}


def test_any_sequence_of_requests(schema):
    described, headers = schema

    class Machine(described.as_state_machine()):
        def get_call_kwargs(self, case):
            return {"headers": headers}

        def validate_response(self, response, case, additional_checks=None, **more):
            case.validate_response(response, excluded_checks=refused_by_meaning())

    Machine.run(settings=settings(max_examples=15, stateful_step_count=8, **QUICK))

    assert described.raw_schema["paths"]


def test_every_route_alone(schema):
    described, headers = schema
    operations = [result.ok() for result in described.get_all_operations()]

    for operation in operations:

        @settings(max_examples=6, **QUICK)
        @given(case=operation.as_strategy())
        def check(case):
            case.call_and_validate(excluded_checks=refused_by_meaning(), headers=headers)

        check()

    assert len(operations) > 40


def test_no_route_that_changes_anything_is_open_to_who_may_look(schema, looking):
    described, _ = schema
    asks = {"/projects/{project}/exposure", "/projects/{project}/runs/{run}/candidates", "/projects/{project}/differences"}
    accepted = []
    for result in described.get_all_operations():
        operation = result.ok()
        if operation.method.upper() == "GET" or operation.path.removeprefix("/api") in asks:
            continue

        @settings(max_examples=3, **QUICK)
        @given(case=operation.as_strategy())
        def check(case):
            status = case.call(headers=looking).status_code
            if status < 400:
                accepted.append(f"{case.operation.method} {case.operation.path} {status}")

        check()

    assert accepted == []
