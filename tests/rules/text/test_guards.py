"""Code that expects a name to be missing."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.guards import is_for_types, is_guarded, is_version_dependent
from gpu2ascend_rules.text.source_file import SourceFile


@pytest.mark.parametrize(
    ("text", "guarded", "for_types"),
    [
        ("import apex\n", False, False),
        ("try:\n    import apex\nexcept ImportError:\n    apex = None\n", True, False),
        ("try:\n    import apex\nfinally:\n    pass\n", False, False),
        ("if TYPE_CHECKING:\n    import apex\n", True, True),
        ("if typing.TYPE_CHECKING:\n    import apex\n", True, True),
        ("if fused:\n    import apex\n", False, False),
    ],
)
def test_an_import(text: str, guarded: bool, for_types: bool) -> None:
    source = SourceFile(text)
    statement = next(item.statement for item in source.names.imports)
    assert (is_guarded(statement), is_for_types(statement)) == (guarded, for_types)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = new() if TORCH_GE_2_3 else old()\n", True),
        ("s = new() if hasattr(torch.amp, 'GradScaler') else old()\n", True),
        ("if torch.__version__ >= '2.3':\n    s = new()\n", True),
        ("if fp16:\n    s = new()\n", False),
        ("s = new()\n", False),
    ],
)
def test_a_choice_by_version(text: str, expected: bool) -> None:
    node = next(iter(SourceFile(text).identifiers("new")))
    assert is_version_dependent(node) is expected
