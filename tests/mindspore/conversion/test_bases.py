"""Classes that derive from modules of other files."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

FILES = {
    "pkg/__init__.py": "from .base import Base\n",
    "pkg/base.py": "from .root import Root\n\n\nclass Base(Root):\n    pass\n\n\nclass Plain:\n    pass\n",
    "pkg/root.py": "from torch import nn\nfrom .base import Plain\n\n\nclass Root(nn.Module):\n    pass\n",
    "pkg/turn.py": "from .back import Turn\n",
    "pkg/back.py": "from .turn import Turn\n",
}
_MODULES = {".": "__init__", "pkg": "__init__"}


class Project(Standalone):
    """A package of a few files."""

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        name = _MODULES.get(module, module.rpartition(".")[2])
        path = f"pkg/{name}.py"
        return (path, FILES[path]) if path in FILES else None


def blockers(imported: str, base: str) -> list[str]:
    head = f"import torch\n{imported}\n\n\nclass Net({base}):\n"
    source = SourceFile(f"{head}    def forward(self, x):\n        return x.size(0)\n", "pkg/net.py")
    options = options_from({}, MigrationOptions(version="2.8.0"))
    with Context(source, options, Project()) as context:
        found = context.shared(Conversion).blockers
    return [use.reason.value for use in found if use.reason is not None]


@pytest.mark.parametrize(
    ("imported", "base"),
    [
        ("from .base import Base", "Base"),
        ("from .root import Root", "Root"),
        ("from . import Base as Parent", "Parent"),
        ("import pkg.base", "pkg.base.Base"),
    ],
)
def test_a_class_of_another_file_that_is_a_module_makes_one(imported: str, base: str) -> None:
    assert blockers(imported, base) == []


@pytest.mark.parametrize(
    ("imported", "base"),
    [
        ("from .base import Plain", "Plain"),
        ("from .turn import Turn", "Turn"),
        ("from other import Base", "Base"),
        ("from .base import Missing", "Missing"),
    ],
    ids=["no module", "files in a circle", "no file of the project", "not in the file"],
)
def test_any_other_is_not_known(imported: str, base: str) -> None:
    assert "base" in blockers(imported, base)
