"""A package with builds for several devices: which of its extras asks for CUDA."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said


@pytest.mark.parametrize(
    ("entry", "extras"),
    [
        ("jax[tpu,cuda12]", 1),
        ("jax[tpu]", 0),
        ("jax[cuda12,cuda13]", 2),
        ("onnx[reference,docs]", 0),
        ("onnx", 0),
    ],
)
def test_an_extra_for_cuda_is_named(entry: str, extras: int) -> None:
    found = said("NPU1103", f"torch\n{entry}\n", "requirements.txt")
    assert found == [f"extra manual information: {entry}"] * extras
