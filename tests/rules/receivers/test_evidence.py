"""What speaks for or against a receiver being one of torch's objects."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.events import MemberRef
from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers import evidence
from gpu2ascend_rules.receivers.evidence import (
    could_be_own,
    is_argument_namespace,
    is_assigned,
    is_defined_by_own_class,
    is_foreign,
    is_in_map_location,
    is_module_of_project,
    is_of_class_elsewhere,
    methods_defined_here,
)
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import torch\nimport torch.nn as nn\n"


def member(text: str) -> tuple[MemberRef, Context]:
    """The last use of an attribute ``cuda``, as rules are told of it."""
    ctx = Context(SourceFile(HEAD + text, "train.py"), options_from({"version": "2.8.0"}))
    *_, last = scan_members(ctx.source, ["cuda"])
    return last, ctx


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.cuda = 1\n", True),
        ("x.cuda += 1\n", True),
        ("del x.cuda\n", True),
        ("x.cuda, y = 1, 2\n", True),
        ("(x.cuda, y) = 1, 2\n", True),
        ("y = x.cuda\n", False),
        ("x.cuda()\n", False),
        ("x[0] = y.cuda\n", False),
        ("print(x.cuda)\n", False),
    ],
)
def test_an_attribute_is_assigned(text: str, expected: bool) -> None:
    ref, _ = member(text)
    assert is_assigned(ref) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("args.cuda\n", True),
        ("self.args.cuda\n", True),
        ("cfg.train.cuda\n", False),
        ("self.cfg.cuda\n", True),
        ("Config.cuda\n", True),
        ("FLAGS.cuda\n", True),
        ("model.cuda\n", False),
        ("get_args().cuda\n", False),
        ("args[0].cuda\n", False),
    ],
)
def test_a_receiver_is_called_as_settings_are(text: str, expected: bool) -> None:
    ref, _ = member(text)
    assert is_argument_namespace(ref.receiver) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.load(p, map_location=lambda s, l: s.cuda())\n", True),
        ("torch.load(p, lambda s, l: s.cuda())\n", True),
        ("my_load(p, lambda s, l: s.cuda())\n", True),
        ("f(map_location=lambda s, l: s.cuda())\n", True),
        ("torch.load(p, pickle_module=lambda s, l: s.cuda())\n", False),
        ("f(p, lambda s, l: s.cuda())\n", False),
        ("g = lambda s, l: s.cuda()\n", False),
        ("torch.load(p.cuda())\n", False),
    ],
)
def test_a_call_is_in_what_maps_locations(text: str, expected: bool) -> None:
    ref, ctx = member(text)
    assert is_in_map_location(ref.node, ctx) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A:\n    def cuda(self): pass\n    def f(self): self.cuda()\n", True),
        ("class A:\n    @deco\n    def cuda(self): pass\n    def f(self): self.cuda()\n", True),
        ("class A:\n    def f(self): self.cuda()\nclass B:\n    def cuda(self): pass\n", False),
        ("class B:\n    def cuda(self): pass\nclass A:\n    def f(self): self.cuda()\n", False),
        ("class A:\n    def f(self): self.cuda()\n", False),
        ("class A:\n    def g(self):\n        def cuda(): pass\n    def f(self): self.cuda()\n", False),
        ("def cuda(self): pass\nself.cuda()\n", False),
        ("class A:\n    def cuda(self): pass\nself.cuda()\n", False),
        ("class A:\n    def cuda(self): pass\nA().cuda()\n", True),
        ("class A:\n    def cuda(self): pass\na = A()\na.cuda()\n", True),
        ("class A:\n    def cuda(self): pass\na = B()\na.cuda()\n", False),
        ("class A:\n    def cuda(self): pass\n    def f(self, x): x.cuda()\n", False),
    ],
)
def test_a_class_of_the_file_defines_the_method_of_its_object(text: str, expected: bool) -> None:
    ref, ctx = member(text)
    assert is_defined_by_own_class(ref, ctx) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A:\n    def cuda(self): pass\nx.cuda()\n", True),
        ("class A(nn.Module):\n    def cuda(self): pass\nx.cuda()\n", False),
        (
            "class A(nn.Module):\n    def cuda(self): pass\nclass B:\n    def cuda(self): pass\nx.cuda()\n",
            True,
        ),
        ("class A:\n    def cuda(self): self.x.cuda()\n", False),
        ("class A:\n    def cuda(self): pass\n    def f(self): self.x.cuda()\n", True),
        ("def cuda(x): pass\nx.cuda()\n", False),
        ("x.cuda()\n", False),
        ("class A:\n    def other(self): pass\nx.cuda()\n", False),
    ],
)
def test_an_unknown_receiver_could_be_an_object_of_a_class_of_the_file(text: str, expected: bool) -> None:
    ref, ctx = member(text)
    assert could_be_own(ref, ctx) is expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("class A:\n    def cuda(self): pass\nx.cuda()\n", 1),
        (
            "class A:\n    def cuda(self): pass\n"
            "class B:\n    if a:\n        def cuda(self): pass\nx.cuda()\n",
            2,
        ),
        ("class A:\n    async def cuda(self): pass\nx.cuda()\n", 1),
        ("def cuda(self): pass\nx.cuda()\n", 0),
        ("class A:\n    def f(self, cuda): pass\nx.cuda()\n", 0),
        ("class A:\n    cuda = 1\nx.cuda()\n", 0),
    ],
)
def test_the_methods_of_a_name_are_those_in_classes(text: str, count: int) -> None:
    ref, ctx = member(text)
    assert len(methods_defined_here(ref.name, ctx)) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import paddle\npaddle.ones(2).cuda()\n", True),
        ("import paddle\nx = paddle.ones(2)\nx.cuda()\n", True),
        ("import jax\njax.cuda()\n", True),
        ("x = torch.ones(2)\nx.cuda()\n", False),
        ("torch.cuda()\n", False),
        ("x.cuda()\n", False),
    ],
)
def test_a_receiver_is_of_another_framework(text: str, expected: bool) -> None:
    ref, ctx = member(text)
    assert is_foreign(ref, ctx) is expected


class Files(Standalone):
    """A project with one other module."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return ("net.py", self._text) if module == "net" else None


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("import torch.nn as nn\nclass Net(nn.Module):\n    pass\n", True),
        ("class Net:\n    def cuda(self):\n        return self\n", False),
        ("from .base import Net\n", False),
        ("def Net():\n    return 1\n", False),
        ("import torch.nn as nn\ndef Net():\n    return nn.Linear(1, 1)\n", True),
    ],
)
@pytest.mark.parametrize("given", ["model", "model, optimizer"])
def test_a_module_of_another_file(other: str, expected: bool, given: str) -> None:
    text = f"from net import Net\n{given} = Net(1)\nmodel = model.cuda()\n"
    ctx = Context(SourceFile(text, "train.py"), options_from({"version": "2.8.0"}), Files(other))
    *_, last = scan_members(ctx.source, ["cuda"])
    assert is_module_of_project(last, ctx) is expected


