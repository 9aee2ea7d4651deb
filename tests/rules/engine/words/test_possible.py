"""A file that has nothing for any rule is known by its words, and no other file is taken for one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules import check as door
from gpu2ascend_rules.check import check, may_find
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Example, Rule
from gpu2ascend_rules.engine.words.possible import Outlook
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView, Standalone
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.example_options import options_of

OPTIONS = options_from({"version": "2.8.0"})
EVERYTHING = options_from({"version": "2.8.0", "unknown_apis": True, "restricted_apis": True})
USE = "torch.autograd.graph.disable_saved_tensors_hooks"


def with_every_tree(
    text: str, options: MigrationOptions, monkeypatch: pytest.MonkeyPatch, project: ProjectView = STANDALONE
) -> object:
    """The findings where no file is passed over for its words."""
    with monkeypatch.context() as patch:
        patch.setattr(door, "outlook", lambda *_: Outlook(True, None))
        return check(SourceFile(text, "a.py"), options, project)


def programs(rule: Rule) -> dict[int, Example]:
    """The examples of a rule that are Python, by number."""
    return {number: example for number, example in enumerate(rule.examples) if not example.path}


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if programs(rule)], ids=lambda rule: rule.code)
def test_an_example_is_judged_as_by_its_tree(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    with every_case() as case:
        for number, example in programs(rule).items():
            for options in (options_of(example), OPTIONS, EVERYTHING):
                with case(number):
                    expected = with_every_tree(example.before, options, monkeypatch)
                    assert check(SourceFile(example.before, "a.py"), options) == expected


EVERYDAY = [
    "y = x.view(x.shape[0], -1).to(x.dtype).unsqueeze(0).float()",
    "b, c, h, w = x.size()",
    "y = torch.where(mask, x, 0.0)",
    "y = torch.zeros(2, 3, dtype=torch.float32)",
    "y = F.relu(x) + F.silu(x)",
    "y = nn.ReLU()(x)",
    "y = x.to(torch.bfloat16)",
    "opt = torch.optim.AdamW(net.parameters(), lr=0.1)",
    "data = torch.utils.data.TensorDataset(x, y)",
    "@torch.jit.script\ndef f(x):\n    return x",
    "w = restore(path, map_location=place)",
    "current = accumulate(x, focus, 'current')",
    "for i, x in enumerate(blocks):\n    y = x.view(1)[:i]",
]
"""What models and their training are written with, and no rule says anything about by itself."""


@pytest.mark.parametrize("code", EVERYDAY)
def test_everyday_code_of_torch_needs_no_tree(code: str) -> None:
    text = f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n{code}\n"
    assert may_find(SourceFile(f"{text}x.cuda()\n"), OPTIONS)
    assert not may_find(SourceFile(text), OPTIONS)


NUMBERED = "import torch\nfor inputs, target in enumerate(loader):\n    {}\n"
USED = ["inputs.to(d)", "f(inputs . size())", "(inputs\n     .view(1))", "(inputs  # a\n    .to(d))"]


@pytest.mark.parametrize("use", USED)
def test_a_number_for_a_batch_is_found_however_its_use_is_written(use: str) -> None:
    assert [item.code for item in check(SourceFile(NUMBERED.format(use)), OPTIONS)] == ["NPU418"]


IMPORTS = {
    "plain": ("import torch\n", "torch.nn."),
    "of a module beside another that comes twice": (
        "import torch.nn as t\nimport torch\nimport torch\n",
        "t.",
    ),
    "of a module": ("import torch.nn\n", "torch.nn."),
    "by another name": ("import os, torch.nn as t\n", "t."),
    "behind a backslash": ("import os, \\\n    torch as t\n", "t.nn."),
    "behind one that ends no line": ("from torch import \\ nn as t\n", "t."),
    "of an import behind one": ("from torch \\\n    import nn as t\n", "t."),
    "whose names begin behind one": ("from torch import \\\n    nn as t\n", "t."),
    "with a backslash before the name": ("import torch \\\n    as t\n", "t.nn."),
    "in parentheses": ("from torch import (  # (nn)\n    jit as j,  # a\n    nn as t,\n)\n", "t."),
    "with blanks": ("from\ttorch . nn  import\tMaxPool3d\tas   t, ReLU\n", "t"),
    "with blanks around the dots": ("import torch . nn as t\n", "t."),
    "in a line": ("x = 1; from torch import nn as t; y = 2\n", "t."),
    "behind a colon": ("if x: import torch.nn as t\n", "t."),
    "with a form feed": ("\fimport torch.nn as t\n", "t."),
    "with carriage returns": ("import os\rimport torch.nn as t\r", "t."),
    "with Windows lines": ("from torch import \\\r\n    nn as t\r\n", "t."),
    "of a star": ("from torch.nn import *\n", ""),
    "of a letter beyond ASCII": ("import torch.nn as 模型\n", "模型."),
    "by a call": ("import other as t\nt = __import__('torch')\n", "t.nn."),
    "in broken code": ("import = torch.nn as t from\nimport torch.nn as t\n", "t."),
    "of two in a line": ("import os import torch.nn as t\n", "t."),
    "none": ("", "torch.nn."),
    "in a function": ("def f():\n    from torch import nn as t\n    return 1\nimport torch.nn as t\n", "t."),
    "assigned": ("import torch\nt = torch.nn\n", "t."),
    "assigned twice": ("import torch\na = torch\nt = a.nn\n", "t."),
    "assigned to two": ("import torch\nt = u = torch.nn\n", "t."),
    "assigned with a type": ("import torch\nt: Any = torch.nn\n", "t."),
    "assigned with a type of a module": ("import torch\nt: a.b.C[d] = torch.nn\n", "t."),
    "assigned in parentheses": (
        "import other as t\nt = (  # why\n    torch.nn\n)\nimport torch\n",
        "t.",
    ),
    "assigned behind a backslash": ("import torch\nt = \\\n    torch.nn\n", "t."),
    "assigned from behind one": ("import torch\nt \\\n    = torch.nn\n", "t."),
    "assigned without blanks": ("import torch\nt=torch.nn\n", "t."),
    "assigned in parentheses on the left": ("import other as t, torch\n(t) = torch.nn\n", "t."),
    "assigned in a broken line": ("import torch\nt = torch.nn)\n", "t."),
}


@pytest.mark.parametrize("form", IMPORTS)
def test_a_name_is_known_however_it_is_imported_or_assigned(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, name = IMPORTS[form]
    use = f"{name}MaxPool3d(2)" if name.endswith(".") or not name else f"{name}(2)"
    text = f"{head}y = {use}\n"
    expected = with_every_tree(text, OPTIONS, monkeypatch)
    assert check(SourceFile(text, "a.py"), OPTIONS) == expected


OPAQUE = {
    "assigned in parentheses",
    "assigned in parentheses on the left",
    "assigned in a broken line",
}
"""Forms of which the tree says nothing today."""


def test_the_tree_shows_the_other_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_found(head: str, name: str) -> bool:
        last = "MaxPool3d" if name.endswith(".") or not name else ""
        return bool(with_every_tree(f"{head}y = {name}{last}(2)\n", OPTIONS, monkeypatch))

    assert {form for form in IMPORTS if is_found(*IMPORTS[form])} == IMPORTS.keys() - OPAQUE


USES = [
    "y = nn.MaxPool3d(2)",
    "y = nn . MaxPool3d(2)",
    "y = nn. MaxPool3d(2)",
    "y = nn .MaxPool3d(2)",
    "y = (nn\n    .MaxPool3d(2))",
    "y = (nn  # why\n    .MaxPool3d(2))",
    "y = (nn  # why\n\n    # and\n    .MaxPool3d(2))",
    "y = (nn.  # why\n    MaxPool3d(2))",
    "y = nn \\\n    .MaxPool3d(2)",
    "y = nn.\\\n    MaxPool3d(2)",
    "y = f'{nn.MaxPool3d(2)}'",
    "@nn.MaxPool3d\ndef f(): ...",
    "y = [-nn.MaxPool3d(2)]",
    "y=nn.MaxPool3d",
    "y = x[nn.MaxPool3d]",
    "y = x.to_dense\nx: torch.Tensor = 1\nz = x. to_dense()",
    "model.load(\n    map_location  # why\n    = 'a')",
    "torch.load(p, map_location \\\n = x)",
    "torch.zeros(2, names=a)",
    "torch.zeros(2, names \\\n    =a)",
    "F.gelu(x, approximate = 'none')",
    "F.gelu(x, approximate = u'none')",
    "def rotate_half(x): return torch.cat((-x2, x1), dim=-1)",
]


@pytest.mark.parametrize("use", USES)
def test_a_use_is_known_however_it_is_written(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"import torch\nfrom torch import nn\nimport torch.nn.functional as F\n{use}\n"
    for options in (OPTIONS, EVERYTHING):
        expected = with_every_tree(text, options, monkeypatch)
        assert check(SourceFile(text, "a.py"), options) == expected


class Reexports(Standalone):
    """A project that re-exports ``torch.nn`` as ``common.layers``."""

    reexported_names = frozenset({"layers"})

    def stands_for(self, importer_path: str, imported: str) -> str | None:
        return "torch.nn" if imported == "common.layers" else None

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return {"layers": "torch.nn"} if module == "common" else {}


@pytest.mark.parametrize("head", ["from common import layers\n", "from common import *\n"])
def test_a_name_that_another_file_reexports_is_known(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project: ProjectView = Reexports()
    text = f"{head}y = layers.MaxPool3d(2)\n"
    expected = with_every_tree(text, OPTIONS, monkeypatch, project)
    assert expected and check(SourceFile(text, "a.py"), OPTIONS, project) == expected


MODEL = """
from typing import Optional

