"""The form of an edit follows what the client can take; what is unsafe is never made without a question."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend.lsp.edits.workspace_edits import EditedFile, takes_annotations, workspace_edit
from gpu2ascend.project.inspect.placed import PlacedEdit
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.lines import Position

URI = "file:///a.py"


def capabilities(*, documents: bool | None = None, annotations: bool = False) -> types.ClientCapabilities:
    """Of a client that takes versioned documents, and annotations."""
    support = types.ChangeAnnotationsSupportOptions() if annotations else None
    edit = types.WorkspaceEditClientCapabilities(
        document_changes=documents, change_annotation_support=support
    )
    return types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=edit))


def placed(text: str, code: str | None = None) -> PlacedEdit:
    """An edit of the third line; with a code that of an unsafe fix."""
    title = Message.of("fix.replace", text=f"what {code} writes") if code is not None else None
    return PlacedEdit(Position(2, 4), Position(2, 8), text, code, title)


def edit(
    given: types.ClientCapabilities, *edits: PlacedEdit, is_preview: bool = False
) -> types.WorkspaceEdit:
    return workspace_edit([EditedFile(URI, 7, edits)], given, "en", is_preview=is_preview)


ALL = capabilities(documents=True, annotations=True)
PLACE = types.Range(types.Position(2, 4), types.Position(2, 8))


def test_a_client_without_versions_gets_plain_edits_by_document() -> None:
    for weak in (types.ClientCapabilities(), capabilities(), capabilities(documents=False, annotations=True)):
        made = edit(weak, placed("npu"))
        assert made.changes == {URI: [types.TextEdit(PLACE, "npu")]}
        assert made.document_changes is None
        assert made.change_annotations is None


def test_a_client_with_versions_gets_them_of_the_version_that_was_looked_at() -> None:
    made = edit(capabilities(documents=True), placed("npu"))
    assert made.changes is None
    assert made.change_annotations is None
    (document,) = made.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit)
    assert (document.text_document.uri, document.text_document.version) == (URI, 7)
    assert document.edits == [types.TextEdit(PLACE, "npu")]


def test_only_a_client_with_both_takes_annotations() -> None:
    assert takes_annotations(ALL)
    assert not takes_annotations(capabilities(documents=True))
    assert not takes_annotations(capabilities(annotations=True))
    assert not takes_annotations(types.ClientCapabilities())


def test_what_is_unsafe_is_to_be_confirmed_and_what_is_safe_is_not() -> None:
    made = edit(ALL, placed("npu"), placed("other", "NPU101"), placed("third", "NPU101"))
    assert made.change_annotations is not None
    asks = {name: item.needs_confirmation for name, item in made.change_annotations.items()}
    assert asks == {"gpu2ascend.safe": False, "gpu2ascend.NPU101": True}
    (document,) = made.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit)
    named = [(item.new_text, getattr(item, "annotation_id", None)) for item in document.edits]
    assert named == [
        ("npu", "gpu2ascend.safe"),
        ("other", "gpu2ascend.NPU101"),
        ("third", "gpu2ascend.NPU101"),
    ]


def test_an_annotation_says_what_is_unsafe() -> None:
    made = edit(ALL, placed("other", "NPU101"))
    assert made.change_annotations is not None
    shown = made.change_annotations["gpu2ascend.NPU101"]
    assert "NPU101" in shown.label and "what NPU101 writes" in shown.label


def test_a_preview_of_safe_edits_alone_asks_as_well() -> None:
    made = edit(ALL, placed("npu"), is_preview=True)
    assert made.change_annotations is not None
    assert made.change_annotations["gpu2ascend.safe"].needs_confirmation


def test_a_preview_with_unsafe_edits_leaves_the_safe_ones_ticked() -> None:
    made = edit(ALL, placed("npu"), placed("other", "NPU101"), is_preview=True)
    assert made.change_annotations is not None
    asks = {name: item.needs_confirmation for name, item in made.change_annotations.items()}
    assert asks == {"gpu2ascend.safe": False, "gpu2ascend.NPU101": True}


def test_files_that_are_made_come_before_the_edits_that_need_them() -> None:
    made = types.CreateFile(uri="file:///b.py")
    whole = workspace_edit([EditedFile(URI, None, (placed("npu"),))], ALL, "en", [made])
    changes = whole.document_changes or []
    assert changes[0] is made
    assert [type(item) for item in changes] == [types.CreateFile, types.TextDocumentEdit]
