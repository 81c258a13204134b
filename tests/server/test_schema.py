"""Whatever the OpenAPI schema allows, and what it does not, gets an answer that it names."""

from collections import Counter, defaultdict

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import positive_data_acceptance

pytestmark = pytest.mark.serve

MOUNTS = ["", "/finops"]
# Names of cards and what goes together are no matter of a schema: 422 says what is wrong.
LEFT_OUT = [positive_data_acceptance]


def examine(url, examples):
    """Send many requests to every operation, one after the other; statuses by path, counted."""
    seen = defaultdict(Counter)
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in operations:

        @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case):
            response = case.call_and_validate(excluded_checks=LEFT_OUT)
            seen[case.path][response.status_code] += 1

        ask()
    return seen


@pytest.mark.parametrize("mount", MOUNTS)
def test_every_answer_is_one_that_the_schema_names(server, mount):
    seen = examine(server.url + mount, 8)
    assert len(seen) >= 7
    assert seen["/reset"][200] > 0
    assert server.lines == []


@pytest.mark.slow
@pytest.mark.parametrize("mount", MOUNTS)
def test_every_answer_to_many_requests_is_one_that_the_schema_names(server, mount):
    seen = examine(server.url + mount, 1_000)
    print({path: dict(statuses) for path, statuses in seen.items()})
    # Moves that were played, moves that were none, steps before a reset: all were met.
    assert {200, 409, 422} <= set(seen["/step"])
    assert {200, 422} <= set(seen["/reset"])
    assert server.lines == []
