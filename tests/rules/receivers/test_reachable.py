"""Whether the project could show what a value is."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers.reachable import is_reachable
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

IMPORTS = "import torch\nfrom own import make, Net\nfrom typing import Optional\nimport elsewhere\n"


class Project(Standalone):
    """A project with one more module."""

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "own"


def probed(code: str) -> tuple[Node, Context]:
    """The receiver of ``.PROBE`` in a file."""
    source = SourceFile(IMPORTS + code)
    return receiver_of_probe(source), Context(source, options_from({"version": "2.8.0"}), Project())


@pytest.mark.parametrize(
    "code",
    [
        "make(1).PROBE",
        "x = make(1)\ny = x.a[0]\ny.PROBE",
        "x = make(1)\nx = x.view(-1)\nx.PROBE",
        "x = None\nx = make(1)\nx.PROBE",
        "x = make(1) if c else torch.ones(2)\nx.PROBE",
        "x = make(1) or make(2)\nx.PROBE",
        "a, b = make(1)\nb.PROBE",
        "for x in make(1):\n    x.PROBE",
        "async def f():\n    x = await make(1)\n    x.PROBE",
        "def f(x: Net):\n    x.PROBE",
        "def f(x: 'Net'):\n    x.PROBE",
        "def f(x: Optional[Net]):\n    x.PROBE",
        "class C(Net):\n    def f(self):\n        self.x.PROBE",
        "class C:\n    def f(self):\n        self.x = make(1)\n        self.x.PROBE",
        "class C:\n    pass\nC().x.PROBE",
    ],
)
def test_what_begins_in_the_project_is_in_sight(code: str) -> None:
    receiver, ctx = probed(code)
    assert is_reachable(receiver, ctx)


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    x.PROBE",
        "def f(x: elsewhere.Net):\n    x.PROBE",
        "x = elsewhere.make()\nx.PROBE",
        "x = make(1)\nx = elsewhere.make()\nx.PROBE",
        "x.PROBE",
        "with make(1) as x:\n    x.PROBE",
        "class C:\n    def f(self):\n        self.x.PROBE",
        "class C(torch.nn.Module):\n    def f(self):\n        self.x.PROBE",
    ],
)
def test_what_begins_outside_of_the_project_is_not(code: str) -> None:
    receiver, ctx = probed(code)
    assert not is_reachable(receiver, ctx)
