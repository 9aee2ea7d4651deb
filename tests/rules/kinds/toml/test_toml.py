"""What pyproject.toml and Pipfile list, and the values of other TOML files."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.packages.places import Index, Requirement, Style
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting


def places(text: str, path: str) -> list[object]:
    file = kind_file(path, text)
    assert file is not None
    found = list(file.places())
    for place in found:
        start, end = place.start, place.end  # type: ignore[attr-defined]
        assert 0 <= start <= end <= len(text.encode())
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('[project]\ndependencies = ["torch>=2", "numpy"]\n', ["torch", "numpy"]),
        ('[project.optional-dependencies]\ngpu = ["cupy"]\n', ["cupy"]),
        ('[dependency-groups]\ndev = ["torch"]\n', ["torch"]),
        ('[tool.uv]\ndev-dependencies = ["torch"]\n', ["torch"]),
        ('[build-system]\nrequires = ["torch"]\n', []),
        ('[project]\nkeywords = ["torch"]\n', []),
        ('[project]\ndependencies = ["torch"\n', []),
    ],
)
def test_lists_of_dependencies(text: str, names: list[str]) -> None:
    assert [place.name for place in places(text, "pyproject.toml") if isinstance(place, Requirement)] == names


@pytest.mark.parametrize(
    ("text", "path", "style", "is_plain"),
    [
        ('[tool.poetry.dependencies]\ntorch = "^2.1"\n', "pyproject.toml", Style.POETRY, True),
        (
            '[tool.poetry.group.gpu.dependencies]\ntorch = {version = "^2.1", optional = true}\n',
            "pyproject.toml", Style.POETRY, False,
        ),
        ('[packages]\ntorch = "*"\n', "Pipfile", Style.PIPFILE, True),
    ],
)  # fmt: skip
def test_tables_of_dependencies(text: str, path: str, style: Style, is_plain: bool) -> None:
    (place,) = places(text, path)
    assert isinstance(place, Requirement)
    assert (place.name, place.style, place.is_plain) == ("torch", style, is_plain)
    assert text.encode()[slice(*place.versions_at)].decode() == place.versions


def test_sources_are_indexes() -> None:
    text = '[[tool.uv.index]]\nname = "t"\nurl = "https://x/whl/cu118"\n'
    (place,) = places(text, "pyproject.toml")
    assert isinstance(place, Index) and place.url == "https://x/whl/cu118"


def test_values_of_other_files_have_their_keys() -> None:
    text = "[run]\ndevice = \"cuda\"  # card\nother = 1\n[run.more]\nlist = [{ backend = 'nccl' }]\n"
    found = [place for place in places(text, "config.toml") if isinstance(place, Setting)]
    assert [(place.keys, place.value) for place in found] == [
        (("run", "device"), "cuda"),
        (("run", "more", "list", "[]", "backend"), "nccl"),
    ]
    assert [text.encode()[place.start : place.end].decode() for place in found] == ["cuda", "nccl"]
