"""An argument is followed to the parameter that takes it: the text goes where the parameter goes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
BODY = "print(label)\n        return torch.ones(2, device=place)\n"


def migrated(text: str) -> str:
    return apply_fixes(SourceFile(text), OPTIONS).text


METHODS = {
    "plain": ("", "self, label, place"),
    "of the class": ("    @classmethod\n", "cls, label, place"),
    "static": ("    @staticmethod\n", "label, place"),
    "static, and decorated otherwise": ("    @wrapped\n    @staticmethod\n", "label, place"),
    "decorated otherwise": ("    @torch.no_grad()\n", "self, label, place"),
    "with a default": ("", "self, label, place='cpu'"),
    "with types": ("", "self, label: str, place: str = 'cpu'"),
}


@pytest.mark.parametrize(("decorator", "parameters"), METHODS.values(), ids=METHODS)
def test_a_method_takes_arguments_behind_what_it_is_bound_to(decorator: str, parameters: str) -> None:
    text = (
        f"import torch\nclass Net:\n{decorator}    def made(self_parameters):\n        {BODY}"
        "    def run(self):\n        return self.made('cuda', 'cuda')\n"
    ).replace("self_parameters", parameters)
    assert "self.made('cuda', 'npu')" in migrated(text)


FUNCTIONS = {
    "by position": ("label, place", "'cuda', 'cuda'", "'cuda', 'npu'"),
    "by keyword": ("label, place", "place='cuda', label='cuda'", "place='npu', label='cuda'"),
    "by keyword alone": ("label, *, place", "'cuda', place='cuda'", "'cuda', place='npu'"),
    "by position alone": ("label, place, /", "'cuda', 'cuda'", "'cuda', 'npu'"),
    "behind further ones": (
        "label, *rest, place",
        "'cuda', 'cuda', place='cuda'",
        "'cuda', 'cuda', place='npu'",
    ),
}


@pytest.mark.parametrize(("parameters", "given", "expected"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_takes_an_argument_where_it_stands(parameters: str, given: str, expected: str) -> None:
    body = BODY.replace("        ", "    ")
    text = f"import torch\ndef made({parameters}):\n    {body}x = made({given})\n"
    assert f"x = made({expected})" in migrated(text)


def test_a_class_takes_arguments_as_its_initializer() -> None:
    text = (
        "import torch\nclass Net:\n    def __init__(self, label, place):\n"
        "        print(label)\n        self.x = torch.ones(2, device=place)\nn = Net('cuda', 'cuda')\n"
    )
    assert "n = Net('cuda', 'npu')" in migrated(text)
