"""What a tensor is moved to that is moved to the device of something else."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

BEGINNING = "import torch\nimport helpers\nfrom parts import manager\nt = torch.ones(2)\n"
OWN = "class Base:\n    def get_device(self):\n        return 0\n"


@pytest.mark.parametrize(
    ("code", "moved"),
    [
        ("x.cuda(t.get_device())", "x.to(t.device)"),
        ("x.cuda(y.get_device())", "x.to(y.device)"),
        ("x.cuda(torch.ones(1).get_device())", "x.to(torch.ones(1).device)"),
        ("x.cuda(helpers.get_device())", "x.to(helpers.get_device())"),
        ("x.cuda(manager.get_device())", "x.to(manager.get_device())"),
        ("x.cuda(super().get_device())", "x.to(super().get_device())"),
    ],
)
def test_only_a_tensor_has_the_device_that_it_is_asked_for(code: str, moved: str) -> None:
    assert moved in _moved(f"{BEGINNING}class A:\n    def f(self, x, y):\n        return {code}\n")


def test_what_may_be_of_a_class_with_such_a_method_is_asked_as_before() -> None:
    code = "def f(x, y):\n    return x.cuda(y.get_device())\nv = torch.ones(2).cuda(t.get_device())\n"
    new = _moved(f"{BEGINNING}{OWN}{code}")
    assert "x.to(y.get_device())" in new
    assert "torch.ones(2).to(t.device)" in new


def _moved(text: str) -> str:
    options = options_from(
        {"target": "accelerator", "version": "2.10.0", "unsafe_fixes": True, "select": ["ACC103"]}
    )
    return apply_fixes(SourceFile(text), options).text
