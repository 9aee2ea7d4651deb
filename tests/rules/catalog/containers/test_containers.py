"""NPU13xx on container files and on commands that start containers."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from


def codes(text: str, path: str = "Dockerfile", **options: object) -> list[str]:
    """The codes of what is found."""
    chosen = options_from({"version": "2.8.0", **options})
    return [finding.code for finding in check(text_file(text, path), chosen)]


@pytest.mark.parametrize(
    "image",
    [
        "pytorch/pytorch:1.5-cuda10.1-cudnn7-runtime",
        "nvidia/cuda:11.4.2-runtime-ubuntu20.04",
        "nvcr.io/nvidia/pytorch:24.01-py3",
        "registry.example.com/team/train:cu121",
        "docker.io/nvidia/cuda@sha256:aa",
    ],
)
def test_images_for_cuda(image: str) -> None:
    assert codes(f"FROM {image}\n") == ["NPU1301"]


@pytest.mark.parametrize(
    "image",
    [
        "python:3.11",
        "ubuntu:22.04",
        "scratch",
        "build",
        "barracuda/x:1",
        "nvcr.io/nvidia/kaldi:21.08-py3",
        "quay.io/ascend/cann:9.1.0-910b",
    ],
)
def test_other_images(image: str) -> None:
    assert codes(f"FROM {image}\nRUN echo nvidia cuda\n") == []


@pytest.mark.parametrize(
    ("hardware", "chip"), [("A2", "9.0.0-910b-"), ("A3", "9.0.0-a3-"), ("950DT", "9.0.0-<chip>-")]
)
def test_the_image_that_is_named_is_of_the_version_and_the_hardware(hardware: str, chip: str) -> None:
    options = options_from({"version": "2.8.0", "hardware": hardware})
    (finding,) = check(text_file("FROM nvidia/cuda:12\n", "Dockerfile"), options)
    assert chip in dict(finding.message.arguments)["wanted"]


def test_an_ignore_comment_for_the_whole_file_counts() -> None:
    assert codes("# gpu2ascend: ignore-file[NPU1301]\nFROM nvidia/cuda:12\n") == []


def test_shell_rules_hold_in_container_files() -> None:
    text = "FROM python:3.11\nENV CUDA_VISIBLE_DEVICES=0\nRUN nvidia-smi\n"
    assert {"NPU1001", "NPU1004"} <= set(codes(text))


@pytest.mark.parametrize(
    ("command", "is_found"),
    [
        ("sudo docker run -it --rm --gpus '\"device=0\"' img", True),
        ("docker run -it --rm --gpus=all img", True),
        ("docker run -v /a:/b --runtime nvidia img", True),
        ("docker container run --gpus all img", True),
        ("docker run img python train.py --gpus 8", False),
        ("docker build --gpus all .", False),
        ("echo docker run --gpus all", False),
    ],
)
def test_commands_that_start_containers(command: str, *, is_found: bool) -> None:
    assert ("NPU1302" in codes(f"{command}\n", "run.sh")) is is_found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("resources:\n  requests:\n    nvidia.com/gpu: 1\n", "resource"),
        ("spec:\n  runtimeClassName: nvidia\n", "runtime"),
        ("deploy:\n  reservations:\n    devices:\n      - driver: nvidia\n        count: all\n", "driver"),
        ("deploy:\n  devices:\n    - capabilities: [gpu]\n", "driver"),
        ("tolerations:\n  - key: nvidia.com/gpu\n    operator: Exists\n", "toleration"),
        ("environment:\n  - NVIDIA_VISIBLE_DEVICES=all\n", "variable"),
        ("environment:\n  NVIDIA_VISIBLE_DEVICES: all\n", "variable"),
        ("env:\n  - name: NVIDIA_VISIBLE_DEVICES\n    value: all\n", "variable"),
        ("spec:\n  flavor_id: modelarts.vm.gpu.v100\n", "flavor"),
        ("runArgs: ['--gpus', 'all']\n", "arguments"),
    ],
)
def test_what_asks_for_gpus(text: str, message: str) -> None:
    options = options_from({"version": "2.8.0"})
    found = [finding.message.id for finding in check(text_file(text, "job.yaml"), options)]
    assert found == [f"NPU1303.{message}"]


@pytest.mark.parametrize(
    "text",
    [
        "maintainer: nvidia\nlabels: [nvidia.com/gpu]\n",
        "image: nvcr.io/nvidia/k8s/dcgm-exporter:3\n",
        "image: tritonserver-cuda:1\n",
        "driver: nvidia\n",
    ],
)
def test_what_does_not(text: str) -> None:
    assert "NPU1303" not in codes(text, "job.yaml")
