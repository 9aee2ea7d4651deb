"""What a requirement asks for that names a repository only."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.packages.requirement import read_requirement


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("git+https://github.com/NVIDIA/apex.git@master", "apex"),
        ("git+https://github.com/a/Tiny_Cuda/#subdirectory=bindings/torch", "tiny-cuda"),
        ("git+ssh://git@github.com/a/b.git#egg=flash-attn", "flash-attn"),
        ("https://example.org/a.whl", None),
    ],
)
def test_a_repository_names_its_package(text: str, name: str | None) -> None:
    found = read_requirement(text)
    assert (found.name if found is not None else None) == name
    assert found is None or (found.is_url and found.versions_at == (len(text), len(text)))


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("torch @ https://a.b/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl", "==2.1.0+cu118"),
        ("https://a.b/torch-2.1.0-cp310-cp310-linux_x86_64.whl#sha256=0", "==2.1.0"),
        ("torch @ https://a.b/torch-2.1.0.whl", ""),
        ("torch @ https://a.b/torch-2.1.0.tar.gz", ""),
        ("torch @ git+https://a.b/torch@v2.1.0", ""),
    ],
)
def test_the_name_of_a_wheel_gives_its_release(text: str, versions: str) -> None:
    found = read_requirement(text)
    assert found is not None and (found.name, found.versions, found.is_url) == ("torch", versions, True)
