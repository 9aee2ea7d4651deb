"""The protocol of pygls, without its own copies of documents, and with commands as we want them.

:mod:`gpu2ascend.lsp.session.documents` has the documents. Commands and custom requests take plain data, and a
cancel reaches them. Messages that come while the features are imported wait, and are handled in order.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import traceback
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import suppress
from types import ModuleType
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

from ...project.processes.threads import started
from ..conversion.json_messages import Encoded
from .loading import imported, put_in_place


class Protocol(LanguageServerProtocol):
    """Hands each notification about a document to its handler, and does nothing else with it."""

    is_loaded = False
    """Whether requests are answered: the state and the handlers are there."""
    initialize_params = types.InitializeParams(types.ClientCapabilities())
    """What the client said at the start."""

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command. A coroutine, unlike pygls' own: ``$/cancelRequest`` ends one while it waits.

        Raises:
            JsonRpcInvalidParams: there is no such command.
        """
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams.of(ValueError(f"unknown command {params.command!r}"))
        result = handler(*(params.arguments or ()))
        return await result if inspect.isawaitable(result) else result

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object. A request that cannot be made one is answered, not passed over; an answer
        that cannot, such as null for an object, ends as an error the wait for it.

        Raises:
            JsonRpcException: it cannot.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            elif data.get("id") in self._request_futures:
                self._handle_response(data["id"], error=error.to_response_error())
            raise

    _waiting: list[Any] | None = None
    """Messages that came while the features are imported; none at other times."""
    _modules: Future[list[ModuleType]]

    def handle_message(self, message: Any) -> None:
        """Hand on a message; a request that comes too early or too late is answered by an error."""
        method = getattr(message, "method", None)
        if self._waiting is None:
            self._hand_on(message, method)
        else:
            self._waiting.append(message)
            if method == types.EXIT:
                # In the task that reads: in another, the end would wait for the next message.
                self._begin(self._modules.result())

    def _hand_on(self, message: Any, method: str | None) -> None:
        is_request = method is not None and getattr(message, "id", None) is not None
        is_early = self._workspace is None and method not in (types.INITIALIZE, types.EXIT)
        is_late = self._shutdown or (self._workspace is not None and method == types.INITIALIZE)
        if is_request and (is_late or is_early):
            code = types.ErrorCodes.InvalidRequest if is_late else types.ErrorCodes.ServerNotInitialized
            self._send_response(message.id, error=types.ResponseError(code, f"{method}: not now"))
        elif method is None or not is_early:
            super().handle_message(message)
            if method == types.INITIALIZE and self._workspace is not None:
                self._load(message.params)

    def _load(self, params: types.InitializeParams) -> None:
        """Import the features in a thread, now that the client has its answer."""
        self.initialize_params = params
        self._waiting = []
        self._modules = started(imported)
        self._loading = asyncio.ensure_future(self._loaded())

    async def _loaded(self) -> None:
        try:
            modules = await asyncio.wrap_future(self._modules)
        except Exception:
            traceback.print_exc()
            raise SystemExit(1) from None
        if self._waiting is not None:
            self._begin(modules)

    def _begin(self, modules: list[ModuleType]) -> None:
        """Answer: first what has waited."""
        put_in_place(self._server, modules)
        self.is_loaded = True
        waiting, self._waiting = self._waiting, None
        for message in waiting or ():
            self.handle_message(message)

    def notify_encoded(self, method: str, params: Encoded) -> None:
        """Send a notification of which the parameters are JSON already."""
        self._send_text(f'{{"jsonrpc": "2.0", "method": {json.dumps(method)}, "params": {params.text}}}')

    def _send_response(
        self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if error is None and isinstance(result, Encoded):
            self._send_text(f'{{"jsonrpc": "2.0", "id": {json.dumps(msg_id)}, "result": {result.text}}}')
        else:
            super()._send_response(msg_id, result, error)

    def _send_text(self, text: str) -> None:
        """Send a message. A client that has gone is noticed where its messages are read."""
        body = text.encode("ascii")
        head = f"Content-Length: {len(body)}\r\nContent-Type: {self.CONTENT_TYPE}; charset={self.CHARSET}"
        if self.writer is not None:
            with suppress(OSError):
                self.writer.write(b"%b\r\n\r\n%b" % (head.encode("ascii"), body))

    @property
    def was_shut_down(self) -> bool:
        """Whether the client asked the server to shut down."""
        return bool(self._shutdown)

    def _handed_on(self, method: str, params: object) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """A document was opened."""
        yield from self._handed_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """A document was changed."""
        yield from self._handed_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """A document was closed."""
        yield from self._handed_on(types.TEXT_DOCUMENT_DID_CLOSE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was opened."""
        yield from self._handed_on(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was changed."""
        yield from self._handed_on(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """A notebook was closed."""
        yield from self._handed_on(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)
