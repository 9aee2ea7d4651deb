"""What the client sends cannot make the server wait for ever."""

from __future__ import annotations

import json

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend.lsp.server import Server
from gpu2ascend.lsp.startup.protocol import Protocol


class _Nowhere:
    """The client's end, where nobody reads."""

    def write(self, data: bytes) -> None:
        pass


@pytest.mark.parametrize("result", [None, "x", [1], {}], ids=repr)
def test_an_answer_of_the_wrong_kind_is_an_error_and_no_silence(result: object) -> None:
    server = Server()
    assert isinstance(server.protocol, Protocol)
    server.protocol.set_writer(_Nowhere())
    question = types.ApplyWorkspaceEditParams(types.WorkspaceEdit())
    waiting = server.protocol.send_request(types.WORKSPACE_APPLY_EDIT, question, msg_id="1")
    server.protocol.receive(json.dumps({"jsonrpc": "2.0", "id": "1", "result": result}).encode())
    assert isinstance(waiting.exception(timeout=0), JsonRpcException)
