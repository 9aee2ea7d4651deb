"""Edits of files as the workspace edit that a client can take: annotated, versioned, or plain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.lines import Position

from ...project.inspect.placed import PlacedChange, PlacedEdit
from ...texts.escaping import label

_REASONS_TOLD = 3


class EditedFile(NamedTuple):
    """What is to change in a document."""

    uri: str
    version: int | None
    """Of the open document that the edits were made for; None for a file."""
    edits: tuple[PlacedEdit, ...]
    of: str = ""
    """Of the cell of a notebook: the notebook, whose changes are numbered as one."""


def takes_annotations(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client can show changes that need to be confirmed."""
    edit = capabilities.workspace.workspace_edit if capabilities.workspace is not None else None
    return edit is not None and bool(edit.document_changes) and edit.change_annotation_support is not None


def workspace_edit(
    files: Iterable[EditedFile],
    capabilities: types.ClientCapabilities,
    language: str,
    made: Iterable[types.CreateFile | types.TextDocumentEdit] = (),
    *,
    is_preview: bool = False,
) -> types.WorkspaceEdit:
    """The edits of files, those of unsafe fixes to be confirmed. A client that cannot ask must get none.

    Args:
        made: Files that the unsafe fixes need; only for a client that can make files.
        is_preview: Nothing may be written before the user has seen it, also when every edit is safe.
    """
    workspace = capabilities.workspace.workspace_edit if capabilities.workspace is not None else None
    if workspace is None or not workspace.document_changes:
        return types.WorkspaceEdit(
            changes={file.uri: [_plain(edit) for edit in file.edits] for file in files}
        )
    if not takes_annotations(capabilities):
        return types.WorkspaceEdit(
            document_changes=[_document(file, [_plain(edit) for edit in file.edits]) for file in files]
        )
    annotations: dict[str, types.ChangeAnnotation] = {}
    changes = [
        _document(file, [_annotated(file, edit, annotations, language) for edit in file.edits])
        for file in files
    ]
    if is_preview and not any(item.needs_confirmation for item in annotations.values()):
        # One in which nothing is to be confirmed is made without a question. Beside unsafe changes the safe
        # ones stay as they are, for what is to be confirmed is not ticked at first.
        for item in annotations.values():
            item.needs_confirmation = True
    return types.WorkspaceEdit(document_changes=[*made, *changes], change_annotations=annotations)


def _document(
    file: EditedFile, edits: Sequence[types.TextEdit | types.AnnotatedTextEdit]
) -> types.TextDocumentEdit:
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=file.version)
    return types.TextDocumentEdit(text_document=identifier, edits=list(edits))


def _annotated(
    file: EditedFile, edit: PlacedEdit, annotations: dict[str, types.ChangeAnnotation], language: str
) -> types.TextEdit | types.AnnotatedTextEdit:
    """An edit with what it is a part of. An import for others has nothing, and is made with any of them."""
    plain = _plain(edit)
    if edit.change is None:
        return plain
    name = f"{file.of or file.uri}#{edit.change.number}"
    if name not in annotations:
        annotations[name] = _annotation(edit.change, language)
    return types.AnnotatedTextEdit(annotation_id=name, range=plain.range, new_text=plain.new_text)


def _annotation(change: PlacedChange, language: str) -> types.ChangeAnnotation:
    shown = [
        Message.of("lsp.preview.change", code=reason.code, line=reason.line, message=reason.message)
        for reason in change.reasons[:_REASONS_TOLD]
    ]
    left = len(change.reasons) - len(shown)
    more = [Message.of("lsp.preview.more", count=left)] if left else []
    name = "; ".join(render(item, language).replace("`", "") for item in (*shown, *more))
    if change.unsafe is None:
        detail = Message.of("lsp.preview.safe_description")
    else:
        detail = Message.of("lsp.preview.unsafe_description", title=change.unsafe)
    return types.ChangeAnnotation(
        label=label(name),
        description=label(render(detail, language)),
        needs_confirmation=change.unsafe is not None,
    )


def _plain(edit: PlacedEdit) -> types.TextEdit:
    return types.TextEdit(range=types.Range(_position(edit.start), _position(edit.end)), new_text=edit.text)


def _position(position: Position) -> types.Position:
    return types.Position(line=position.line, character=position.column)
