"""What rules ask of a file: how it writes names and quotes, what it imports, what its release lacks."""

from __future__ import annotations

from typing import Any

import pytest

from gpu2ascend_rules.engine.context import TORCH, TORCH_NPU, TORCH_NPU_LOADED, Context
from gpu2ascend_rules.facts.statuses import ABSENT, SupportStatus
from gpu2ascend_rules.model.finding import Requirement
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from tests.rules.codemods.distributed.conversion import Files


def context(text: str = "", version: str = "2.8.0", **options: object) -> Context:
    return Context(SourceFile(text, "train.py"), options_from({"version": version, **options}))


@pytest.mark.parametrize(
    ("text", "name", "spelled"),
    [
        ("", "torch_npu.npu.Stream", "torch_npu.npu.Stream"),
        ("import torch_npu as tn\n", "torch_npu.npu.Stream", "tn.npu.Stream"),
        ("def f():\n    import torch_npu as tn\n", "torch_npu.npu.Stream", "torch_npu.npu.Stream"),
        ("import torch as t\n", "torch.npu.Stream", "t.npu.Stream"),
        ("import torch as t\n", "torch_npu.npu.Stream", "torch_npu.npu.Stream"),
        ("import torch as t\n", "torch", "t"),
        ("import torch\nimport torch as t\n", "torch.nn", "torch.nn"),
    ],
)
def test_a_name_is_written_as_the_file_knows_its_module(text: str, name: str, spelled: str) -> None:
    assert context(text).spell(name) == spelled


@pytest.mark.parametrize(
    ("style", "name", "spelled", "needs"),
    [
        ("torch_npu.npu", "torch_npu.npu.Stream", "torch_npu.npu.Stream", {TORCH_NPU}),
        ("torch.npu", "torch_npu.npu.Stream", "torch.npu.Stream", {TORCH, TORCH_NPU_LOADED}),
        ("torch.npu", "torch_npu.profiler", "torch_npu.profiler", {TORCH_NPU}),
        ("torch_npu.npu", "torch_npu.profiler", "torch_npu.profiler", {TORCH_NPU}),
        ("torch_npu.npu", "torch.accelerator", "torch.accelerator", {TORCH, TORCH_NPU_LOADED}),
    ],
)
def test_the_style_of_names_says_what_is_imported(
    style: str, name: str, spelled: str, needs: set[Requirement]
) -> None:
    ctx = context(api_style=style)
    assert ctx.spell(name) == spelled
    assert ctx.requires(name) == needs


def test_torch_for_ascend_has_no_package_of_its_own_before_1_8() -> None:
    old, new = context(version="1.5.0"), context(version="1.8.1")
    assert (old.has_torch_npu, new.has_torch_npu) == (False, True)
    assert (old.names_the_npu, new.names_the_npu) == (frozenset(), frozenset({TORCH_NPU_LOADED}))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("x = 1\n", "'npu'"),
        ("x = 'a'\n", "'npu'"),
        ('x = "a"\n', '"npu"'),
        ("x = 'a', \"b\"\n", "'npu'"),
        ('"""A text."""\nx = \'a\'\n', "'npu'"),
        ('"""A text."""\nx = "a"\n', '"npu"'),
        ('x = "a", "b", \'c\'\n', '"npu"'),
    ],
)
def test_a_text_is_in_the_quotes_that_the_file_uses_most(text: str, quoted: str) -> None:
    ctx = context(text)
    assert ctx.quoted("npu", ctx.source.root) == quoted


@pytest.mark.parametrize(("text", "quoted"), [("f'{x}'\n", '"npu"'), ('f"{x}"\n', "'npu'")])
def test_within_an_f_string_a_text_is_in_the_other_quotes(text: str, quoted: str) -> None:
    ctx = context(text)
    (name,) = ctx.source.identifiers("x")
    assert ctx.quoted("npu", name) == quoted


