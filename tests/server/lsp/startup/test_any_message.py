"""Whatever JSON a client sends, the server lives, and answers the next request."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from tests.lsp.raw_client import Json, RawClient
from tests.server.lsp.any_json import ODD_VALUES, messages

pytestmark = pytest.mark.slow

INVALID_REQUEST = -32600
PLACE = {"textDocument": {"uri": "file:///p/none.py"}, "position": {"line": 0, "character": 0}}
PING = 987_654_321


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    raw = RawClient()
    raw.initialize()
    yield raw
    raw.kill()


def until_answered(client: RawClient) -> list[Json]:
    """What comes before the answer to a request; it comes, or the server has ended."""
    client.send({"id": PING, "method": "textDocument/hover", "params": PLACE})
    before = []
    while (message := client.receive()).get("id") != PING:
        before.append(message)
    assert message == {"jsonrpc": "2.0", "id": PING, "result": None}
    return before


@given(body=messages())
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_next_request_is_answered(client: RawClient, body: bytes) -> None:
    client.send_bytes(body)
    until_answered(client)


@pytest.mark.parametrize("field", ["id", "error", "result", "params", "method"])
@pytest.mark.parametrize("value", ODD_VALUES, ids=repr)
def test_any_field_may_have_any_type(client: RawClient, field: str, value: object) -> None:
    whole: Json = {"jsonrpc": "2.0", "id": {}, "error": {}, "result": 1, "params": {}, "method": "x"}
    for left_out in (set(), {"method"}, {"method", "error"}, {"method", "result", "error"}, {"id"}):
        message = {key: item for key, item in whole.items() if key not in left_out} | {field: value}
        client.send_bytes(json.dumps(message).encode())
    until_answered(client)


def test_a_batch_is_one_error(client: RawClient) -> None:
    until_answered(client)
    client.send_bytes(json.dumps([{"jsonrpc": "2.0", "id": 5, "method": "shutdown"}] * 3).encode())
    errors = [message for message in until_answered(client) if "error" in message]
    assert [(message["id"], message["error"]["code"]) for message in errors] == [(None, INVALID_REQUEST)]


def test_an_answer_to_the_clients_own_request_does_not_take_its_place(client: RawClient) -> None:
    client.send({"id": 5, "method": "workspace/diagnostic", "params": {"previousResultIds": []}})
    client.send({"id": 5, "result": {"of": "the client"}})
    assert client.answer(5)["result"] == {"items": []}


def test_every_request_is_answered_once(client: RawClient) -> None:
    wrong = [
        {"id": "a", "method": "initialized", "params": {}},
        {"id": "b", "method": "textDocument/hover", "params": 5},
        {"id": "c", "method": 5},
        {
            "id": "d",
            "method": "workspace/executeCommand",
            "params": {"command": "gpu2ascend.rules", "arguments": 3},
        },
        {"id": "e", "method": "textDocument/hover", "params": [[[]]]},
    ]
    for message in wrong:
        client.send(message)
    answers = [message for message in until_answered(client) if "error" in message]
    assert sorted(answer["id"] for answer in answers) == ["a", "b", "c", "d", "e"]
