"""Every use of what a migration imports is dominated by its import: shown by running the programs."""

from __future__ import annotations

from itertools import product

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.notebook.composite import Composite
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.edits.stub_modules import run

VERSIONS = ("1.8.1", "1.11.0", "2.1.0", "2.5.1", "2.8.0", str(NEWEST))

PROGRAMS = {
    "plain": "import torch\nflag = torch.cuda.is_available()\n",
    "both arms of an if": (
        "import sys\nif sys.flags:\n    import torch\nelse:\n    import torch\n"
        "flag = torch.cuda.is_available()\n"
    ),
    "the other arm of an if": (
        "if 0:\n    import torch\nelse:\n    import torch\nflag = torch.cuda.is_available()\n"
    ),
    "an elif": (
        "if 0:\n    import torch\nelif 1:\n    import torch\nelse:\n    torch = None\n"
        "def f():\n    return torch.cuda.device_count()\n"
    ),
    "two names in two arms": (
        "if 0:\n    import torch as th\n    n = th.cuda.device_count()\n"
        "else:\n    import torch as th\n    n = th.cuda.device_count()\n"
    ),
    "a nested if": (
        "if 1:\n    if 0:\n        import torch\n    else:\n        import torch\n"
        "    def f():\n        return torch.cuda.is_available()\n"
    ),
    "a try": (
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n"
        "def f():\n    return torch.cuda.is_available()\n"
    ),
    "a handler": (
        "try:\n    import not_there\n    import torch\nexcept ImportError:\n    import torch\n"
        "def f():\n    return torch.cuda.is_available()\nf()\n"
    ),
    "the else of a try": (
        "try:\n    import not_there\nexcept ImportError:\n    x = 1\nelse:\n    import torch\n"
        "    torch.cuda.init()\nimport torch\ntorch.cuda.init()\n"
    ),
    "else after a good try": (
        "try:\n    import os\nexcept ImportError:\n    pass\nelse:\n    import torch\n"
        "def f():\n    torch.cuda.synchronize()\n"
    ),
    "a finally": (
        "try:\n    import not_there\nexcept ImportError:\n    pass\nfinally:\n    import torch\n"
        "torch.cuda.synchronize()\n"
    ),
    "a with": (
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import torch\n"
        "def f():\n    torch.cuda.synchronize()\n"
    ),
    "a loop": "for name in ('a', 'b'):\n    import torch\n    torch.cuda.init()\ntorch.cuda.init()\n",
    "several functions": (
        "def f():\n    import torch\n    return torch.cuda.is_available()\n"
        "def g():\n    import torch as th\n    return th.cuda.device_count()\n"
        "def h():\n    from torch import cuda\n    return cuda.device_count()\n"
    ),
    "two arms in a function": (
        "def f():\n    if 0:\n        import torch\n    else:\n        import torch\n"
        "    return torch.cuda.is_available()\n"
    ),
    "a handler in a function": (
        "def f():\n    try:\n        import apex\n        import torch\n    except ImportError:\n"
        "        import torch\n        torch.cuda.init()\n    torch.cuda.init()\n"
    ),
    "a function and the module, later": (
        "def f():\n    import torch\n    return torch.cuda.is_available()\nf()\n"
        "import torch\nflag = torch.cuda.is_available()\n"
    ),
    "a function and the module, before": (
        "import torch\nfrom torch import nn\ndef f():\n    import torch\n"
        "    return torch.cuda.is_available()\nf()\n"
    ),
    "a nested function": (
        "def f():\n    import torch\n    def g():\n        return torch.cuda.is_available()\n    return g()\n"
    ),
    "a function nested before the import": (
        "def f():\n    def g():\n        return torch.cuda.is_available()\n    import torch\n    return g()\n"
    ),
    "a nested function with its own": (
        "def f():\n    import torch\n    torch.cuda.init()\n    def g():\n        import torch\n"
        "        return torch.cuda.is_available()\n    return g()\n"
    ),
    "a lambda": "def f():\n    import torch\n    g = lambda: torch.cuda.is_available()\n    return g()\n",
    "a default": (
        "if 1:\n    import torch\n"
        "def f(flag=torch.cuda.is_available()):\n    return torch.cuda.device_count()\n"
    ),
    "a decorator": (
        "try:\n    import torch\nexcept ImportError:\n    pass\n"
        "@torch.cuda.amp.autocast()\ndef f():\n    return torch.cuda.device_count()\n"
    ),
    "a class": (
        "class A:\n    import torch\n    flag = torch.cuda.is_available()\n"
        "    def f(self):\n        import torch\n        return torch.cuda.is_available()\nA().f()\n"
    ),
    "a method": (
        "class A:\n    def __init__(self):\n        import torch\n"
        "        self.n = torch.cuda.device_count()\n"
        "    def f(self):\n        import torch\n        return torch.cuda.is_available()\nA().f()\n"
    ),
    "a class in a function": (
        "def f():\n    import torch\n    class A:\n        flag = torch.cuda.is_available()\n"
        "        def g(self):\n            return torch.cuda.is_available()\n    return A().g()\n"
    ),
    "used before it is imported again": (
        "import torch as th\ndef f():\n    n = th.cuda.device_count()\n    import torch\n"
        "    return torch.cuda.is_available()\n"
    ),
    "its own guarded import": (
        "import torch\ndef f():\n    torch.cuda.init()\n"
        "    if 0:\n        import torch_npu\n        torch_npu.npu.init()\n"
    ),
    "an import that did not run": (
        "import torch\nif 0:\n    import torch_npu\nflag = torch.cuda.is_available()\n"
    ),
    "an import by another name": (
        "import torch\ndef f():\n    import torch_npu as n\n    n.npu.init()\n"
        "    return torch.cuda.is_available()\n"
    ),
    "an import for types": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\nelse:\n    import torch\n"
        "flag = torch.cuda.is_available()\n"
    ),
    "unless for types": (
        "import typing\nif not typing.TYPE_CHECKING:\n    import torch\n"
        "def f():\n    return torch.cuda.is_available()\n"
    ),
    "a global": (
        "def load():\n    global torch\n    import torch\n    torch.cuda.init()\nload()\n"
        "def f():\n    return torch.cuda.is_available()\n"
    ),
    "a submodule in a try": (
        "try:\n    import torch.nn as nn\n    import torch\nexcept ImportError:\n    pass\n"
        "else:\n    torch.cuda.init()\ntorch.cuda.init()\n"
    ),
    "one line": "def f(): import torch; return torch.cuda.is_available()\n",
    "one line of a try": "try: import torch\nexcept ImportError: pass\nflag = torch.cuda.is_available()\n",
    "a match": (
        "match 1:\n    case 0:\n        import torch\n    case _:\n        import torch\n"
        "flag = torch.cuda.is_available()\n"
    ),
    "an import of the module": (
        "try:\n    from torch import cuda\nexcept ImportError:\n    cuda = None\n"
        "def f():\n    return cuda.is_available()\n"
    ),
    "a call": (
        "if 1:\n    import pytest\n    torch = pytest.importorskip('torch')\n"
        "def f():\n    return torch.cuda.is_available()\n"
    ),
}

