"""The protocol of pygls, without its own copies of documents, and with commands as we want them.

:mod:`.documents` has the documents. Commands and custom requests take plain data, and a cancel reaches them.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import Any

import cattrs
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    lsp_method,
)


def raw_converter() -> cattrs.Converter:
    """A converter that leaves messages which the specification does not know as the plain data they are.

    That of pygls makes named tuples of them, and loses every key that is no identifier.
    """
    converter = converters.get_converter()

    def as_it_is(data: dict[str, Any], kind: type[Any]) -> Any:
        return kind(**{key: value for key, value in data.items() if key in _FIELDS[kind]})

    for kind in _FIELDS:
        converter.register_structure_hook(kind, as_it_is)
    return converter


_FIELDS: dict[type[Any], frozenset[str]] = {
    kind: frozenset(field.name for field in kind.__attrs_attrs__)
    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage)
}


class Protocol(LanguageServerProtocol):
    """Hands each notification about a document to its handler, and does nothing else with it."""

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
        """A message as an object. A request that cannot be made one is answered, not passed over.

        Raises:
            JsonRpcException: it cannot.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Hand on a message; a request that comes too early or too late is answered by an error."""
        method = getattr(message, "method", None)
        is_request = method is not None and getattr(message, "id", None) is not None
        is_early = self._workspace is None and method not in (types.INITIALIZE, types.EXIT)
        if is_request and (self._shutdown or is_early):
            code = (
                types.ErrorCodes.InvalidRequest if self._shutdown else types.ErrorCodes.ServerNotInitialized
            )
            self._send_response(message.id, error=types.ResponseError(code, f"{method}: not now"))
        elif method is None or not is_early:
            super().handle_message(message)

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
