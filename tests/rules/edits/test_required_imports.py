"""Where ``import torch_npu`` goes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.required_imports import import_edits
from gpu2ascend_rules.model.finding import Requirement
from gpu2ascend_rules.text.source_file import SourceFile

NAMED = Requirement("torch_npu")
LOADED = Requirement("torch_npu", by_name=False)


def with_import(text: str, requirement: Requirement = NAMED, at: str = "USE") -> str:
    source = SourceFile(text)
    offset = source.data.index(at.encode())
    return apply_edits(source.data, import_edits(source, [(requirement, offset)])).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\nUSE\n", "import torch\nimport torch_npu\nUSE\n"),
        ("import torch.nn as nn\nUSE\n", "import torch.nn as nn\nimport torch_npu\nUSE\n"),
        ("from torch import nn\nUSE\n", "from torch import nn\nimport torch_npu\nUSE\n"),
        ("import torch  # why\nUSE\n", "import torch  # why\nimport torch_npu\nUSE\n"),
        ("import os; import torch\nUSE\n", "import os; import torch\nimport torch_npu\nUSE\n"),
        ("\fimport torch\nUSE\n", "\fimport torch\nimport torch_npu\nUSE\n"),
        (
            "import pytest\ntorch = pytest.importorskip('torch')\nUSE\n",
            "import pytest\ntorch = pytest.importorskip('torch')\nimport torch_npu\nUSE\n",
        ),
        (
            "if TYPE_CHECKING:\n    import torch\ndef f(x: USE): ...\n",
            "if TYPE_CHECKING:\n    import torch\n    import torch_npu\ndef f(x: USE): ...\n",
        ),
        ("import torch; import os\nUSE\n", "import torch; import os\nimport torch_npu\nUSE\n"),
        ("import torch; USE\n", "import torch; import torch_npu; USE\n"),
        ('import torch; t = """\n"""\nUSE\n', 'import torch; import torch_npu; t = """\n"""\nUSE\n'),
        (
            "def f():\n    import torch; return USE\n",
            "def f():\n    import torch; import torch_npu; return USE\n",
        ),
        ("import torch\r\nUSE\r\n", "import torch\r\nimport torch_npu\r\nUSE\r\n"),
        (
            "from torch import (\n    nn,\n)\nUSE\n",
            "from torch import (\n    nn,\n)\nimport torch_npu\nUSE\n",
        ),
        (
            "from __future__ import annotations\nimport torch\nUSE\n",
            "from __future__ import annotations\nimport torch\nimport torch_npu\nUSE\n",
        ),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\nUSE\n",
            "try:\n    import torch\n    import torch_npu\nexcept ImportError:\n    torch = None\nUSE\n",
        ),
        (
            "try: import torch\nexcept E: pass\nUSE\n",
            "try: import torch; import torch_npu\nexcept E: pass\nUSE\n",
        ),
        ("def f():\n\timport torch\n\tUSE\n", "def f():\n\timport torch\n\timport torch_npu\n\tUSE\n"),
        (
            "if x:\n    import torch as t\nimport torch\nUSE\n",
            "if x:\n    import torch as t\nimport torch\nimport torch_npu\nUSE\n",
        ),
        (
            "class A:\n    import torch\n    USE\n",
            "class A:\n    import torch\n    import torch_npu\n    USE\n",
        ),
        (
            "class A:\n    import torch\n    USE\nimport torch\n",
            "class A:\n    import torch\n    import torch_npu\n    USE\nimport torch\n",
        ),
        ("class A:\n    USE\n    import torch\n", "import torch_npu\nclass A:\n    USE\n    import torch\n"),
        (
            "import torch\nclass A:\n    import torch\n    USE\n",
            "import torch\nimport torch_npu\nclass A:\n    import torch\n    USE\n",
        ),
        ("import torch", None),
    ],
)
def test_it_follows_the_first_import_of_torch(before: str, after: str | None) -> None:
    if after is None:
        before, after = f"{before} # USE", "import torch # USE\nimport torch_npu"
    assert with_import(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nimport torch_npu\nUSE\n",
        "import torch\ntry:\n    import torch_npu\nexcept ImportError:\n    pass\nUSE\n",
        "import torch\ndef f():\n    import torch_npu\n    USE\n",
        "if TYPE_CHECKING:\n    import torch, torch_npu\ndef f(x: USE): ...\n",
    ],
)
def test_it_is_not_imported_twice(text: str) -> None:
    assert with_import(text) == text


def test_an_import_in_another_function_does_not_count() -> None:
    text = "import torch\ndef f():\n    import torch_npu\ndef g():\n    USE\n"
    assert with_import(text).count("import torch_npu") == 2


def test_an_import_for_types_only_does_not_count() -> None:
    text = "import torch\nif TYPE_CHECKING:\n    import torch_npu\nUSE\n"
    assert with_import(text) == text.replace("import torch\n", "import torch\nimport torch_npu\n", 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("USE\n", "import torch_npu\nUSE\n"),
        ('"""Doc."""\nUSE\n', '"""Doc."""\nimport torch_npu\nUSE\n'),
        ("#!/bin/x\n# coding: utf-8\nUSE\n", "#!/bin/x\n# coding: utf-8\nimport torch_npu\nUSE\n"),
        ('"""Doc."""\nfrom __future__ import annotations\nUSE\n',
         '"""Doc."""\nfrom __future__ import annotations\nimport torch_npu\nUSE\n'),
        ("import os\nimport sys\n\nUSE\n", "import os\nimport sys\nimport torch_npu\n\nUSE\n"),
    ],
)  # fmt: skip
def test_without_torch_a_name_is_imported_at_the_top(before: str, after: str) -> None:
    assert with_import(before) == after


def test_without_torch_text_that_does_not_spell_the_name_needs_no_import() -> None:
    assert with_import("import os\nUSE\n", LOADED) == "import os\nUSE\n"


@pytest.mark.parametrize("requirement", [LOADED, NAMED])
def test_an_import_from_torch_npu_is_the_place_for_the_module_itself(requirement: Requirement) -> None:
    text = "from torch_npu.npu.amp import autocast\nUSE\n"
    new = "from torch_npu.npu.amp import autocast\nimport torch_npu\nUSE\n"
    assert with_import(text, requirement) == new
