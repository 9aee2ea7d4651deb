"""What rules are shown of a file: names, imports, members, keywords, definitions, writes by a mask."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.scan import (
    callee_name,
    mask_writes,
    narrowed,
    receiver_name,
    scan_definitions,
    scan_imports,
    scan_keywords,
    scan_mask_writes,
    scan_members,
    scan_names,
)
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

TORCH = frozenset({"torch"})


def names(text: str) -> list[tuple[str, str]]:
    """The qualified names below torch, with how they are written."""
    return sorted((ref.name, ref.written) for ref in scan_names(SourceFile(text), TORCH))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch\ntorch.cuda.f()\n", [("torch.cuda.f", "torch.cuda.f")]),
        ("torch.cuda\n", [("torch.cuda", "torch.cuda")]),
        ("import torch as t\nt.f\n", [("torch.f", "t.f")]),
        ("from torch import cuda\ncuda.f\n", [("torch.cuda.f", "cuda.f")]),
        ("from torch import cuda as c\nc.f.g\n", [("torch.cuda.f.g", "c.f.g")]),
        ("from torch.cuda import *\nf\n", []),
        ("import json\njson.f\n", []),
        ("def f(torch):\n    return torch.g\n", []),
        ("import torch\nc = torch.cuda\nc.f\n", [("torch.cuda", "torch.cuda"), ("torch.cuda.f", "c.f")]),
        (
            "import torch\na = b = torch.cuda\na.f\nb.g\n",
            [("torch.cuda", "torch.cuda"), ("torch.cuda.f", "a.f"), ("torch.cuda.g", "b.g")],
        ),
        (
            "import torch\na = torch.cuda\nb = a.amp\nb.f\n",
            [("torch.cuda", "torch.cuda"), ("torch.cuda.amp", "a.amp"), ("torch.cuda.amp.f", "b.f")],
        ),
        ("import torch\na.c = torch.cuda\nc.f\n", [("torch.cuda", "torch.cuda")]),
        ("import torch\nc = [torch.cuda]\nc.f\n", [("torch.cuda", "torch.cuda")]),
        ("import torch\nx.y = torch.f\n", [("torch.f", "torch.f")]),
    ],
)
def test_a_name_is_found_by_whatever_it_is_called(text: str, found: list[tuple[str, str]]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "count", "expected"),
    [
        ("import torch\ntorch.a.b.c\n", 4, ("torch.a.b.c", "torch.a.b.c", ())),
        ("import torch\ntorch.a.b.c\n", 3, ("torch.a.b", "torch.a.b", ("c",))),
        ("import torch\ntorch.a.b.c\n", 1, ("torch", "torch", ("a", "b", "c"))),
        ("from torch import a\na.b.c\n", 3, ("torch.a.b", "a.b", ("c",))),
        ("from torch import a\na.b.c\n", 2, ("torch.a", "a", ("b", "c"))),
        ("from torch import a\na.b.c\n", 1, None),
    ],
)
def test_a_name_is_narrowed_to_the_part_that_a_rule_wants(
    text: str, count: int, expected: tuple[str, str, tuple[str, ...]] | None
) -> None:
    (ref,) = scan_names(SourceFile(text), TORCH)
    cut = narrowed(ref, count)
    assert (None if cut is None else (cut.name, cut.written, cut.rest)) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch\n", ["torch"]),
        ("import torch.cuda\n", ["torch.cuda"]),
        ("import torch.cuda as c\n", ["torch.cuda"]),
        ("from torch import cuda, nn\n", ["torch.cuda", "torch.nn"]),
        ("from torch import *\n", ["torch"]),
        ("import json, torch\n", ["torch"]),
        ("import torchvision\n", []),
        ("from .torch import f\n", []),
    ],
)
def test_imports_are_found_by_the_module_that_they_begin_with(text: str, found: list[str]) -> None:
    assert [ref.name for ref in scan_imports(SourceFile(text), TORCH)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x.f\n", [("x", None)]),
        ("x.f()\n", [("x", None)]),
        ("import torch\ntorch.f\n", [("torch", "torch")]),
        ("import torch\ntorch.g().f\n", [("torch.g()", None)]),
        ("import torch\nc = torch.cuda\nc.f\n", [("c", "torch.cuda")]),
        ("def torch(): pass\ntorch.f\n", [("torch", None)]),
        ("f\n", []),
        ("f.x\n", []),
        ("x.g\n", []),
        ("x['f']\n", []),
        ("x(f=1)\n", []),
    ],
)
def test_a_member_is_found_with_what_it_is_asked_of(text: str, found: list[tuple[str, str | None]]) -> None:
    refs = list(scan_members(SourceFile(text), ["f"]))
    assert [(text_of(ref.receiver), ref.receiver_name) for ref in refs] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("f(k=1)\n", [("1", None)]),
        ("import torch\ntorch.f(k=1)\n", [("1", "torch.f")]),
        ("f(k)\n", []),
        ("k = 1\n", []),
        ("f(a=k)\n", []),
        ("def f(k=1): pass\n", []),
        ("class A(k=1): pass\n", []),
        ("f(**dict(k=g(k=2)))\n", [("g(k=2)", None), ("2", None)]),
    ],
)
def test_a_keyword_is_found_in_a_call_alone(text: str, found: list[tuple[str, str | None]]) -> None:
    refs = list(scan_keywords(SourceFile(text), ["k"]))
    assert [(text_of(ref.value), ref.callee_name) for ref in refs] == found


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("def f(): pass\n", ["function_definition"]),
        ("class f: pass\n", ["class_definition"]),
        ("class A:\n    def f(self): pass\n", ["function_definition"]),
        ("class A(f): pass\n", []),
        ("def g(f): pass\n", []),
        ("f = 1\n", []),
    ],
)
def test_a_definition_is_found_by_its_own_name(text: str, kinds: list[str]) -> None:
    assert [node.type for _, node in scan_definitions(SourceFile(text), ["f"])] == kinds


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x[x > 0] = 1\n", ["x[x > 0] = 1"]),
        ("x[mask] = 1\n", ["x[mask] = 1"]),
        ("x[a == b] = y\n", ["x[a == b] = y"]),
        ("x.y[m != 0] = 1\n", ["x.y[m != 0] = 1"]),
        ("f(x)[m < 0] = 1\n", ["f(x)[m < 0] = 1"]),
        ("x[0][m < 0] = 1\n", ["x[0][m < 0] = 1"]),
        ("x[0] = 1\n", []),
        ("x[x > 0] == 1\n", []),
        ("y = x[x > 0]\n", []),
        ("[a > 0] = 1\n", []),
        ("x[x[0] > 0] = 1\n", []),
        ("# x[x > 0] = 1\n", []),
        ("'x[x > 0] = 1'\n", []),
        ("y[z] = x[x > 0] = 1\n", ["x[x > 0] = 1"]),
    ],
)
def test_a_write_by_a_mask_is_an_item_that_is_chosen_by_a_comparison(text: str, written: list[str]) -> None:
    source = SourceFile(text)
    assert [text_of(node) for node in scan_mask_writes(source)] == written
    assert len(list(mask_writes(source.data))) >= len(written)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\ntorch.f(1)\n", "torch.f"),
        ("from torch import f\nf(1)\n", "torch.f"),
        ("import torch\nf = torch.g\nf(1)\n", "torch.g"),
        ("f(1)\n", None),
        ("import torch\ntorch.f(1)(2)\n", None),
        ("def f(x): pass\nf(1)\n", None),
    ],
)
def test_a_call_has_the_name_of_what_it_calls(text: str, name: str | None) -> None:
    source = SourceFile(text)
    node = source.root.named_children[-1].named_children[0]
    assert callee_name(source, node) == name
    assert receiver_name(source, node) is None