@pytest.mark.parametrize(
    ("text", "is_imported"),
    [
        ("import torch\n", True),
        ("import torch.nn\n", True),
        ("from torch import nn\n", True),
        ("from torch.nn import Linear\n", True),
        ("def f():\n    import torch\n", True),
        ("import torchvision\n", False),
        ("torch = 1\n", False),
        ("from .torch import x\n", False),
        ("import json as torch\n", False),
    ],
)
def test_a_module_is_imported_by_itself_or_below(text: str, is_imported: bool) -> None:
    assert context(text).imports_module("torch") is is_imported


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("x = 1\nx.PROBE\n", ["1"]),
        ("x = 1\nx = 2\nx.PROBE\n", ["1", "2"]),
        ("x = 1 if a else 2\nx.PROBE\n", ["1", "2"]),
        ("x.PROBE\n", ["x"]),
        ("f(1).PROBE\n", ["f(1)"]),
    ],
)
def test_a_value_comes_from_what_the_file_gives_it(text: str, origins: list[str]) -> None:
    ctx = context(text)
    (probe,) = ctx.source.identifiers("PROBE")
    assert probe.parent is not None
    receiver = probe.parent.child_by_field_name("object")
    assert receiver is not None
    assert [text_of(node) for node in ctx.origins(receiver)] == origins


@pytest.mark.parametrize(
    ("name", "version", "is_lacking"),
    [
        ("torch.symeig", "2.8.0", True),
        ("torch.symeig", "1.8.1", False),
        ("torch.nn.RMSNorm", "1.8.1", True),
        ("torch.nn.RMSNorm", "2.8.0", False),
        ("torch.ones", "2.8.0", False),
        ("symeig", "2.8.0", False),
    ],
)
def test_a_release_lacks_what_others_have(name: str, version: str, is_lacking: bool) -> None:
    assert context(version=version).lacks(name) is is_lacking


@pytest.mark.parametrize(
    ("name", "root", "options", "status"),
    [
        ("torch.symeig", "torch", {}, ABSENT),
        ("torch.symeig", "torch.symeig", {}, None),
        ("torch.symeig.x", "torch.symeig", {}, None),
        ("json.symeig", "json", {}, None),
        ("torch.no_such_name", "torch", {}, None),
        ("torch.no_such_name", "torch", {"unknown_apis": True}, SupportStatus.UNKNOWN.value),
        ("torch.matmul", "torch", {}, None),
        ("torch.matmul", "torch", {"restricted_apis": True}, SupportStatus.RESTRICTED.value),
    ],
)
def test_the_status_of_a_name_is_that_of_its_longest_listed_part(
    name: str, root: str, options: dict[str, Any], status: str | None
) -> None:
    assert context(**options).support_listed_status(name, root) == status


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        ("my_cuda", True),
        ("MyCUDA", True),
        ("built", True),
        (".built", True),
        ("package.built", True),
        ("built.ops", True),
        ("rebuilt", False),
        ("other", False),
    ],
)
def test_an_import_may_be_of_an_extension_that_the_project_compiles(name: str, may_be: bool) -> None:
    setup = "setup(ext_modules=[CUDAExtension('built', ['a.cu'])])\n"
    source = SourceFile("", "train.py")
    ctx = Context(source, options_from({"version": "2.8.0"}), Files({"setup.py": setup}))
    assert ctx.may_be_extension(name) is may_be


def test_what_is_asked_once_is_computed_once() -> None:
    ctx, asked = context("cuda\n"), []

    def compute() -> int:
        asked.append(1)
        return 3

    assert [ctx.once("key", compute), ctx.once("key", compute), ctx.once("other", compute)] == [3, 3, 3]
    assert len(asked) == 2


def test_a_file_has_what_a_handler_needs_by_a_word_or_by_a_question() -> None:
    ctx, asked = context("x = cuda\n"), []

    def question(outline: object) -> bool:
        asked.append(outline)
        return False

    assert [ctx.has(""), ctx.has("cuda"), ctx.has("npu")] == [True, True, False]
    assert [ctx.has(question), ctx.has(question)] == [False, False]
    assert len(asked) == 1


def test_a_context_lets_go_of_everything_behind_its_block() -> None:
    class Part:
        is_forgotten = False

        def forget(self) -> None:
            self.is_forgotten = True

    ctx = context("x = 1\n")
    with ctx:
        part = ctx.shared(make := lambda ctx: Part())
        assert ctx.shared(make) is part
        assert not part.is_forgotten
    assert part.is_forgotten
    assert vars(ctx) == {}


@pytest.mark.parametrize(
    ("head", "works"),
    [("import torch.nn as nn", True), ("from nets import *", True), ("from nets import build", False)],
)
def test_a_file_works_with_torch_that_a_star_import_brings(head: str, works: bool) -> None:
    assert context(f"{head}\nmodel = torch.compile(model)\n").works_with_torch is works
    assert not context("from nets import *\nmodel.torch = 1\n").works_with_torch
