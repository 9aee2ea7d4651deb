"""The changes of a text as choices: no selection of them gives code that is broken where the whole is not."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.inspect.placed import PlacedChange
from gpu2ascend.project.inspect.previews.choices import Choice, choices
from gpu2ascend.project.inspect.previews.preview import PreviewedEdit, PreviewRequest, previewed
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.model.finding import Edit, Message, Requirement
from gpu2ascend_rules.model.outcome import MadeFix
from gpu2ascend_rules.model.project.project_view import STANDALONE
from tests.rules.example_options import options_of

TEXT = b"0123456789"
NPU = frozenset({Requirement("torch_npu")})


def fix(code: str, start: int, *edits: Edit, requires: frozenset[Requirement] = frozenset()) -> MadeFix:
    return MadeFix(code, Message.of("fix.replace", text=code), start, edits, requires)


def chosen(
    *passes: tuple[list[MadeFix], list[Edit]], known: tuple[tuple[str, int], ...] = ()
) -> list[Choice]:
    """The choices of passes, each with its fixes and the imports that these need."""
    edits = [[*(edit for item in fixes for edit in item.edits), *imports] for fixes, imports in passes]
    return choices(TEXT, edits, [fixes for fixes, _ in passes], frozenset(known))


def codes(found: list[Choice]) -> list[list[str]]:
    return [[item.code for item in choice.fixes] for choice in found]


def test_fixes_that_have_nothing_to_do_with_each_other_are_choices_of_their_own() -> None:
    found = chosen(([fix("A", 1, Edit(1, 2, "a")), fix("B", 4, Edit(4, 5, "b"))], []))
    assert codes(found) == [["A"], ["B"]]
    assert [choice.edits for choice in found] == [(Edit(1, 2, "a"),), (Edit(4, 5, "b"),)]


def test_a_fix_of_several_edits_is_made_as_a_whole() -> None:
    (found,) = chosen(([fix("A", 1, Edit(1, 2, "a"), Edit(5, 6, "b"))], []))
    assert found.edits == (Edit(1, 6, "a234b"),)


def test_what_lies_within_the_span_of_a_fix_is_made_with_it() -> None:
    fixes = [fix("A", 1, Edit(1, 2, "a"), Edit(7, 8, "c")), fix("B", 4, Edit(4, 5, "b"))]
    (found,) = chosen((fixes, []))
    assert [item.code for item in found.fixes] == ["A", "B"]
    assert found.edits == (Edit(1, 8, "a23b56c"),)


def test_a_later_fix_of_what_an_earlier_wrote_is_made_with_it() -> None:
    found = chosen(([fix("A", 1, Edit(1, 2, "abc"))], []), ([fix("B", 1, Edit(2, 3, "x"))], []))
    assert codes(found) == [["A", "B"]]
    assert found[0].edits == (Edit(1, 2, "axc"),)


def test_what_was_found_only_after_another_fix_is_made_with_it() -> None:
    passes = ([fix("A", 1, Edit(1, 2, "a"))], []), ([fix("B", 7, Edit(7, 8, "b"))], [])
    assert codes(chosen(*passes)) == [["A", "B"]]
    assert codes(chosen(*passes, known=(("B", 7),))) == [["A"], ["B"]]


def test_an_import_is_no_choice() -> None:
    found = chosen(([fix("A", 5, Edit(5, 6, "a"), requires=NPU)], [Edit(0, 0, "i")]))
    assert codes(found) == [[], ["A"]]


def test_an_import_that_is_part_of_a_fix_holds_all_together_that_need_it() -> None:
    fixes = [
        fix("A", 1, Edit(0, 2, "a"), requires=NPU),
        fix("B", 5, Edit(5, 6, "b"), requires=NPU),
        fix("C", 8, Edit(8, 9, "c")),
    ]
    assert codes(chosen((fixes, [Edit(2, 2, "i")]))) == [["A", "B"], ["C"]]


def undefined(text: str) -> set[str] | None:
    """The names that a module reads and nothing in it binds; None for what is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    read: set[str] = set()
    bound = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return read - bound


def selections(changes: list[PreviewedEdit]) -> Iterator[list[Edit]]:
    """Each change alone, all but each, none and all; with what belongs to no change."""
    numbers = {item.change.number for item in changes if item.change is not None}
    for wanted in (set(), numbers, *({number} for number in numbers), *(numbers - {one} for one in numbers)):
        yield [item.edit for item in changes if item.change is None or item.change.number in wanted]


def broken(text: str, changes: list[PreviewedEdit]) -> list[str]:
    """What selections of changes make of a module, where it reads a name then that nothing binds.

    A name that all changes leave unbound is one that a user's own rule wrote.
    """
    whole = undefined(apply_edits(text.encode(), [item.edit for item in changes]).decode())
    before = undefined(text)
    if before is None or whole is None:
        return []
    made = [apply_edits(text.encode(), edits).decode() for edits in selections(changes)]
    return [after for after in made if (found := undefined(after)) is None or found - before - whole]


@pytest.mark.slow
@pytest.mark.every_rule
def test_no_selection_of_changes_breaks_an_example() -> None:
    for rule in all_rules():
        for example in rule.examples:
            if example.path and not example.path.endswith(".py"):
                continue
            request = PreviewRequest(root=Path(), options=options_of(example))
            _, changes = previewed(example.path or "a.py", example.before, STANDALONE, request)
            assert not broken(example.before, changes), (rule.code, example.before)


def test_a_selection_without_its_import_would_be_noticed() -> None:
    use = PreviewedEdit(Edit(13, 18, "torch_npu"), PlacedChange(1, ()))
    bringing = PreviewedEdit(Edit(12, 12, "\nimport torch_npu"), PlacedChange(2, ()))
    assert broken("import torch\ntorch.x\n", [use, bringing])
    assert not broken("import torch\ntorch.x\n", [use, bringing._replace(change=None)])