class Learners(Files):
    """A project with classes that define ``cuda`` themselves, and a table of some."""

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "net"

    def defines_method(self, name: str) -> frozenset[str]:
        return frozenset({"q.Learner", "coma.Other"})


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("import torch.nn as nn\nclass Net(nn.Module):\n    pass\n", False),
        ("class Net:\n    pass\n", True),
        ("import torch.nn as nn\ndef Net():\n    return nn.Linear(1, 1)\n", True),
    ],
)
def test_what_a_module_of_another_file_makes_is_of_no_own_class(other: str, expected: bool) -> None:
    text = "from net import Net\nmodel = Net(1)\nmodel.train()\nmodel.cuda()\n"
    ctx = Context(SourceFile(text, "train.py"), options_from({"version": "2.8.0"}), Learners(other))
    (ref,) = scan_members(ctx.source, ["cuda"])
    assert could_be_own(ref, ctx) is expected


@pytest.mark.parametrize(
    ("code", "other"),
    [
        ("from net import Net\nmodel = Net(1)\n", "import torch.nn as nn\nclass Net(nn.Module):\n    pass\n"),
        ("from net import TABLE\nmodel = TABLE[name](1)\n", "from q import Q\nTABLE = {'q': Q}\n"),
    ],
)
def test_another_file_is_parsed_once_for_all_references(
    code: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def counted(text: str, path: str) -> SourceFile:
        parsed.append(path)
        return SourceFile(text, path)

    monkeypatch.setattr(evidence, "SourceFile", counted)
    source = SourceFile(code + "model.cuda()\n" * 20, "train.py")
    ctx = Context(source, options_from({"version": "2.8.0"}), Learners(other))
    for ref in scan_members(ctx.source, ["cuda"]):
        could_be_own(ref, ctx)
        is_module_of_project(ref, ctx)
        is_of_class_elsewhere(ref, ctx)
    assert parsed == ["net.py"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("TABLE = {'q': Learner, 'coma': Other}\n", True),
        ("TABLE = {}\nTABLE['q'] = Learner\nTABLE['coma'] = Other\n", True),
        ("TABLE = {'q': Learner, 'net': Module}\n", False),
        ("TABLE = make()\n", False),
    ],
)
def test_an_object_of_a_class_in_a_table(table: str, expected: bool) -> None:
    code = "from net import TABLE as known\nlearner = known[args.learner](1)\nlearner.cuda()\n"
    text = "from q import Learner\nfrom coma import Other\nfrom torch.nn import Module\n" + table
    ctx = Context(SourceFile(code, "run.py"), options_from({"version": "2.8.0"}), Learners(text))
    (ref,) = scan_members(ctx.source, ["cuda"])
    assert is_of_class_elsewhere(ref, ctx) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A(nn.Module):\n    def __init__(self):\n        self.cuda = ''\n    def f(self):\n"
         "        return self.cuda\n", True),
        ("class A(nn.Module):\n    def __init__(self):\n        self.cuda = ''\nclass B(nn.Module):\n"
         "    def f(self):\n        return self.cuda()\n", False),
    ],
)  # fmt: skip
def test_a_field_of_a_class_is_no_method_of_torch(text: str, expected: bool) -> None:
    ref, ctx = member(text)
    assert is_defined_by_own_class(ref, ctx) is expected
