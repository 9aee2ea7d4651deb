"""The CUDA branch of code that has an NPU branch beside it is left alone."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})


def found(text: str) -> int:
    return len(check(SourceFile(f"import torch\nimport torch_npu\n{text}"), OPTIONS))


@pytest.mark.parametrize(
    "text",
    [
        "if torch.cuda.is_available():\n    torch.cuda.init()\n"
        "elif torch.npu.is_available():\n    torch.npu.init()\n",
        "if is_torch_npu_available():\n    torch.npu.init()\nelse:\n    torch.cuda.init()\n",
        "if device.type == 'npu':\n    pass\nelif device.type == 'cuda':\n    torch.cuda.init()\n",
        "x = torch.npu.current_device() if is_npu else torch.cuda.current_device()\n",
        "def f():\n    if is_npu():\n        return 1\n    return torch.cuda.current_device()\n",
        "sync = {'cuda': torch.cuda.synchronize, 'npu': torch.npu.synchronize}\n",
        "if a:\n    pass\nelif b:\n    torch.cuda.init()\nelif use_npu:\n    pass\n",
        "x = 1 if torch_npu is not None else torch.cuda.init()\n",
        "x = 1 if not (not is_npu) else torch.cuda.init()\n",
    ],
)
def test_a_choice_that_knows_the_npu_is_left(text: str) -> None:
    assert found(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.init()\n",
        "if torch.cuda.is_available():\n    torch.cuda.init()\n",
        "if inputs:\n    torch.cuda.init()\n",
        "if is_npu():\n    x = 1\ntorch.cuda.init()\n",
        "def f():\n    if is_npu():\n        return 1\ntorch.cuda.init()\n",
        "torch.npu.init()\ntorch.cuda.init()\n",
        "def f():\n    if not torch.npu.is_available():\n        return 1\n    torch.cuda.init()\n",
        "def f():\n    if x.device.type != 'npu' or not a:\n        return 1\n    torch.cuda.init()\n",
        "if not is_npu():\n    pass\nelse:\n    torch.cuda.init()\n",
        "def f():\n    if is_npu() and a:\n        return 1\n    torch.cuda.init()\n",
        "x = 1 if torch_npu is None else torch.cuda.init()\n",
        "y = not x.is_npu or torch.cuda.init()\n",
        "y = 1 if not x.is_npu else torch.cuda.init()\n",
    ],
)
def test_an_import_or_a_mention_elsewhere_is_not_support(text: str) -> None:
    assert found(text) > 0
