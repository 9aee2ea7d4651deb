"""The extensions of a setup script that may be for CUDA: by which call, and under which names."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.extensions.setup_scripts import extensions_of
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

HEAD = "from setuptools import setup\nfrom torch.utils.cpp_extension import CppExtension, CUDAExtension\n"

MADE = {
    "a call": ("setup(ext_modules=[CUDAExtension('p._C', ['a.cu'])])\n", {"p._C"}),
    "a keyword": ("setup(ext_modules=[CUDAExtension(sources=[], name='p._C')])\n", {"p._C"}),
    "another name": (
        "from torch.utils.cpp_extension import CUDAExtension as E\nx = E('p._C', [])\n", {"p._C"},
    ),
    "a module": ("from torch.utils import cpp_extension as c\nx = c.CUDAExtension('p._C', [])\n", {"p._C"}),
    "a variable": (
        "ext = CppExtension\nif x:\n    ext = CUDAExtension\nsetup(ext_modules=[ext('p._C', [])])\n",
        {"p._C"},
    ),
    "a choice": ("E = CUDAExtension if x else CppExtension\ny = E('p._C', [])\n", {"p._C"}),
    "one of two variables": ("E, kw = CUDAExtension, {}\ny = E('p._C', [])\n", {"p._C"}),
    "a partial call": (
        "from functools import partial\nE = partial(CUDAExtension, a=1)\ny = E('p._C', [])\n", {"p._C"},
    ),
    "a function that returns the class": (
        "def kind():\n    return CUDAExtension if x else CppExtension\ny = kind()('p._C', [])\n", {"p._C"},
    ),
    "a function that is given the class": (
        "def make(kind, name):\n    return kind(name, [])\ny = make(CUDAExtension, 'p._C')\n", {"p._C"},
    ),
    "a default": (
        "def make(name, kind=CUDAExtension):\n    return kind(name, [])\ny = make('p._C')\n", {"p._C"},
    ),
    "a function that is given the names": (
        "def make(name, module):\n    return CUDAExtension(name='{}.{}'.format(module, name))\n"
        "y = [make(name='a', module='p.ops'), make('b', 'p')]\n",
        {"p.ops.a", "a", "b"},
    ),
    "a function that also makes some without CUDA": (
        "def make(name, sources):\n    return CUDAExtension(name=name, sources=sources)\n"
        "y = [make('p.a', ['a.cpp', 'a.cu']), make('p.b', ['b.cpp'])]\n",
        {"p.a"},
    ),
    "a text that is put together": ("PKG = 'p'\nx = CUDAExtension(PKG + '._C', [])\n", {"_C"}),
    "a text with a field": ("x = CUDAExtension(f'{PKG}._C', [])\n", {"*._C"}),
    "a field at the end": ("NAME = '_C'\nx = CUDAExtension(f'p.{NAME}', [])\n", {"_C"}),
    "a helper that is imported": (
        "from mmcv.build import make_cuda_ext\nx = make_cuda_ext(name='a', module='p')\n", {"p.a", "a"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "names"), MADE.values(), ids=MADE)
def test_an_extension_is_found_with_its_name(text: str, names: set[str]) -> None:
    found = extensions_of(SourceFile(HEAD + text))
    assert {name for item in found for name in item.names} == names


@pytest.mark.parametrize(
    "text",
    [
        "setup(ext_modules=[CppExtension('p._C', ['a.cpp'])])\n",
        "ok = isinstance(x, CUDAExtension)\n",
        "def CUDAExtension(name): ...\nx = CUDAExtension('p')\n",
    ],
)
def test_others_are_none(text: str) -> None:
    head = HEAD if "def " not in text else ""
    assert extensions_of(SourceFile(head + text)) == ()
    assert len(extensions_of(SourceFile(HEAD + "CUDAExtension('p')\n"))) == 1


def test_it_is_known_whether_the_call_names_a_cuda_source_itself() -> None:
    (of_cuda,) = extensions_of(SourceFile(f"{HEAD}E = CUDAExtension\nx = E('p', ['a.cu'])\n"))
    (other,) = extensions_of(SourceFile(f"{HEAD}E = CUDAExtension\nx = E('p', sources)\n"))
    assert (of_cuda.names_cuda_source, other.names_cuda_source) == (True, False)
    assert text_of(of_cuda.made_of) == "CUDAExtension"
