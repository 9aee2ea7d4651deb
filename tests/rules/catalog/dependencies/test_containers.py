"""What a container installs is changed for certain only with the image that it begins with."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import said

INSTALL = "pip install torch --index-url https://download.pytorch.org/whl/cu121\n"
FOUND = "warning: https://download.pytorch.org/whl/cu121"


@pytest.mark.parametrize(
    ("text", "path", "image", "expected"),
    [
        (f"FROM nvidia/cuda:12.1-devel\nRUN {INSTALL}", "Dockerfile", None, "unsafe"),
        (f"FROM nvidia/cuda:12.1-devel\nRUN {INSTALL}", "Dockerfile", "ascendai/cann:8.0", "safe"),
        (f"FROM ubuntu:22.04\nRUN {INSTALL}", "Dockerfile", None, "safe"),
        (f"FROM ubuntu:22.04\nFROM nvidia/cuda:12.1-devel\nRUN {INSTALL}", "Dockerfile", None, "unsafe"),
        (INSTALL, "install.sh", None, "safe"),
    ],
)
def test_beside_an_image_for_cuda_it_is_a_person_s_decision(
    text: str, path: str, image: str | None, expected: str
) -> None:
    options = {"image": image} if image is not None else {}
    assert said("NPU1102", text, path, **options) == [f"torch {expected} {FOUND}"]
