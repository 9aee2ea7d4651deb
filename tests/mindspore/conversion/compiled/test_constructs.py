"""Whose contents code changes, and what is called."""

from __future__ import annotations

from gpu2ascend_mindspore.conversion.compiled.constructs import changed_names, is_called
from gpu2ascend_rules.text.source_file import SourceFile

TEXT = """\
state['step'] = 3
args.lr = 0.1
seen.add(x)
noise.normal_()
total += 1
model(x).item()
model.train()
"""


def test_contents_are_changed_by_parts_and_by_methods_in_place() -> None:
    source = SourceFile(TEXT, "a.py")
    assert changed_names(source.root) == {"state", "args", "seen", "noise"}


def test_a_name_is_called_itself() -> None:
    source = SourceFile(TEXT, "a.py")
    assert [is_called(one) for one in source.identifiers("model")] == [True, False]
