"""The server leaves as quietly as the protocol asks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def message(method: str, number: int | None = None, params: object = None) -> bytes:
    body: dict[str, object] = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        body["id"] = number
    if params is not None:
        body["params"] = params
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


@pytest.mark.slow
def test_after_shutdown_and_exit_the_code_is_0_and_nothing_is_complained_of() -> None:
    conversation = (
        message("initialize", 1, {"processId": None, "rootUri": None, "capabilities": {}}),
        message("initialized", params={}),
        message("shutdown", 2),
        message("exit"),
    )
    command = [sys.executable, "-m", "gpu2ascend", "lsp"]
    done = subprocess.run(
        command, input=b"".join(conversation), capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
