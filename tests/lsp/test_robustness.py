"""Nothing that a client sends ends the session: the next request is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "gpu2ascend", "lsp"]
Json = dict[str, Any]


class RawClient:
    """Speaks the protocol byte by byte."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, message: Json) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_bytes(self, body: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def receive(self) -> Json:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has ended"
        message: Json = json.loads(self._process.stdout.read(length))
        return message

    def answer(self, identifier: int) -> Json:
        """The answer to a request; what else comes meanwhile is passed over."""
        while True:
            message = self.receive()
            if message.get("id") == identifier and "method" not in message:
                return message

    def notification(self, method: str) -> Json:
        while True:
            message = self.receive()
            if message.get("method") == method:
                params: Json = message["params"]
                return params

    def initialize(self) -> None:
        options = {"version": "2.8.0"}
        params = {"capabilities": {}, "processId": None, "rootUri": None, "initializationOptions": options}
        self.send({"id": 1, "method": "initialize", "params": params})
        assert "result" in self.answer(1)
        self.send({"method": "initialized", "params": {}})

    def open(self, text: str, uri: str = "file:///p/a.py", language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})

    def diagnostics(self) -> Json:
        """The next diagnostics that are sent, with the document that they are for."""
        return self.notification("textDocument/publishDiagnostics")

    def codes(self) -> list[str]:
        """Their codes alone."""
        return [item["code"] for item in self.diagnostics()["diagnostics"]]

    def end(self) -> int:
        self.send({"id": 99, "method": "shutdown"})
        self.answer(99)
        self.send({"method": "exit"})
        return self._process.wait(timeout=60)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


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
    {
        "id": 5,
        "method": "codeAction/resolve",
        "params": {"title": "x", "data": {"uri": 7, "finding": []}},
    },
    {
        "id": 5,
        "method": "textDocument/hover",
        "params": {"textDocument": {"uri": "file:///no"}, "position": {"line": 1, "character": 1}},
    },
    {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no", "version": 1}}},
    {
        "method": "textDocument/didClose",
        "params": {"textDocument": {"uri": "file:///no"}},
    },
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
