"""Where a codemod puts the imports that it needs."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.module_rewrite import rewrite_module
from gpu2ascend_rules.codemods.operations import Operation, OperationKind
from gpu2ascend_rules.text.source_file import SourceFile

NEW = "import new"


def with_import(text: str) -> str:
    return rewrite_module(SourceFile(text), [Operation(OperationKind.MODULE_TOP, text=NEW)])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os\nimport torch\n{}\nx = 1\n", id="the leading ones"),
        pytest.param("'''A module.'''\n{}\nx = 1\n", id="the docstring, where there is no import"),
        pytest.param("import os\nx = 1\nimport torch\n{}\ny = 2\n", id="that of torch further down"),
        pytest.param(
            "import os\nx = 1\nimport torch\n{}\ny = 2\nimport torch.nn as nn\nz = 3\n",
            id="the first of torch, not the second",
        ),
        pytest.param("import os\n{}\nx = 1\nimport sys\ny = 2\n", id="the leading ones, not a later one"),
        pytest.param("'''A module.'''\nimport os\n{}\nx = 1\n", id="those after the docstring"),
        pytest.param(
            "import os\nos.environ['A'] = '1'\nimport sys\n{}\nx = 1\n", id="those after a variable is set"
        ),
        pytest.param(
            "import sys\nsys.path.append('.')\nimport os\n{}\nx = 1\n", id="those after the path is changed"
        ),
        pytest.param(
            "import sys\n__all__ = ['f']\nimport os\n{}\nx = 1\n", id="those after names of Python's"
        ),
        pytest.param(
            "import sys\n{}\nif x:\n    pass\nimport os\n", id="those before a statement of another kind"
        ),
    ],
)
def test_an_import_stands_behind_the_imports(text: str) -> None:
    before = text.replace("{}\n", "")
    assert with_import(before) == text.replace("{}", NEW)
