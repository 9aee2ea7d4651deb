"""What conditions answer on the NPU: of missing libraries, of predicates, of versions, and of flags."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.guards.npu_answers import answer_of
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
TRIED = "try:\n    import flash_attn\n    HAS = True\nexcept ImportError:\n    HAS = False\n"

ANSWERS = [
    ("HAS", TRIED, False),
    ("not HAS and True", TRIED, True),
    ("HAS or other", TRIED, None),
    ("HAS", TRIED.replace("flash_attn", "numpy"), None),
    ("HAS", "HAS = True\ntry:\n    import flash_attn\nexcept ImportError:\n    HAS = False\n", False),
    (
        "HAS",
        "HAS = False\ntry:\n    import flash_attn\nexcept ImportError:\n    pass\nelse:\n    HAS = True\n",
        False,
    ),
    ("f is None", "try:\n    from flash_attn import f\nexcept ImportError:\n    f = None\n", True),
    ("f is not None", "try:\n    from flash_attn import f\nexcept ImportError:\n    f = None\n", False),
    ("find_spec('flash_attn') is not None", "from importlib.util import find_spec\n", False),
    ("find_spec('numpy') is not None", "from importlib.util import find_spec\n", None),
    ("util.find_spec('xformers')", "from importlib import util\n", False),
    ("is_flash_attn_2_available()", "from transformers.utils import is_flash_attn_2_available\n", False),
    ("is_fairscale_available()", "from transformers.integrations import is_fairscale_available\n", False),
    ("is_datasets_available()", "from transformers.utils import is_datasets_available\n", None),
    ("is_torch_cuda_available()", "from transformers.utils import is_torch_cuda_available\n", None),
    (
        "is_torch_cuda_available()",
        "from transformers.utils import is_torch_cuda_available, is_torch_npu_available\n",
        False,
    ),
    ("is_torch_npu_available()", "from transformers.utils import is_torch_npu_available\n", True),
    ("is_torch_cuda_available()", "from mine import is_torch_cuda_available\n", None),
    ("has('flash_attn')", "from lightning_utilities.core.imports import package_available as has\n", False),
    (
        "OK",
        "from lightning_utilities.core.imports import RequirementCache as R\nOK = R('flash-attn>=2')\n",
        False,
    ),
    ("can()", f"{TRIED}def can():\n    return HAS\n", False),
    ("torch.cuda.is_available()", "import torch\n", None),
    (
        "torch.cuda.is_available() if forced is None else forced != '0'",
        "import os, torch\nfrom setuptools import setup\nsetup()\nforced = os.environ.get('WITH_CUDA')\n",
        False,
    ),
    ("True if HAS else other", TRIED, None),
    ("other if HAS else True", TRIED, True),
    ("enabled", "enabled = False\n", None),
    ("version.parse(torch.__version__) >= version.parse('2.0')", "import torch\n", True),
    ("torch.__version__ < '1.10'", "import torch\n", False),
    ("tuple(map(int, torch.__version__.split('.')[:2])) >= (2, 9)", "import torch\n", False),
    ("flash_attn.__version__ >= '2.0'", "import flash_attn\n", None),
    ("torch.version.cuda is not None and f()", "import torch\n", False),
    ("torch.version.cuda is None", "import torch\n", True),
    ("torch.has_cuda", "import torch\n", False),
    ("torch.backends.cuda.is_built() and f()", "import torch\n", False),
    ("cudnn.is_available()", "from torch.backends import cudnn\n", False),
    ("HAS", "import importlib.metadata as m\ntry:\n    m.version('flash-attn')\n    HAS = True\n"
     "except m.PackageNotFoundError:\n    HAS = False\n", False),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "before", "answer"), ANSWERS)
def test_a_condition_answers_as_the_file_shows(condition: str, before: str, answer: bool | None) -> None:
    source = SourceFile(f"{before}PROBE = {condition}\n")
    statement = source.root.named_children[-1].named_children[0]
    value = statement.child_by_field_name("right")
    assert value is not None
    assert answer_of(value, Context(source, OPTIONS)) is answer


IMPORT = "from flash_attn import flash_attn_func as f\n"
OPTIONAL = {
    "a search": f"from importlib.util import find_spec\nif find_spec('flash_attn'):\n    {IMPORT}",
    "a predicate": (
        "from transformers.utils import is_flash_attn_2_available as ok\n"
        f"if ok():\n    {IMPORT}def g(q):\n    return f(q, q, q) if ok() else q\n"
    ),
    "a switch": (
        f"from mine import is_package_available\nif is_package_available('flash_attn'):\n    {IMPORT}"
        "def g(q, backend):\n    if backend == 'torch':\n        return q\n"
        "    elif backend == 'flash_attn':\n"
        "        return f(q, q, q)\n"
    ),
    "an entry of a table": (
        f"from importlib.util import find_spec\nif find_spec('flash_attn'):\n    {IMPORT}"
        "class Flash:\n    def g(self, q):\n        return f(q, q, q)\n"
        "KINDS = {'eager': Plain, 'flash': Flash}\n"
    ),
    "a version": (
        "import torch\nif torch.__version__ < '2.0':\n    import xformers.ops as x\n    def g(q):\n"
        "        return x.memory_efficient_attention(q, q, q)\nelse:\n    def g(q):\n        return q\n"
    ),
}  # fmt: skip
REQUIRED = {
    "no test": IMPORT,
    "a setting of a class that others may change": (
        f"{IMPORT}class A:\n    def __init__(self):\n        self.n = None\n"
        "    def g(self, q):\n        return f(q, q, q) if self.n is not None else q\n"
    ),
    "another test": f"if fast:\n    {IMPORT}",
    "a handler that raises": f"try:\n    {IMPORT}except ImportError:\n    raise ImportError('install it')\n",
    "a handler that exits": f"import sys\ntry:\n    {IMPORT}except ImportError:\n    sys.exit(1)\n",
    "a handler that prints and raises": (
        f"try:\n    {IMPORT}except ImportError as error:\n    print(error)\n    raise\n"
    ),
    "a call that nothing chooses": f"try:\n    {IMPORT}except ImportError:\n    f = None\ny = f(q, q, q)\n",
    "a branch that asks to install it": (
        f"try:\n    {IMPORT}except ImportError:\n    f = None\n"
        "def g(q):\n    if f is None:\n        raise ImportError('install it')\n    return f(q, q, q)\n"
    ),
}


def severities(text: str) -> set[Severity]:
    options = options_from({"version": "2.8.0", "select": ["NPU601", "NPU701"]})
    return {item.severity for item in check(SourceFile(text), options)}


@pytest.mark.parametrize("text", OPTIONAL.values(), ids=OPTIONAL)
def test_a_library_that_is_asked_for_first_is_optional(text: str) -> None:
    assert severities(text) and severities(text) <= {Severity.INFORMATION, Severity.HINT}


@pytest.mark.parametrize("text", REQUIRED.values(), ids=REQUIRED)
def test_other_libraries_are_errors(text: str) -> None:
    assert severities(text) == {Severity.ERROR}
