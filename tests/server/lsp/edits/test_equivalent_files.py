"""The package of equivalents beside a document: made where its place is free, left where it is complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from gpu2ascend.lsp.edits.equivalent_files import (
    can_create_files,
    has_place,
    package_changes,
    package_changes_in,
)
from gpu2ascend_rules.similar.package import package_files
from tests.server.lsp.editor import capabilities
from tests.server.project.samples import make_tree

PART = "geglu"
PARTS = (PART,)


def client(
    *operations: types.ResourceOperationKind, document_changes: bool = True
) -> types.ClientCapabilities:
    edit = types.WorkspaceEditClientCapabilities(
        document_changes=document_changes, resource_operations=list(operations)
    )
    return types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit))


@pytest.mark.parametrize(
    ("able", "answer"),
    [
        (capabilities(), True),
        (client(types.ResourceOperationKind.Create), True),
        (client(types.ResourceOperationKind.Delete, types.ResourceOperationKind.Create), True),
        (client(types.ResourceOperationKind.Delete), False),
        (client(types.ResourceOperationKind.Create, document_changes=False), False),
        (types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities()), False),
        (types.ClientCapabilities(), False),
    ],
)
def test_which_clients_make_files(able: types.ClientCapabilities, answer: bool) -> None:
    assert can_create_files(able) is answer


def made(changes: list[types.CreateFile | types.TextDocumentEdit] | None) -> list[str] | None:
    return (
        changes if changes is None else [item.uri for item in changes if isinstance(item, types.CreateFile)]
    )


def test_each_file_is_made_and_then_filled(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"pyproject.toml": "", "pkg/a.py": ""})
    uri = (root / "pkg" / "a.py").as_uri()
    changes = package_changes(uri, PARTS, "en") or []
    files = package_files(frozenset(PARTS), "en")
    uris = [(root / "ascend_function" / name).as_uri() for name in files]
    assert made(changes) == uris
    for created, filled, text in zip(changes[::2], changes[1::2], files.values(), strict=True):
        assert isinstance(created, types.CreateFile) and isinstance(filled, types.TextDocumentEdit)
        assert created.options == types.CreateFileOptions(overwrite=True)
        assert (filled.text_document.uri, filled.text_document.version) == (created.uri, None)
        (edit,) = filled.edits
        start = types.Position(0, 0)
        assert edit == types.TextEdit(types.Range(start, start), text)
    assert has_place(uri, PARTS)


def test_a_document_that_is_no_file_has_no_place_for_it(tmp_path: Path) -> None:
    assert package_changes("untitled:Untitled-1", PARTS, "en") is None
    assert not has_place("untitled:Untitled-1", PARTS)
    assert has_place((tmp_path / "a.py").as_uri(), PARTS)


def ours(root: Path) -> Path:
    for name, text in package_files(frozenset(PARTS), "en").items():
        make_tree(root, {f"ascend_function/{name}": text})
    return root


@pytest.mark.parametrize(
    ("files", "is_free"),
    [
        ({}, True),
        ({"ascend_function/__init__.py": ""}, False),
        ({"ascend_function/similar_api.py": "x = 1\n"}, False),
        ({"ascend_function.py": ""}, False),
    ],
)
def test_another_package_of_the_name_is_left_alone(
    tmp_path: Path, files: dict[str, str], is_free: bool
) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": "", **files})
    assert (package_changes_in(root, PARTS, "en") is not None) is is_free


def test_one_of_ours_with_all_parts_stays_and_gets_what_it_lacks(tmp_path: Path) -> None:
    root = ours(tmp_path / "proj")
    assert package_changes_in(root, PARTS, "en") == []
    assert package_changes_in(root, (), "en") == []
