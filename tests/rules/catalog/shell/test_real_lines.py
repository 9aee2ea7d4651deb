"""Lines of shell scripts of public repositories, and what becomes of each."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def migrated(text: str, **settings: object) -> str:
    return apply_fixes(text_file(text, "run.sh"), options_from({"version": "2.8.0", **settings})).text


def codes(text: str) -> list[str]:
    return [finding.code for finding in check(text_file(text, "run.sh"), OPTIONS)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "CUDA_VISIBLE_DEVICES=0 python -m se3_transformer.runtime.training \\\n  --amp true\n",
            "ASCEND_RT_VISIBLE_DEVICES=0 python -m se3_transformer.runtime.training \\\n  --amp true\n",
        ),
        (
            "CUDA_VISIBLE_DEVICES=0,1,2,3 fairseq-train /private/data-bin/stories \\\n  --fp16\n",
            "ASCEND_RT_VISIBLE_DEVICES=0,1,2,3 fairseq-train /private/data-bin/stories \\\n  --fp16\n",
        ),
        (
            'screen -dm bash -c ". ~/load_env_torch224.sh && CUDA_VISIBLE_DEVICES=3 nnUNetv2_train 3"\n',
            'screen -dm bash -c ". ~/load_env_torch224.sh && ASCEND_RT_VISIBLE_DEVICES=3 nnUNetv2_train 3"\n',
        ),
        (
            "export CUDA_VISIBLE_DEVICES=0  # Do multi single evaluation\n",
            "export ASCEND_RT_VISIBLE_DEVICES=0  # Do multi single evaluation\n",
        ),
        (
            "if [[ $A ]]; then\n    export CUDA_VISIBLE_DEVICES=0,1,2,3\nfi\n",
            "if [[ $A ]]; then\n    export ASCEND_RT_VISIBLE_DEVICES=0,1,2,3\nfi\n",
        ),
        (
            "python -m torch.distributed.run --nnodes=1 --nproc_per_node=gpu --module \\\n  a.b\n",
            "python -m torch.distributed.run --nnodes=1 --nproc_per_node=npu --module \\\n  a.b\n",
        ),
    ],
)
def test_is_edited(before: str, after: str) -> None:
    assert migrated(before) == after


def test_settings_without_a_counterpart_go_only_when_asked_for() -> None:
    line = "NCCL_TREE_THRESHOLD=0 NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eth0 deepspeed t.py\n"
    assert migrated(line) == line.replace("NCCL_SOCKET", "HCCL_SOCKET")
    assert migrated(line, unsafe_fixes=True) == "HCCL_SOCKET_IFNAME=eth0 deepspeed t.py\n"


@pytest.mark.parametrize(
    ("value", "is_known"),
    [
        ("max_split_size_mb:128", True),
        ("$CONF", True),
        ("backend:cudaMallocAsync", False),
        ("expandable_segments:True,foo:1", False),
    ],
)
def test_an_allocator_of_other_settings_is_renamed_only_when_asked_for(value: str, is_known: bool) -> None:
    line = f"export PYTORCH_CUDA_ALLOC_CONF={value}\n"
    renamed = line.replace("CUDA", "NPU", 1)
    assert migrated(line) == (renamed if is_known else line)
    assert migrated(line, unsafe_fixes=True) == renamed


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("gpus=$(nvidia-smi -i 0 --query-gpu=count --format=csv,noheader)\n", "NPU1004"),
        ("GPU_NAME=$(nvidia-smi -L 2>/dev/null | head -1 || true)\n", "NPU1004"),
        ("export LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/cuda:$LD_LIBRARY_PATH\n", "NPU1002"),
        ("export CUDA_PATH=/usr/local/cuda/\n", "NPU1002"),
        ("#SBATCH --gres=gpu:4                # number of GPUs per node\n", "NPU1007"),
        ("#SBATCH --nodes=1 --ntasks-per-node=8 --gpus-per-node=8\n", "NPU1007"),
        ('sbatch_args="$sbatch_args --gpus-per-node=1 --cpus-per-task=8 --mem=0"\n', "NPU1007"),
        ("#SBATCH --gres=gpu:your_own_gpu_per_node\n", "NPU1007"),
    ],
)
def test_is_reported_and_left_to_a_person(line: str, code: str) -> None:
    assert codes(line) == [code]
    assert migrated(line, unsafe_fixes=True) == line


@pytest.mark.parametrize(
    "text",
    [
        "unset CUDA_VISIBLE_DEVICES\npython3 -m paddle.distributed.launch --gpus=0,1 run_pretraining.py\n",
        "# CUDA_VISIBLE_DEVICES=8,9 python -m torch.distributed.run --nproc_per_node=8 train.py\n",
        'echo "[test] error: could not auto-detect PLATFORM from nvidia-smi (\\"$NAME\\")." >&2\n',
        "cat > notes.txt <<'EOF'\nexport CUDA_VISIBLE_DEVICES=0\nnvidia-smi\nEOF\n",
        "#SBATCH --partition=gpu\n",
        "wget https://host/cuda/nccl.sh -O nvidia-smi.log\n",
        "python train.py --name cuda_nccl --log-dir runs/cuda\n",
        "if grep -q cuda log; then echo nvidia-smi; fi\n",
    ],
)
def test_is_left_alone(text: str) -> None:
    assert codes(text) == []


def test_a_variable_has_one_name_in_all_that_a_script_does_with_it() -> None:
    text = (
        "export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-$(seq -s, 0 7)}\n"
        "IFS=',' read -ra IDS <<< \"$CUDA_VISIBLE_DEVICES\"\nN=$(echo ${CUDA_VISIBLE_DEVICES//,/ } | wc -w)\n"
        "env -u CUDA_VISIBLE_DEVICES python a.py\n"
        "[[ -v CUDA_VISIBLE_DEVICES ]] || unset CUDA_VISIBLE_DEVICES\n"
        "docker run -e CUDA_VISIBLE_DEVICES=0 image\n: ${CUDA_VISIBLE_DEVICES:=0}\n"
    )
    assert migrated(text) == text.replace("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_all_else_stays_byte_for_byte(newline: str) -> None:
    lines = ["#!/bin/bash\t", "  export  CUDA_VISIBLE_DEVICES='0'  # é \t", "\tnvidia-smi;  ls  ", "", "x"]
    text = newline.join(lines)
    new = text.replace("CUDA_VIS", "ASCEND_RT_VIS").replace("nvidia-smi", "npu-smi info")
    assert migrated(text) == new
