"""The form of an edit follows what the client can take; what is unsafe is never made without a question."""

from __future__ import annotations

from lsprotocol import types

from gpu2ascend.lsp.edits.workspace_edits import EditedFile, takes_annotations, workspace_edit
from gpu2ascend.project.inspect.placed import PlacedChange, PlacedEdit, Reason
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


def placed(text: str, number: int = 1, *, unsafe: bool = False) -> PlacedEdit:
    """An edit of the third line, which is a part of a change."""
    reason = Reason(f"NPU{number}", Message.of("fix.replace", text="why"), 3)
    title = Message.of("fix.replace", text="what comes") if unsafe else None
    change = PlacedChange(number, (reason,), title)
    return PlacedEdit(Position(2, 4), Position(2, 8), text, change)


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


def annotated(made: types.WorkspaceEdit) -> dict[str, types.ChangeAnnotation]:
    """What is said of the edits, by the new text; an edit of which nothing is said has no entry."""
    annotations = made.change_annotations or {}
    (document,) = made.document_changes or ()
    assert isinstance(document, types.TextDocumentEdit)
    return {
        item.new_text: annotations[item.annotation_id]
        for item in document.edits
        if isinstance(item, types.AnnotatedTextEdit)
    }


def test_what_is_unsafe_is_to_be_confirmed_and_what_is_safe_is_not() -> None:
    made = edit(ALL, placed("npu"), placed("other", 2, unsafe=True), placed("third", 3, unsafe=True))
    asks = {text: item.needs_confirmation for text, item in annotated(made).items()}
    assert asks == {"npu": False, "other": True, "third": True}


def test_each_change_has_a_label_with_rule_line_and_message() -> None:
    made = annotated(edit(ALL, placed("one", 1), placed("other", 2)))
    assert [item.label.partition(": ")[0] for item in made.values()] == ["NPU1, line 3", "NPU2, line 3"]
    assert all("why" in item.label for item in made.values())


def test_an_annotation_says_what_is_unsafe() -> None:
    shown = annotated(edit(ALL, placed("other", unsafe=True)))["other"]
    assert "NPU1" in shown.label and "what comes" in (shown.description or "")


def test_the_edits_of_one_change_have_one_annotation_and_those_of_other_documents_another() -> None:
    edits = (placed("one"), placed("two"))
    files = [EditedFile(URI, 7, edits), EditedFile("file:///b.py", 1, edits)]
    made = workspace_edit(files, ALL, "en")
    assert len(made.change_annotations or ()) == 2


def test_the_cells_of_a_notebook_have_one_numbering() -> None:
    files = [EditedFile(f"cell:{cell}", 1, (placed("one"),), "file:///a.ipynb") for cell in (1, 2)]
    assert len(workspace_edit(files, ALL, "en").change_annotations or ()) == 1


def test_an_import_that_changes_share_is_none_of_them() -> None:
    shared = PlacedEdit(Position(0, 0), Position(0, 0), "import torch_npu\n")
    assert list(annotated(edit(ALL, shared, placed("npu")))) == ["npu"]


def test_a_change_that_answers_many_findings_names_some() -> None:
    reasons = tuple(Reason("NPU1", Message.of("fix.replace", text="why"), line) for line in range(1, 8))
    one = PlacedEdit(Position(2, 4), Position(2, 8), "npu", PlacedChange(1, reasons))
    label = annotated(edit(ALL, one))["npu"].label
    assert "line 3" in label and "line 4" not in label and "4 more" in label


def test_a_preview_of_safe_edits_alone_asks_as_well() -> None:
    made = edit(ALL, placed("npu"), is_preview=True)
    assert annotated(made)["npu"].needs_confirmation


def test_a_preview_with_unsafe_edits_leaves_the_safe_ones_ticked() -> None:
    made = edit(ALL, placed("npu"), placed("other", 2, unsafe=True), is_preview=True)
    asks = {text: item.needs_confirmation for text, item in annotated(made).items()}
    assert asks == {"npu": False, "other": True}


def test_files_that_are_made_come_before_the_edits_that_need_them() -> None:
    made = types.CreateFile(uri="file:///b.py")
    whole = workspace_edit([EditedFile(URI, None, (placed("npu"),))], ALL, "en", [made])
    changes = whole.document_changes or []
    assert changes[0] is made
    assert [type(item) for item in changes] == [types.CreateFile, types.TextDocumentEdit]
