"""What the classes of a file derive from, and what they define, keep and return."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.inference.classes.class_definitions import ClassDefinitions
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import enclosing, text_of

IMPORTS = "import torch\nimport torch.nn as nn\nfrom lib import Base\n"


def definition(code: str, name: str) -> tuple[ClassDefinitions, Node]:
    """The classes of a file, and the definition of one of its names."""
    source = SourceFile(IMPORTS + code)
    node = enclosing(source.identifiers(name)[0], "class_definition", "function_definition")
    assert node is not None
    return ClassDefinitions(source), node


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class A(nn.Module): ...\n", "torch.nn.Module"),
        ("class A(nn.Module, object): ...\n", "torch.nn.Module"),
        ("class A(nn.Module, metaclass=M): ...\n", "torch.nn.Module"),
        ("class A(  # comment\n    nn.Module): ...\n", "torch.nn.Module"),
        ("class A(Mixin, nn.Module): ...\nclass Mixin: ...\n", "torch.nn.Module"),
        ("class A(B): ...\nclass B(nn.Linear): ...\n", "torch.nn.Linear"),
        ("class A(B): ...\nclass B(C): ...\nclass C(nn.Linear): ...\n", "torch.nn.Linear"),
        ("class A(nn.Module, nn.Linear): ...\n", None),
        ("class A(nn.Module, Base): ...\n", None),
        ("class A(Base): ...\n", None),
        ("class A: ...\n", None),
        ("class A(object): ...\n", None),
        ("class A(nn.functional.relu): ...\n", None),
        ("class A(A): ...\n", None),
        ("class A(B): ...\ndef B(): ...\n", None),
    ],
)
def test_the_class_of_pytorch_that_one_derives_from(code: str, expected: str | None) -> None:
    classes, owner = definition(code, "A")
    assert classes.torch_base(owner) == expected


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("class A:\n    def f(self): return 'own'\n", "own"),
        ("class A:\n    @wrap\n    def f(self): return 'own'\n", "own"),
        ("class A(B): ...\nclass B:\n    def f(self): return 'inherited'\n", "inherited"),
        ("class A(B): ...\nclass B(C): ...\nclass C:\n    def f(self): return 'far'\n", "far"),
        (
            "class A(B):\n    def f(self): return 'own'\nclass B:\n    def f(self): return 'inherited'\n",
            "own",
        ),
        ("class A:\n    def g(self): ...\n", None),
        ("class A(Base): ...\n", None),
        ("class A:\n    def g(self):\n        def f(): return 'inner'\n", None),
        ("class A: ...\ndef f(): return 'outside'\n", None),
    ],
)
def test_the_method_of_a_class_or_of_one_that_it_derives_from(code: str, found: str | None) -> None:
    classes, owner = definition(code, "A")
    method = classes.method(owner, "f")
    assert (method is None) is (found is None)
    assert method is None or f"'{found}'" in text_of(method)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a", ["a"]),
        ("if c:\n        return a\n    return b", ["a", "b"]),
        ("return", []),
        ("if c:\n        return\n    return b", []),
        ("def g():\n        return a\n    return b", ["b"]),
        ("g = lambda: returned\n    return b", ["b"]),
        ("pass", []),
    ],
)
def test_what_a_function_returns(body: str, expected: list[str]) -> None:
    classes, function = definition(f"def f():\n    {body}\ndef other():\n    return x\n", "f")
    assert [text_of(value) for value in classes.returned_by(function)] == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class Net: ...\n", True),
        ("class Nets(Net): ...\nclass Net: ...\n", True),
        ("class Nets(Mid): ...\nclass Mid(Mixin, Net): ...\nclass Mixin: ...\nclass Net: ...\n", True),
        ("class Nets(NetBase): ...\nclass Net: ...\nclass NetBase: ...\n", False),
        ("class Nets(Mid): ...\nclass Mid(Nets): ...\nclass Net: ...\n", False),
    ],
)
def test_whether_a_class_derives_from_another(code: str, expected: bool) -> None:
    source = SourceFile(code)
    first, *_ = source.root.named_children
    classes = ClassDefinitions(source)
    net = next(one for one in source.root.named_children if text_of(one.child_by_field_name("name")) == "Net")
    assert classes.derives(first, net) is expected
