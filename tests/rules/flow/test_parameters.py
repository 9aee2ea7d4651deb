"""An argument is followed to the parameter that takes it: the text goes where the parameter goes."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated


class WithBase(Standalone):
    """A project with a file ``base.py``."""

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "base"


OPTIONS = options_from({"version": "2.8.0"})
BODY = "print(label)\n        return torch.ones(2, device=place)\n"


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


BASE = """import torch
class Base:
    def __init__(self, name):
        self.name = name
    def place(self):
        return torch.device(self.name)
class Far(Base):
    pass
"""
FAR = "class Net(Far):\n    def __init__(self):\n        "
NEAR = FAR.replace("Far", "Base")
INITIALIZED = {
    "super()": f"{NEAR}super().__init__('cuda')\n",
    "super(), by keyword": f"{NEAR}super().__init__(name='cuda')\n",
    "super() of a class": f"{NEAR}super(Net, self).__init__('cuda')\n",
    "the class itself": f"{NEAR}Base.__init__(self, 'cuda')\n",
    "through two classes": f"{FAR}super().__init__(name='cuda')\n",
    "the inherited constructor": "Far('cuda')\n",
    "the inherited constructor, by keyword": "Far(name='cuda')\n",
    "beside a class without one": "class Net(object, Base):\n    pass\nNet('cuda')\n",
}


@pytest.mark.parametrize("text", INITIALIZED.values(), ids=INITIALIZED)
def test_what_initializes_a_base_is_followed_to_the_initializer_of_the_base(text: str) -> None:
    assert migrated(BASE + text).endswith(text.replace("'cuda'", "'npu'"))


@pytest.mark.parametrize(
    "bases",
    [
        pytest.param("Unknown, Base", id="a class of another file comes first"),
        pytest.param("Net", id="its own base"),
        pytest.param("Label, Base", id="another one has the initializer"),
    ],
)
def test_an_initializer_that_may_be_another_class_s_is_not_followed(bases: str) -> None:
    label = "class Label:\n    def __init__(self, name):\n        print(name)\n"
    text = f"{BASE}{label}class Net({bases}):\n    pass\nNet('cuda')\n"
    assert "Net('cuda')" in migrated(text)
    assert "Net('npu')" in migrated(text.replace(f"Net({bases})", "Net(Base)"))


@pytest.mark.parametrize(
    "made", ["Settings(name='cuda')", "Settings(1, 'cuda')"], ids=["by keyword", "by position"]
)
def test_the_constructor_of_a_dataclass_fills_its_fields(made: str) -> None:
    text = (
        "from dataclasses import dataclass\nimport torch\n@dataclass\nclass Settings:\n    count: int = 0\n"
        f"    name: str = 'cpu'\ns = {made}\ntorch.zeros(1, device=s.name)\n"
    )
    assert made.replace("cuda", "npu") in migrated(text)
    assert made in migrated(text.replace("s.name", "s.count"))


def test_what_a_base_of_another_file_is_told_by_a_label_is_in_doubt() -> None:
    def doubts(base: str) -> list[str]:
        text = f"from {base} import Base\nclass Net(Base):\n    def __init__(self):\n"
        source = SourceFile(f"{text}        super().__init__(name='cuda')\n", "/p/net.py")
        return [item.message.id for item in check(source, OPTIONS, WithBase())]

    assert doubts("base") == ["NPU201.unsure"]
    assert doubts("jax") == []
