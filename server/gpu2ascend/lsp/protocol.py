"""The protocol of pygls, without its own copies of documents, and with commands as we want them.

:mod:`.documents` has the documents. Commands and custom requests take plain data, and a cancel reaches them.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import Any

import cattrs
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams
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
