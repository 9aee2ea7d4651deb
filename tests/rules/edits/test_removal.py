"""Taking a statement, an argument or an imported name out, and nothing else with it."""

from __future__ import annotations

import ast

import pytest

from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.removal import (
    argument_removals,
    decorator_removal,
    holds_comment,
    imported_name_removal,
    is_call_statement,
    statement_removal,
)
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, enclosing


def without_calls(text: str, name: str) -> str:
    """A text without the statements that call a function of that name."""
    source = SourceFile(text)
    calls = [enclosing(node, "call") for node in source.identifiers(name)]
    statements = [call.parent for call in calls if call is not None and is_call_statement(call)]
    edits = [statement_removal(source, statement) for statement in statements if statement is not None]
    return apply_edits(source.data, edits).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\ntorch.cuda.gone()\nx = 1\n", "import torch\nx = 1\n"),
        ("import torch\ntorch.cuda.gone()", "import torch"),
        ("import torch\ntorch.cuda.gone(\n    1,\n)\nx = 1\n", "import torch\nx = 1\n"),
        ("import torch\r\ntorch.cuda.gone()\r\nx = 1\r\n", "import torch\r\nx = 1\r\n"),
        ("import torch\ntorch.cuda.gone()  # why\nx = 1\n", "import torch\n# why\nx = 1\n"),
        ("import torch\nif x: torch.cuda.gone()\n", "import torch\nif x: pass\n"),
        ("import torch\na = 1; torch.cuda.gone()\n", "import torch\na = 1\n"),
        ("import torch\ntorch.cuda.gone(); a = 1  # b\n", "import torch\na = 1  # b\n"),
        ("import torch\na = 1; torch.cuda.gone(); b = 2\n", "import torch\na = 1; b = 2\n"),
        ("import torch\nif x:\n    torch.cuda.gone()\n", "import torch\nif x:\n    pass\n"),
        (
            "import torch\nif x:\n    torch.cuda.gone()\n    torch.cuda.gone()\n",
            "import torch\nif x:\n    pass\n",
        ),
        (
            "import torch\nif x:\n    # only this\n    torch.cuda.gone()\n    print(1)\n",
            "import torch\nif x:\n    # only this\n    print(1)\n",
        ),
        ("import torch\nx = torch.cuda.gone()\n", "import torch\nx = torch.cuda.gone()\n"),
    ],
)
def test_a_statement(before: str, after: str) -> None:
    assert without_calls(before, "gone") == after
    ast.parse(after)


@pytest.mark.parametrize(
    ("before", "gone", "after"),
    [
        ("f(a, b=1, c=2)", {"b"}, "f(a, c=2)"),
        ("f(a, b=1, c=2)", {"c"}, "f(a, b=1)"),
        ("f(a, b=1, c=2)", {"b", "c"}, "f(a)"),
        ("f(b=1, c=2,)", {"b", "c"}, "f()"),
        ("f(b=1, a=0, c=2)", {"b", "c"}, "f(a=0)"),
        ("f(\n    a,\n    b=1,\n    c=2,\n)", {"b"}, "f(\n    a,\n    c=2,\n)"),
        ("f(\n    a,\n    b=1,\n)", {"b"}, "f(\n    a,\n)"),
        ("f(a, **rest)", {"b"}, "f(a, **rest)"),
        ("f(\n    a,\n    b=1,  # why\n    c=2,\n)", {"b"}, "f(\n    a,\n      # why\n    c=2,\n)"),
        ("f(\n    # first\n    b=1  # why\n)", {"b"}, "f(\n    # first\n      # why\n)"),
        ("f(a,  # x\n  b=1  # y\n  , c=2)", {"b"}, "f(a,  # x\n    # y\n   c=2)"),
    ],
)
def test_arguments(before: str, gone: set[str], after: str) -> None:
    source = SourceFile(before)
    call = source.root.named_children[0].named_children[0]
    arguments = [item for item in arguments_of(call).items if item.keyword in gone]
    assert apply_edits(source.data, argument_removals(call, arguments)).decode() == after


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("from a import b\nx = 1\n", "b", "x = 1\n"),
        ("from a import b, c\n", "b", "from a import c\n"),
        ("from a import b, c as d\n", "d", "from a import b\n"),
        ("from a import (\n    b,\n    c,\n)\n", "b", "from a import (\n    c,\n)\n"),
        ("from a import (\n    b,\n    c,\n)\n", "c", "from a import (\n    b,\n)\n"),
        ("def f():\n    import b\n", "b", "def f():\n    pass\n"),
        ("from a import (\n    b,  # why\n    c,\n)\n", "b", "from a import (\n      # why\n    c,\n)\n"),
        ("from a import (\n    b,  # why\n    c\n)\n", "c", "from a import (\n    b,  # why\n    \n)\n"),
    ],
)
def test_an_imported_name(before: str, name: str, after: str) -> None:
    source = SourceFile(before)
    binding = next(item for item in source.names.imports if item.name == name)
    assert apply_edits(source.data, [imported_name_removal(source, binding)]).decode() == after


def test_a_decorator_goes_with_its_line_unless_a_comment_stands_there() -> None:
    for text, expected in (
        ("@d(1)\ndef f(): pass\n", "def f(): pass\n"),
        ("@d  # why\ndef f(): pass\n", None),
    ):
        source = SourceFile(text)
        edit = decorator_removal(source, source.root.named_children[0].named_children[0])
        assert (apply_edits(source.data, [edit]).decode() if edit else None) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("f(\n    1,  # why\n)\n", True, id="behind an argument"),
        pytest.param("f(\n    # why\n    1,\n)\n", True, id="before one"),
        pytest.param("f(  # why\n)\n", True, id="without arguments"),
        pytest.param("f(1)  # why\n", False, id="behind the call"),
        pytest.param("# why\nf(1)\n", False, id="before the call"),
        pytest.param("f('# why')\n", False, id="in a text"),
        pytest.param("f()\n", False, id="none"),
    ],
)
def test_a_comment_between_the_arguments_would_go_with_the_call(code: str, expected: bool) -> None:
    (name,) = SourceFile(code).identifiers("f")
    call = enclosing(name, "call")
    assert call is not None
    assert holds_comment(call) is expected
