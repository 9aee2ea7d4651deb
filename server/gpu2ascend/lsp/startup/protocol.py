"""The protocol of pygls, without its own copies of documents, and with commands as we want them.

:mod:`gpu2ascend.lsp.session.documents` has the documents. Commands and custom requests take plain data, and a
cancel reaches them. Messages that come while the features are imported wait, and are handled in order.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import traceback
from collections.abc import Callable, Generator
from concurrent.futures import Future
from types import ModuleType
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, lsp_method

from ...project.processes.threads import started
from ..conversion.json_messages import Encoded, what_is_wrong
from .ending import end_with_process
from .loading import imported, put_in_place
from .shapes import Kind, Shape, method_of, shape_of


class _Invalid(NamedTuple):
    """A message that cannot be taken."""

    method: str
    reason: str
    params: Any


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
        Raises JsonRpcInvalidParams: there is no such command."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams.of(ValueError(f"unknown command {params.command!r}"))
        result = handler(*(params.arguments or ()))
        return await result if inspect.isawaitable(result) else result

    on_invalid: Callable[[str, str, Any], None] = staticmethod(lambda method, reason, params: None)
    """Called with the method, the reason and the parameters of a message that cannot be taken."""

    def receive(self, body: bytes) -> None:
        """Take a message as it came. What is wrong with one ends no other."""
        shape = shape_of(body)
        try:
            self._take(shape)
        except Exception:
            self._failed(shape.number if shape.kind is Kind.REQUEST else None)

    def _take(self, shape: Shape) -> None:
        kind, number = shape.kind, shape.number
        if kind is Kind.REFUSED:
            self._send_error(number, shape.code, shape.reason)
        if kind in (Kind.REFUSED, Kind.IGNORED):
            self._report(_Invalid(method_of(shape), shape.reason, shape.data.get("params")))
        elif kind is Kind.RESPONSE and number is not None:
            self._end_wait(number, shape.data)
        else:
            self._begin_work(shape)

    def _end_wait(self, number: int | str, data: dict[str, Any]) -> None:
        """Hand an answer to what waits for it. The ids of the client's own requests are not asked for."""
        if number not in self._result_types:
            logging.getLogger("gpu2ascend").warning("an answer to nothing that was asked: %.80r", number)
            return
        try:
            self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            self._handle_response(number, error=error.to_response_error())
        finally:
            # pygls keeps that of an error, by which a second answer would be taken for a first.
            self._result_types.pop(number, None)

    def _begin_work(self, shape: Shape) -> None:
        try:
            message = self.structure_message(shape.data)
        except JsonRpcException as error:
            if shape.kind is Kind.REQUEST:
                self._send_error(shape.number, error.code, error.message)
            self._report(_Invalid(method_of(shape), error.message, shape.data.get("params")))
        else:
            self.handle_message(message)

    def _send_error(self, number: int | str | None, code: int, reason: str) -> None:
        """Answer by an error. The classes of the protocol leave out an id that is null."""
        error = {"code": int(code), "message": reason}
        self._send_text(json.dumps({"jsonrpc": self.VERSION, "id": number, "error": error}))

    def _failed(self, number: int | str | None) -> None:
        """Log the exception that is being handled, and answer the request that it is the end of."""
        logging.getLogger("gpu2ascend").exception("a message could not be handled")
        if number is not None:
            self._send_error(number, types.ErrorCodes.InternalError, "internal error")

    def _report(self, invalid: _Invalid) -> None:
        if self._waiting is not None:
            self._waiting.append(invalid)
            return
        try:
            self.on_invalid(*invalid)
        except Exception:  # whatever is in the parameters, the message has been answered
            self._failed(None)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as an object.
        Raises JsonRpcInvalidParams: its parameters are not those of its method; the message says why."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            kind = self.get_message_type(str(data.get("method")))
            if kind is None:
                raise
            raise JsonRpcInvalidParams.of(what_is_wrong(data, kind)) from error

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler, and forget it when it is done: pygls would keep that of each key for ever."""

        def done(future: Future[Any]) -> None:
            callback(future)
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]

        super()._execute_handler(msg_id, handler, done, args, kwargs)

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
            if method == types.INITIALIZE:
                end_with_process(message.params.process_id)
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
            if isinstance(message, _Invalid):
                self._report(message)
                continue
            try:
                self.handle_message(message)
            except Exception:
                self._failed(getattr(message, "id", None) if hasattr(message, "method") else None)

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
        """Send a message."""
        body = text.encode("ascii")
        head = f"Content-Length: {len(body)}\r\nContent-Type: {self.CONTENT_TYPE}; charset={self.CHARSET}"
        if self.writer is not None:
            self.writer.write(b"%b\r\n\r\n%b" % (head.encode("ascii"), body))

    def _send_data(self, data: Any) -> None:
        if data:
            self._send_text(json.dumps(data, default=self._serialize_message))

    @property
    def was_shut_down(self) -> bool:
        """Whether the client asked the server to shut down."""
        return bool(self._shutdown)

    def _handed_on(self, method: str, params: object) -> Generator[Any, Any, None]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *params: Any) -> Generator[Any, Any, None]:
        """Give up what is being done, and answer no more. A cancelled request leaves the table at once."""
        handler = self.fm.features.get(types.SHUTDOWN)
        if handler is not None:
            yield handler, params, None
        current = self.msg_id
        for number, future in tuple(self._request_futures.items()):
            if number != current:
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *params: Any) -> None:  # type: ignore[override]
        """End the session. The writer stays open, unlike by pygls: what is cancelled now is answered."""
        raise SystemExit(0 if self._shutdown else 1)

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
