"""What is told of a hardware family, to people and to programs."""

from __future__ import annotations

import pytest

from ..conftest import Run


@pytest.mark.parametrize("name", ["A2", "A3", "950DT"])
def test_a_family_with_lists(run: Run, name: str) -> None:
    said = run("explain", name).out.splitlines()
    assert said[0].startswith(f"{name}: ") and said[1] == "The official support lists cover it."
    assert said[2].startswith(f"Choose it with --hardware {name};")


def test_a_family_without_lists_has_its_last_version(run: Run) -> None:
    said = run("explain", "910A").out.splitlines()
    assert said[1].startswith("There is no support list for it")
    assert said[1].endswith("torch_npu supports it up to PyTorch 2.1.0.")
