"""A name is found however a file imports, assigns and writes it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import ProjectView, Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def codes(text: str) -> list[str]:
    return [item.code for item in check(SourceFile(text, "a.py"), OPTIONS)]


NUMBERED = "import torch\nfor inputs, target in enumerate(loader):\n    {}\n"
USED = ["inputs.to(d)", "f(inputs . size())", "(inputs\n     .view(1))", "(inputs  # a\n    .to(d))"]


@pytest.mark.parametrize("use", USED)
def test_a_number_for_a_batch_is_found_however_its_use_is_written(use: str) -> None:
    assert codes(NUMBERED.format(use)) == ["NPU418"]


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
    "assigned behind a backslash": ("import torch\nt = \\\n    torch.nn\n", "t."),
    "assigned from behind one": ("import torch\nt \\\n    = torch.nn\n", "t."),
    "assigned without blanks": ("import torch\nt=torch.nn\n", "t."),
}


@pytest.mark.parametrize("form", IMPORTS)
def test_a_name_is_known_however_it_is_imported_or_assigned(form: str) -> None:
    head, name = IMPORTS[form]
    use = f"{name}MaxPool3d(2)" if name.endswith(".") or not name else f"{name}(2)"
    assert codes(f"{head}y = {use}\n")


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
    "torch.zeros(2, names=a)",
    "torch.zeros(2, names \\\n    =a)",
    "F.gelu(x, approximate = 'none')",
]


@pytest.mark.parametrize("use", USES)
def test_a_use_is_known_however_it_is_written(use: str) -> None:
    assert codes(f"import torch\nfrom torch import nn\nimport torch.nn.functional as F\n{use}\n")


class Reexports(Standalone):
    """A project that re-exports ``torch.nn`` as ``common.layers``."""

    reexported_names = frozenset({"layers"})

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        return "torch.nn" if imported == "common.layers" else None

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return {"layers": "torch.nn"} if module == "common" else {}


@pytest.mark.parametrize("head", ["from common import layers\n", "from common import *\n"])
def test_a_name_that_another_file_reexports_is_known(head: str) -> None:
    project: ProjectView = Reexports()
    text = f"{head}y = layers.MaxPool3d(2)\n"
    assert check(SourceFile(text, "a.py"), OPTIONS, project)


def test_a_rule_that_an_option_turns_on_has_its_events() -> None:
    options = options_from({"version": "1.8.1", "replace_unsupported": True})
    assert check(SourceFile("import torch.nn as nn\ny = nn.ReflectionPad2d(3)\n"), options)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n" + "x = x.a\n" * 3,
        "import torch as x\n" + "x = x.a\n" * 3,
        f"# import ({'word, ' * 2_000}(\nimport torch\n",
    ],
)
def test_a_name_that_never_ends_is_looked_up_in_time(text: str) -> None:
    assert codes(text + "torch.cuda.synchronize()\n") == ["NPU101"]