import torch
import torch.nn as nn
from torch.nn import (functional as F,  # layers
                      init)
from torch.utils.data import \\
    Dataset

class Block(nn.Module):
    '''A block of torch.nn. It is one.'''

    def __init__(self, size: int, act: Optional[nn.Module] = nn.GELU):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.act = act or nn.GELU()
        self.names = None
        self.register_buffer('mask', torch.zeros(size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.pad(self.act(self.layer(x)), (1, 1))
"""


def test_a_file_with_nothing_for_a_rule_is_not_parsed() -> None:
    source = SourceFile(MODEL.replace("torch.nn. It", "torch.nn: it"), "a.py")
    assert check(source, OPTIONS) == ()
    assert source.known_tree is None


@pytest.mark.parametrize(
    "line",
    [
        "y = x.cuda()",
        "# at a gpu",
        "pool = nn.MaxPool3d(2)",
        "torch.zeros(2, names=('N', 'C'))",
        "F.gelu(y, approximate='none')",
        "from torch.jit import load; m = load(p).register_buffer('a', b)",
    ],
)
def test_one_line_for_a_rule_is_reason_to_parse_it(line: str) -> None:
    source = SourceFile(MODEL + line + "\n", "a.py")
    check(source, OPTIONS)
    assert source.known_tree is not None


def test_a_rule_that_an_option_turns_on_has_its_events() -> None:
    options = options_from({"version": "1.8.1", "replace_unsupported": True})
    assert check(SourceFile("import torch.nn as nn\ny = nn.ReflectionPad2d(3)\n"), options)


@pytest.mark.parametrize(
    "text", ["import torch\n" + "x = x.a\n" * 3, "import torch as x\n" + "x = x.a\n" * 3]
)
def test_a_name_that_is_assigned_to_itself_comes_to_an_end(text: str) -> None:
    check(SourceFile(text), OPTIONS)
