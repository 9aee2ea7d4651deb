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
