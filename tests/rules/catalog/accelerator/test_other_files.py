"""What configurations, lists of dependencies and scripts ask CUDA for, in a project for any accelerator."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

TARGET = {"target": "accelerator", "version": "2.10.0"}


def found(text: str, path: str) -> list[str]:
    """Key and severity of what the rules on other files find."""
    codes = ("ACC110", "ACC111", "ACC112", "ACC113")
    lines = [line for code in codes for line in said(code, text, path, **TARGET)]
    return [f"{line.split()[0]} {line.split()[2].rstrip(':')}" for line in lines]


CASES = {
    "a device": ('a:\n  device: "cuda:0"\n', "c.yaml", ["device_fixed error"]),
    "a device in JSON": ('{"device": "cuda"}\n', "c.json", ["device_fixed error"]),
    "a back end": ("dist_backend: nccl\n", "c.yaml", ["backend_fixed error"]),
    "a word": ("kind: cuda\n", "c.yaml", ["unknown information"]),
    "a list for several devices": ("devices: [cuda, xpu]\n", "c.yaml", []),
    "another device": ("a:\n  device: cpu\n", "c.yaml", []),
    "an old pin": ("torch==1.12.1\n", "requirements.txt", ["too_old error"]),
    "an old range": ("torch>=1.7,<2.3\n", "requirements.txt", ["too_old error"]),
    "an old pin of conda": (
        "name: a\ndependencies:\n  - pytorch=1.12.1\n",
        "environment.yml",
        ["too_old error"],
    ),
    "an old pin in a script": ("pip install torch==1.13.0\n", "install.sh", ["too_old error"]),
    "another release": ("torch==2.7.1\n", "requirements.txt", ["other warning"]),
    "an open range": ("torch>=2.0\n", "requirements.txt", []),
    "a CUDA package": ("pytorch3d\n", "requirements.txt", ["cuda_only error"]),
    "a CUDA build": ("torch==2.10.0+cu128\n", "requirements.txt", ["built warning"]),
    "an option": ("python train.py --device cuda:0\n", "run.sh", ["passed warning"]),
    "an option of a back end": ("torchrun train.py --dist-backend nccl\n", "run.sh", ["passed warning"]),
    "another option": ("python train.py --name cuda\n", "run.sh", []),
}


@pytest.mark.parametrize(("text", "path", "expected"), CASES.values(), ids=CASES)
def test_what_needs_cuda_is_reported(text: str, path: str, expected: list[str]) -> None:
    assert found(text, path) == expected


def test_nothing_is_changed() -> None:
    text = "device: cuda\n"
    assert fixed("ACC110", text, "c.yaml", **TARGET) == text
