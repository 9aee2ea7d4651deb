"""A session with the language server, over its standard streams, without a framework between."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpu2ascend.lsp.conversion.uris import uri_of
from tests.security.watched import Watch


class Session:
    """A client that answers every request of the server with nothing."""

    def __init__(self, watch: Watch, directory: Path) -> None:
        self._process = subprocess.Popen(
            watch.command("lsp"),
            cwd=directory,
            env=watch.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._count = 0
        folder = {"uri": uri_of(directory), "name": "folder"}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": {},
                "initializationOptions": {"version": "2.8.0"},
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        """Send a request and give its result."""
        self._count += 1
        number = self._count
        self._send({"id": number, "method": method, "params": params})
        answer = self._until(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in answer, answer
        return answer["result"]

    def command(self, name: str, **parameters: object) -> Any:
        """Run a command of the server."""
        return self.ask("workspace/executeCommand", {"command": name, "arguments": [parameters]})

    def open(self, path: Path) -> Any:
        """Open a file and give its diagnostics."""
        uri = uri_of(path)
        document = {
            "uri": uri,
            "languageId": "python",
            "version": 1,
            "text": path.read_text(encoding="utf-8"),
        }
        self.tell("textDocument/didOpen", {"textDocument": document})
        published = self._until(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
            )
        )
        return published["params"]["diagnostics"]

    def end(self) -> int:
        """End the server in good order; its exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        with self._process:
            return self._process.wait(timeout=120)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _until(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._read()
            if is_wanted(message):
                return message
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has gone"
        read: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return read