NOTEBOOKS = {
    "one cell": ["import torch\n", "flag = torch.cuda.is_available()\n"],
    "each cell": [
        "def f():\n    import torch\n    return torch.cuda.is_available()\n",
        "import torch\nflag = torch.cuda.is_available()\n",
        "from torch import nn\nflag = torch.cuda.is_available()\n",
    ],
    "a cell that tries": [
        "%%capture\n!pip install torch\ntry:\n    import torch\n"
        "except ImportError:\n    !pip install torch\n    import torch\n",
        "%time torch.cuda.synchronize()\n",
        "def f():\n    return torch.cuda.is_available()\n",
    ],
    "a cell that chooses": [
        "in_colab = False\n",
        "if in_colab:\n    !nvidia-smi\n    import torch\nelse:\n    import torch\n",
        "flag = torch.cuda.is_available()\n",
    ],
    "cells of another language": [
        "%%bash\nimport torch\n",
        "%%writefile train.py\nimport torch\ntorch.cuda.init()\n",
        "def f():\n    import torch\n    torch.cuda.init()\n",
        "import torch\n",
        "torch.cuda.init()\n",
    ],
}


def migrated(text: str, version: str, style: str) -> str:
    options = options_from({"version": version, "api_style": style})
    return apply_fixes(SourceFile(text), options).text


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_ran_runs(text: str) -> None:
    run(text)
    with every_case() as case:
        for version, style in product(VERSIONS, ["torch_npu.npu", "torch.npu"]):
            with case(f"{version}, {style}"):
                new = migrated(text, version, style)
                assert "torch.cuda" not in new and style.partition(".")[0] in new and "npu" in new
                run(new)


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_second_migration_adds_nothing(text: str) -> None:
    once = migrated(text, "2.8.0", "torch_npu.npu")
    assert migrated(once, "2.8.0", "torch_npu.npu") == once


@pytest.mark.parametrize("cells", NOTEBOOKS.values(), ids=NOTEBOOKS)
def test_the_cells_of_a_notebook_run_in_their_order(cells: list[str]) -> None:
    composite = Composite(cells)
    new = apply_fixes(composite.source, options_from({"version": "2.8.0"})).text
    assert "torch.cuda" not in new and "torch_npu.npu." in new
    run(new)


def test_one_import_is_enough_where_it_always_runs() -> None:
    text = (
        "import torch\nif torch.cuda.is_available():\n    import torch.nn as nn\n    torch.cuda.init()\n"
        "def f():\n    import torch\n    torch.cuda.init()\n"
    )
    assert migrated(text, "2.8.0", "torch_npu.npu").count("import torch_npu") == 1


def test_what_names_a_device_needs_no_more_imports_than_a_name() -> None:
    text = "if a:\n    import torch\nelse:\n    import torch\nx.cuda()\ntorch.cuda.init()\n"
    new = migrated(text, "2.8.0", "torch_npu.npu")
    assert new.count("import torch_npu") == 2
