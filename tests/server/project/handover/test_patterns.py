"""Where a rule offers no fix, an order shows the project's own line as it is to be, if a table knows how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend_rules.data import load_tsv

CASES = {
    "NPU1301.image": ("Dockerfile", "FROM nvidia/cuda:12.6.2-devel AS base\n", "FROM quay.io/ascend/cann:"),
    "NPU1303.image": (
        "compose.yaml",
        "services:\n  train:\n    image: nvidia/cuda:12.6.2-devel\n",
        "image: quay.io/ascend/cann:",
    ),
    "NPU1302.image": (
        "start.sh",
        "docker run --rm nvidia/cuda:12.6.2-devel python a.py\n",
        "docker run --rm quay.io",
    ),
    "NPU1302.gpus": (
        "run.sh",
        "docker run --gpus all -it img python a.py\n",
        "docker run --device=/dev/davinci0 ",
    ),
    "NPU1205.launcher": (
        "conf/slurm.yaml",
        "hydra:\n  launcher:\n    _target_: hydra_plugins.submitit\n    gpus_per_node: 8\n",
        'additional_parameters: {gres: "npu:8"}',
    ),
    "NPU703.provider": (
        "infer.py",
        "import onnxruntime as ort\ns = ort.InferenceSession(p, providers=['CUDAExecutionProvider'])\n",
        "s = ort.InferenceSession(p, providers=['CANNExecutionProvider'])",
    ),
    "NPU521.profiler": (
        "profile.py",
        "import torch\nwith torch.cuda.profiler.profile():\n    f()\n",
        "with torch_npu.profiler.profile():",
    ),
    "NPU512.nvtx": (
        "nvtx.py",
        "import torch\nwith torch.autograd.profiler.emit_nvtx():\n    f()\n",
        "with torch_npu.profiler.profile():",
    ),
    "NPU410.multigpu": (
        "reduce.py",
        "import torch.distributed as dist\ndist.all_reduce_multigpu([values])\n",
        "dist.all_reduce(values)",
    ),
    "NPU307.dynamic": (
        "resume.py",
        "import torch\nscaler = torch.cuda.amp.GradScaler()\nscaler.load_state_dict(state['scaler'])\n",
        "state['scaler'].setdefault('dynamic', True)\nscaler.load_state_dict(state['scaler'])",
    ),
    "NPU125.scalar": (
        "where.py",
        "import torch\nx = torch.ones(2).cuda()\ny = torch.where(x > 0, torch.tensor(0.5), x)\n",
        "y = torch.where(x > 0, 0.5, x)",
    ),
    "NPU007.removed_use": (
        "solve.py",
        "import torch\nparts = torch.btrifact(matrix)\n",
        "parts = torch.linalg.lu_factor(matrix)",
    ),
    "NPU007.removed_use of a tensor": (
        "values.py",
        "import torch\nmatrix = torch.zeros(3, 3)\nvalues, _ = matrix.symeig()\n",
        "values, _ = torch.linalg.eigh(matrix)",
    ),
}
"""By the message: a file with one finding of it, and how the pattern of its order begins."""


def test_every_row_of_the_table_is_shown() -> None:
    assert sorted(row["message"] for row in load_tsv("order_patterns")) == sorted(
        name.partition(" ")[0] for name in CASES
    )


@pytest.mark.parametrize("message", CASES)
def test_a_row_gives_the_lines_of_the_project(
    message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, text, expected = CASES[message]
    path = tmp_path / "proj" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    main(["handover", str(tmp_path / "proj"), "-v", "2.8.0", "--output-format", "json", "--language", "en"])
    orders = json.loads(capsys.readouterr().out)["orders"]
    code = message.partition(".")[0]
    patterns = [order["pattern"] for order in orders if order["code"] == code and order["fix"] is None]
    assert any(pattern.startswith(expected) for pattern in patterns), orders


@pytest.mark.parametrize(
    "line",
    [
        "values = matrix.symeig(eigenvectors=True)",
        "parts = torch.symeig(matrix)",
        "from torch._six import inf",
    ],
)
def test_a_line_that_the_message_does_not_settle_has_no_pattern(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With other arguments, with two successors, or in an import."""
    (tmp_path / "a.py").write_text(f"import torch\nmatrix = torch.zeros(3, 3)\n{line}\n")
    main(["handover", str(tmp_path), "-v", "2.8.0", "--output-format", "json", "--language", "en"])
    (order,) = json.loads(capsys.readouterr().out)["orders"]
    assert (order["code"], order["pattern"]) == ("NPU007", "")


def test_a_fix_that_changes_another_line_shows_that_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\n\nKIND = torch.float64\n\n\ndef f(device='cuda'):\n"
        "    return torch.zeros([2], dtype=KIND, device=device)\n"
    )
    main(["handover", str(tmp_path), "-v", "2.8.0", "--output-format", "json", "--language", "en"])
    orders = json.loads(capsys.readouterr().out)["orders"]
    assert "KIND = torch.float32" in [order["pattern"] for order in orders if order["code"] == "NPU806"]
