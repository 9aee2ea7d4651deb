"""A project's own modules stand between a file and PyTorch; a view that knows them is asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.inference.reexports import reexport_view
from gpu2ascend_rules.model.project_view import STANDALONE, Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})


class Project(Standalone):
    """One module, ``compat``, that has ``torch`` under a name of its own."""

    reexported_names = frozenset({"pytorch"})

    def stands_for(self, importer_path: str, imported: str) -> str | None:
        return "torch" if imported.endswith("compat.pytorch") else None

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return {"pytorch": "torch"} if module.endswith("compat") else {}


class OnlyNames(Standalone):
    """Knows half of what is needed."""

    reexported_names = frozenset({"pytorch"})


def apis(text: str, project: Standalone) -> list[str | None]:
    return [item.api for item in check(SourceFile(text, "a.py"), OPTIONS, project)]


def test_a_view_that_can_answer_is_asked() -> None:
    project = Project()
    assert reexport_view(project) is project


@pytest.mark.parametrize("project", [STANDALONE, OnlyNames()])
def test_a_view_that_cannot_is_not(project: Standalone) -> None:
    assert reexport_view(project) is None
    assert reexport_view(Project()) is not None


@pytest.mark.parametrize(
    "text",
    [
        "from compat import pytorch\npytorch.cuda.init()\n",
        "from compat import pytorch as t\nt.cuda.init()\n",
        "from .compat import pytorch\npytorch.cuda.init()\n",
        "from compat import *\npytorch.cuda.init()\n",
    ],
)
def test_a_name_that_comes_by_a_module_of_the_project_is_torchs(text: str) -> None:
    assert apis(text, Project()) == ["torch.cuda.init"]
    assert apis(text, STANDALONE) == []


@pytest.mark.parametrize(
    "text", ["from other import pytorch\npytorch.cuda.init()\n", "from compat import x\nx.cuda.init()\n"]
)
def test_another_name_is_not(text: str) -> None:
    assert apis(text, Project()) == []
