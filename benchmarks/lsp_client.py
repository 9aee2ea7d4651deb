"""A language client that measures: plain JSON-RPC over pipes, so that it adds little to the figures."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Json = Any


class Client:
    """A started server and the conversation with it. Times are those of ``time.perf_counter``."""

    def __init__(
        self, command: Sequence[str], errors: Path, environment: dict[str, str] | None = None
    ) -> None:
        self.started = time.perf_counter()
        self._errors = errors.open("wb")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=environment
        )
        self._next_id = 0
        self._write_lock = threading.Lock()
        self._answers: dict[int, queue.Queue[tuple[float, Json]]] = {}
        self.on_publish: Callable[[float, Json], None] = lambda when, params: None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def initialize(self, root: Path, capabilities: Json, options: Json = None) -> float:
        """Begin; the moment at which the answer arrived."""
        folder = {"uri": root.as_uri(), "name": root.name}
        params = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": [folder],
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        when, _ = self.request("initialize", params)
        self.notify("initialized", {})
        return when

    def send_request(self, method: str, params: Json) -> int:
        """Send a request without waiting for its answer, which :meth:`answer` gives."""
        self._next_id += 1
        number = self._next_id
        self._answers[number] = queue.Queue()
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def has_answered(self, number: int) -> bool:
        """Whether the answer to a request is there."""
        return not self._answers[number].empty()

    def answer(self, number: int, timeout: float = 120) -> tuple[float, Json]:
        """When the answer to a request arrived, and its result.

        Raises:
            RuntimeError: the server answered with an error, or has ended.
            queue.Empty: it did not answer in time.
        """
        when, message = self._answers[number].get(timeout=timeout)
        del self._answers[number]
        if "error" in message:
            raise RuntimeError(message["error"])
        return when, message.get("result")

    def request(self, method: str, params: Json, timeout: float = 120) -> tuple[float, Json]:
        """Send a request and wait; raises what :meth:`answer` does."""
        return self.answer(self.send_request(method, params), timeout)

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def open(self, uri: str, text: str) -> None:
        """Open a Python document as version 0."""
        document = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def resident_kib(self) -> int:
        """The resident memory of the server's own process; Linux only."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0])

    def close(self) -> None:
        """End the server the way an editor does."""
        try:
            self.request("shutdown", None, timeout=30)
            self.notify("exit", None)
            self.process.wait(timeout=30)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(timeout=5)
            for stream in (self.process.stdin, self.process.stdout, self._errors):
                if stream is not None:
                    stream.close()

    def _write(self, message: Json) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        with self._write_lock:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = stream.read(length) if length else b""
            if not body:
                break
            self._take(time.perf_counter(), json.loads(body))
        for waiting in list(self._answers.values()):
            waiting.put((time.perf_counter(), {"error": "the server has ended"}))

    def _take(self, when: float, message: Json) -> None:
        method = message.get("method")
        if method is None:
            waiting = self._answers.get(message.get("id"))
            if waiting is not None:
                waiting.put((when, message))
        elif method == "textDocument/publishDiagnostics":
            self.on_publish(when, message["params"])
        elif "id" in message:
            items = message["params"].get("items") if method == "workspace/configuration" else None
            result = [None] * len(items) if items is not None else None
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
