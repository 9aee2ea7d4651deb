"""Edits of files as the workspace edit that a client can take: annotated, versioned, or plain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.lines import Position

from ...project.inspect.placed import PlacedEdit
from ...texts.escaping import label

_SAFE = "gpu2ascend.safe"


class EditedFile(NamedTuple):
    """What is to change in a document."""

    uri: str
    version: int | None
    """Of the open document that the edits were made for; None for a file."""
    edits: tuple[PlacedEdit, ...]


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
        _document(file, [_annotated(edit, annotations, language) for edit in file.edits]) for file in files
    ]
    if is_preview:
        _require_a_look(annotations)
    return types.WorkspaceEdit(document_changes=[*made, *changes], change_annotations=annotations)


def _document(
    file: EditedFile, edits: list[types.TextEdit] | list[types.AnnotatedTextEdit]
) -> types.TextDocumentEdit:
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=file.version)
    return types.TextDocumentEdit(text_document=identifier, edits=list(edits))


def _annotated(
    edit: PlacedEdit, annotations: dict[str, types.ChangeAnnotation], language: str
) -> types.AnnotatedTextEdit:
    name = _SAFE if edit.code is None else f"gpu2ascend.{edit.code}"
    if name not in annotations:
        annotations[name] = _annotation(edit, language)
    plain = _plain(edit)
    return types.AnnotatedTextEdit(annotation_id=name, range=plain.range, new_text=plain.new_text)


def _annotation(edit: PlacedEdit, language: str) -> types.ChangeAnnotation:
    if edit.code is None or edit.title is None:
        name, detail = Message.of("lsp.preview.safe"), Message.of("lsp.preview.safe_description")
    else:
        name = Message.of("lsp.preview.unsafe", code=edit.code, title=edit.title)
        detail = Message.of("lsp.preview.unsafe_description")
    return types.ChangeAnnotation(
        label=label(render(name, language)),
        description=render(detail, language),
        needs_confirmation=edit.code is not None,
    )


def _require_a_look(annotations: Mapping[str, types.ChangeAnnotation]) -> None:
    """Make a client show the edit: one in which nothing is to be confirmed is made without a question.

    Beside unsafe changes the safe ones stay as they are, for what is to be confirmed is not ticked at first.
    """
    if _SAFE in annotations and not any(item.needs_confirmation for item in annotations.values()):
        annotations[_SAFE].needs_confirmation = True


def _plain(edit: PlacedEdit) -> types.TextEdit:
    return types.TextEdit(range=types.Range(_position(edit.start), _position(edit.end)), new_text=edit.text)


def _position(position: Position) -> types.Position:
    return types.Position(line=position.line, character=position.column)
