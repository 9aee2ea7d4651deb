"""What a preview has found: files to change, what they need beside them, and what was not examined."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.lsp.commands.found_edits import FoundEdits, Needs
from gpu2ascend.lsp.edits.workspace_edits import EditedFile
from gpu2ascend.project.inspect.placed import PlacedEdit, PlacedFile
from gpu2ascend_rules.model.finding import Message, Requirement

ONE, OTHER = Path("/one"), Path("/other")
IMPORT = frozenset({Requirement("torch_npu")})
EDIT = PlacedEdit(*([0] * len(PlacedEdit._fields)))  # type: ignore[arg-type]  # only whether there is one counts


def file(uri: str, *edits: PlacedEdit) -> EditedFile:
    return EditedFile(uri, None, edits)


def placed(*equivalents: str) -> PlacedFile:
    return PlacedFile("a.py", requires=IMPORT, equivalents=frozenset(equivalents))


def test_a_file_in_which_nothing_changes_is_none() -> None:
    found = FoundEdits.none()
    found.add(file("a"), ONE, placed())
    assert (found.files, found.needs, found.equivalents) == ([], {}, {})
    found.add(file("b", EDIT), ONE, placed())
    assert [item.uri for item in found.files] == ["b"]
    assert found.needs == {"b": Needs(ONE, IMPORT, frozenset())}
    assert found.equivalents == {}


def test_the_equivalents_that_a_folder_needs_are_those_of_all_its_files() -> None:
    found = FoundEdits.none()
    found.add(file("a", EDIT), ONE, placed("f"))
    found.add(file("b"), ONE, placed("g"))
    found.add(file("c", EDIT), OTHER, placed("h"))
    assert found.equivalents == {ONE: {"f", "g"}, OTHER: {"h"}}


def test_each_preview_begins_with_nothing() -> None:
    FoundEdits.none().add(file("a", EDIT), ONE, placed("f"))
    assert FoundEdits.none() == ([], {}, [], [], {})


def test_what_was_not_examined_is_told_with_the_reason() -> None:
    found = FoundEdits.none()
    found.problems.append((ONE / "a.py", Message.of("project.broken-edit")))
    (told,) = found.problems_for_people("en")
    assert told["file"] == str(ONE / "a.py") and told["message"]
