"""Nothing that a client sends ends the session: the next request is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .raw_client import Json, RawClient

pytestmark = pytest.mark.slow

INVALID_PARAMS, PARSE_ERROR = -32602, -32700


@pytest.fixture
def client() -> Iterator[RawClient]:
    raw = RawClient()
    yield raw
    raw.kill()


def test_a_session_ends_as_it_should(client: RawClient) -> None:
    client.initialize()
    assert client.end() == 0


def test_requests_before_initialize_and_after_shutdown_are_errors(client: RawClient) -> None:
    place = {"textDocument": {"uri": "file:///p/a.py"}, "position": {"line": 0, "character": 0}}
    client.send({"id": 7, "method": "textDocument/hover", "params": place})
    assert "error" in client.answer(7)
    client.initialize()
    client.send({"id": 8, "method": "shutdown"})
    client.answer(8)
    client.send({"id": 9, "method": "textDocument/hover", "params": place})
    assert "error" in client.answer(9)


MALFORMED: tuple[Json, ...] = (
    {"id": 5, "method": "textDocument/hover", "params": {"textDocument": {"uri": 3}}},
    {"id": 5, "method": "textDocument/codeAction", "params": {}},
    {"id": 5, "method": "no/suchRequest", "params": {}},
    {"id": 5, "method": "workspace/executeCommand", "params": {"command": "no.such"}},
    {"id": 5, "method": "codeAction/resolve", "params": {"title": "x", "data": {"uri": 7, "finding": []}}},
    {
        "id": 5,
        "method": "textDocument/hover",
        "params": {"textDocument": {"uri": "file:///no"}, "position": {"line": 1, "character": 1}},
    },
    {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no", "version": 1}}},
    {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///no"}}},
    {"method": "$/unknown", "params": [1, 2]},
)
SAMPLE = "import torch\nx = torch.zeros(1).cuda()\n"


def test_a_malformed_message_costs_nothing_but_itself(client: RawClient) -> None:
    client.initialize()
    for number, message in enumerate(MALFORMED):
        client.send(message)
        if "id" in message:
            client.answer(5)
        client.open(SAMPLE, f"file:///p/{number}.py")
        assert client.codes() == ["NPU110"], message
    client.send_bytes(b"{this is no json")
    client.open(SAMPLE)
    assert client.codes() == ["NPU110"]
    assert client.end() == 0


def test_documents_that_are_in_no_file_are_looked_at_too(client: RawClient) -> None:
    client.initialize()
    for uri in ("untitled:Untitled-1", "vscode-vfs://github/o/r/a.py", "file:///c%3A/a%20b.py", "odd"):
        client.open(SAMPLE, uri)
        reported = client.diagnostics()
        assert reported["uri"] == uri
        assert [item["code"] for item in reported["diagnostics"]] == ["NPU110"]
        client.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})
        assert client.diagnostics() == {"uri": uri, "diagnostics": []}


def test_other_languages_are_left_alone(client: RawClient) -> None:
    client.initialize()
    client.open("import torch\nx = torch.zeros(1).cuda()\n", "file:///p/a.md", "markdown")
    client.open("import torch\nx = torch.zeros(1).cuda()\n", "file:///p/a.py")
    reported = client.diagnostics()
    while not reported["uri"].endswith(".py"):
        assert reported["diagnostics"] == []
        reported = client.diagnostics()


def test_a_large_file_is_looked_at_in_another_process_and_a_huge_one_not_at_all(client: RawClient) -> None:
    client.initialize()
    line = "x = torch.zeros(1).cuda()\n"
    client.open("import torch\n" + "y = 1\n" * 60_000 + line)
    assert client.codes() == ["NPU110"]
    client.open("import torch\n" + line + "y = 1\n" * 3_500_000, "file:///p/huge.py")
    assert "huge.py" in client.notification("window/logMessage")["message"]
    command = {"command": "gpu2ascend.migrateFile", "arguments": [{"uri": "file:///p/huge.py"}]}
    client.send({"id": 2, "method": "workspace/executeCommand", "params": command})
    refused = client.answer(2)["result"]
    assert refused["status"] == "failed" and "huge.py" in refused["message"]
    assert client.end() == 0


def test_invalid_parameters_are_named_in_the_answer_and_in_the_log(client: RawClient) -> None:
    client.initialize()
    place = {"textDocument": {"uri": "file:///p/a.py"}, "position": {"line": 0}}
    client.send({"id": 2, "method": "textDocument/hover", "params": place})
    logged = client.notification("window/logMessage")["message"]
    while "textDocument/hover" not in logged:
        logged = client.notification("window/logMessage")["message"]
    assert "params.position.character" in logged
    client.send({"id": 3, "method": "textDocument/hover", "params": place})
    error = client.answer(3)["error"]
    assert error["code"] == INVALID_PARAMS
    assert "required field missing @ message.params.position.character" in error["message"]


def change(*changes: Json, uri: str = "file:///p/a.py") -> Json:
    params = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": list(changes)}
    return {"method": "textDocument/didChange", "params": params}


NO_CHANGES: dict[str, Json] = {
    "no position": {"range": {"start": {"line": 0, "character": -1}}, "text": "x"},
    "no range": {"range": "all", "text": "x"},
    "no object": {"changes": 3},
}


@pytest.mark.parametrize("wrong", NO_CHANGES.values(), ids=NO_CHANGES)
def test_a_change_that_cannot_be_applied_is_told_and_nothing_is_said_of_the_old_text(
    client: RawClient, wrong: Json
) -> None:
    client.initialize()
    client.open(SAMPLE)
    assert client.codes() == ["NPU110"]
    client.send(change(wrong))
    assert client.codes() == []
    assert "a.py" in client.notification("window/showMessage")["message"]
    place = {"textDocument": {"uri": "file:///p/a.py"}, "position": {"line": 1, "character": 20}}
    client.send({"id": 2, "method": "textDocument/hover", "params": place})
    assert client.answer(2)["result"] is None


def test_after_such_a_change_a_whole_text_begins_anew(client: RawClient) -> None:
    client.initialize()
    client.open(SAMPLE)
    assert client.codes() == ["NPU110"]
    client.send(change(NO_CHANGES["no object"]))
    assert client.codes() == []
    at_start = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    client.send(change({"range": at_start, "text": "y = 1\n"}))  # of a text that nobody knows
    client.send(change({"text": SAMPLE + SAMPLE}))
    assert client.codes() == ["NPU110", "NPU110"]


def test_what_is_no_header_ends_the_session_with_an_error(client: RawClient) -> None:
    client.initialize()
    client.send_raw(b"Content-Length: many\r\n\r\n{}")
    assert client.wait() == 2


def test_the_answer_to_what_is_no_json_says_so(client: RawClient) -> None:
    client.initialize()
    client.send_bytes(b"{this is no json")
    message = client.receive()
    while "error" not in message:
        message = client.receive()
    assert (message["id"], message["error"]["code"]) == (None, PARSE_ERROR)
