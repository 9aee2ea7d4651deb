"""Lock files: names and releases only."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.packages.places import Locked
from gpu2ascend_rules.kinds.registry import kind_file


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("poetry.lock", '[[package]]\nname = "torch"\nversion = "2.1.0"\n'),
        ("uv.lock", '[[package]]\nname = "torch"\r\nversion = "2.1.0"\r\n'),
        ("conda-lock.yml", "package:\n- name: pytorch\n  version: 2.1.0\n"),
        ("pixi.lock", "packages:\n- pypi: https://a/torch-2.5.1-cp312.whl\n  name: torch\n"),
        ("pixi.lock", "packages:\n- conda: https://a/linux-64/pytorch-2.5.1-cuda126_py312h1763_306.conda\n"),
        ("conda-lock.yml", "package:\n- name: pytorch  # by hand\n  version: 2.1.0  # too\n"),
        ("poetry.lock", '[[package]]\nname = "torch"# by hand\r\nversion = "2.1.0"\r\n'),
        ("Pipfile.lock", '{\n  "default": {\n    "torch": {\n      "hashes": []\n    }\n  }\n}\n'),
    ],
)
def test_the_packages_are_found(path: str, text: str) -> None:
    file = kind_file(path, text)
    assert file is not None and file.kind.name == "lock"
    found = [place for place in file.places() if isinstance(place, Locked)]
    assert "torch" in [place.package for place in found]
    assert all(
        text.encode()[place.start : place.end] in (b"torch", b"pytorch", b"default") for place in found
    )


@pytest.mark.parametrize("comment", ["", "  # note", " # name: cuda"])
def test_a_comment_hides_neither_a_name_nor_its_release(comment: str) -> None:
    file = kind_file("conda-lock.yml", f"package:\n- name: cudatoolkit{comment}\n  version: 11.8{comment}\n")
    assert file is not None
    (place,) = (place for place in file.places() if isinstance(place, Locked))
    assert (place.package, place.version) == ("cudatoolkit", "11.8")


def test_an_archive_has_a_name_with_hyphens_a_release_and_a_build() -> None:
    text = "packages:\n- conda: https://a/noarch/cuda-nvcc-tools-12.6.85-he02047a_0.tar.bz2\n"
    file = kind_file("pixi.lock", text)
    assert file is not None
    (place,) = (place for place in file.places() if isinstance(place, Locked))
    assert (place.package, place.version) == ("cuda-nvcc-tools", "12.6.85")
    assert text[place.start : place.end] == "cuda-nvcc-tools"
