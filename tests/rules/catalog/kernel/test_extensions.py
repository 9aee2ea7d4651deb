"""NPU621 and NPU622: CUDA sources that are no literal in the call of ``load``."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before

LOAD = "from torch.utils.cpp_extension import load\n"
CONTROL = "from torch.utils.cpp_extension import load_inline\nload_inline('a', '', cuda_sources=code)\n"
WRAPPER = f"{LOAD}def build(name, sources, verbose=False):\n    return load(name=name, sources=sources)\n"


class Directory(Standalone):
    """A project of which the names of the files are known."""

    def __init__(self, **names: tuple[str, ...]) -> None:
        self._names = names

    def names_in(self, directory: str) -> tuple[str, ...]:
        return self._names.get(directory, ())


def said(text: str, path: str = "a.py", project: Directory | None = None, code: str = "NPU621") -> list[str]:
    """The lines of the findings, each with the key of its message and the API."""
    options = options_from({"version": "2.8.0", "select": [code]})
    source = SourceFile(text, path)
    return [
        f"{text.encode()[: item.start].count(10) + 1} {item.message.id.partition('.')[2]} {item.api}"
        for item in check(source, options, project or Directory())
    ]


@pytest.mark.parametrize(
    "code",
    [
        "files = ['a.cpp', 'k.cu']\nload('a', files)\n",
        "import os\nfiles = [os.path.join(here, p) for p in ['a.cpp', 'k.cu']]\nload('a', sources=files)\n",
        "from glob import glob\nfiles = glob('csrc/*.cu')\nload('a', files + ['a.cpp'])\n",
        "names = ['k.cu']\nfiles = [f'csrc/{n}' for n in names]\nload('a', files)\n",
        "files = ['a.cpp']\nfiles += ['k.cu']\nload('a', files)\n",
        "files = ['a.cpp']\nif gpu:\n    files.append('k.cu')\nload('a', files)\n",
        "files = []\nfor n in ('a.cpp', 'k.cuh'):\n    files.append(n)\nload('a', files)\n",
        "def files():\n    return ['a.cpp', 'k.cu']\nload('a', sources=files())\n",
        "given = dict(name='a', sources=['k.cu'])\nload(**given)\n",
        "def make(files=('a.cpp', 'k.cu')):\n    return load('a', files)\n",
    ],
)
def test_sources_are_followed_to_where_they_are_written(code: str) -> None:
    found = said(LOAD + code)
    assert [item.partition(" ")[2] for item in found] == ["built torch.utils.cpp_extension.load"]


@pytest.mark.parametrize(
    "code",
    [
        "build('a', ['a.cpp', 'k.cu'])\n",
        "files = ['a.cpp', 'k.cu']\nbuild('a', files)\n",
        "build(sources=['k.cu'], name='a')\n",
        "def outer(files):\n    return build('a', files)\nouter(['k.cu'])\n",
    ],
)
def test_a_function_around_load_is_reported_where_it_is_given_the_sources(code: str) -> None:
    found = said(WRAPPER + code)
    name = "outer" if "outer" in code else "build"
    assert found == [f"{(WRAPPER + code).count(chr(10))} built {name}"]


def test_a_method_around_load_is_given_its_sources_behind_its_object() -> None:
    text = f"{LOAD}class B:\n    def make(self, name, files):\n        return load(name, files)\n"
    assert said(f"{text}B().make('a', ['k.cu'])\n") == ["5 built B().make"]


def test_keywords_that_are_passed_on_count() -> None:
    text = f"{LOAD}def build(name, **kw):\n    return load(name, **kw)\n"
    assert said(f"{text}build('a', sources=['k.cu'])\n") == ["4 built build"]
    assert said(f"{text}build('a', sources=['a.cpp'])\n") == []


def test_a_function_of_another_file_is_known_by_its_parameter() -> None:
    text = "import torch, custom\np = custom.get_plugin('a', sources=['a.cpp', 'a.cu'])\np.run(x)\n"
    assert said(text) == ["2 built custom.get_plugin"]
    assert said(text, code="NPU622") == ["3 called p.run"]
    assert said(text.replace(".cu'", ".cc'")) == []


@pytest.mark.parametrize(
    "code",
    [
        "files = ['a.cpp']\nload('a', files)\n",
        "files = ['a.cpp']\nother = ['k.cu']\nload('a', files)\n",
        "def build(files):\n    return load('a', files)\nbuild(['a.cpp'])\n",
        "def build(name, files):\n    return load(name, files)\nbuild('k.cu', ['a.cpp'])\n",
        "x = x\nload('a', x)\n",
        "def f(x):\n    return f(x) + load('a', x)\nf(f(1))\n",
    ],
)
def test_sources_without_cuda_are_none(code: str) -> None:
    def built(text: str) -> list[str]:
        return [item.partition(" ")[2] for item in said(text)]

    assert found_before(CONTROL, LOAD + code, built) == []


def test_what_is_built_is_called() -> None:
    text = f"{WRAPPER}ext = build('a', ['k.cu'])\ny = ext.run(x)\n"
    assert said(text, code="NPU622") == ["5 called ext.run"]
    assert said(text.replace("k.cu", "k.cpp"), code="NPU622") == []


@pytest.mark.parametrize(
    ("directories", "file"),
    [({"ops": ("a.py", "k.cu")}, "k.cu"), ({"ops": ("a.py",), "ops/csrc": ("k.cu",)}, "csrc/k.cu")],
)
def test_unknown_sources_beside_cuda_files_are_named(
    directories: dict[str, tuple[str, ...]], file: str
) -> None:
    text = f"{LOAD}def build(name, sources):\n    return load(name, sources)\n"
    options = options_from({"version": "2.8.0", "select": ["NPU621"]})
    (finding,) = check(SourceFile(text, "ops/a.py"), options, Directory(**directories))
    assert finding.message.id == "NPU621.unknown"
    assert dict(finding.message.arguments)["file"] == file
    assert said(text, "ops/a.py", Directory(ops=("a.py", "k.cpp"))) == []
    known = f"{text}build('a', ['k.cpp'])\n"
    assert said(known, "ops/a.py", Directory(**directories)) == []


def test_a_build_that_two_calls_lead_to_is_reported_once() -> None:
    text = (
        f"{LOAD}def build(sources):\n    if fast:\n        return load('a', sources)\n"
        "    return load('b', sources)\nbuild(['k.cu'])\nbuild(sources=['k.cu'])\n"
    )
    assert said(text) == ["6 built build", "7 built build"]
