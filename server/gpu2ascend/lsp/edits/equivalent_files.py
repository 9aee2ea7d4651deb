"""The package of equivalents, as file operations of the quick fix whose text needs it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from lsprotocol import types

from gpu2ascend_rules.hosting import home_of, is_ours, package_files, parts_of

from ...project.files.writing.equivalents import written_text
from ...project.index.sources.directories import project_directory
from ...project.paths import exists
from ..conversion.uris import path_of, uri_of


def can_create_files(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client makes files when an edit asks for it."""
    edit = capabilities.workspace.workspace_edit if capabilities.workspace is not None else None
    operations = edit.resource_operations if edit is not None and edit.document_changes else None
    return types.ResourceOperationKind.Create in (operations or ())


def has_place(uri: str, parts: Collection[str]) -> bool:
    """Whether the package of some parts can be in the project of a document."""
    return package_changes(uri, parts, "en") is not None


def package_changes(
    uri: str, parts: Collection[str], language: str
) -> list[types.CreateFile | types.TextDocumentEdit] | None:
    """What makes the parts importable in the project of a document: nothing if they are there already.

    None where they cannot be: the document is no file, or the project has another package of that name.
    """
    path = path_of(uri)
    return package_changes_in(project_directory(path), parts, language) if path is not None else None


def package_changes_in(
    directory: Path, parts: Collection[str], language: str
) -> list[types.CreateFile | types.TextDocumentEdit] | None:
    """The same for the project of a directory; None if it has another package of that name."""
    home = home_of(parts)
    package = directory / home.package
    present = written_text(package / f"{home.module}.py")
    if not is_ours(present) and (exists(package) or exists(package.with_suffix(".py"))):
        return None
    there = parts_of(present)
    if there.issuperset(parts):
        return []
    changes: list[types.CreateFile | types.TextDocumentEdit] = []
    for name, text in package_files(there | frozenset(parts), language).items():
        changes += _file(uri_of(package / name), text)
    return changes


def _file(uri: str, text: str) -> list[types.CreateFile | types.TextDocumentEdit]:
    start = types.Position(0, 0)
    return [
        types.CreateFile(uri, options=types.CreateFileOptions(overwrite=True)),
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, None),
            [types.TextEdit(types.Range(start, start), text)],
        ),
    ]
