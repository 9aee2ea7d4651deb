"""Shell scripts of a project: what they pass to its programs follows what was changed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import FileOutcome, FileStatus, MigrationRequest
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from

PARSER = """import argparse
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
parser.add_argument("--dist-backend", default="nccl")
parser.add_argument("--name", default="run")
parser.add_argument("--kind", choices=["cuda", "other"])
args = parser.parse_args()
device = torch.device(args.device)
dist.init_process_group(args.dist_backend)
print(args.name, args.kind)
"""


def migrated(
    root: Path, files: dict[str, str | bytes], tmp_path: Path
) -> tuple[Path, dict[str, FileOutcome]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode() if isinstance(text, str) else text)
    outcomes: dict[str, FileOutcome] = {}
    options = options_from({"version": "2.8.0"})
    request = MigrationRequest(input=root, output=tmp_path / "out", options=options, jobs=1)
    result = migrate(request, on_file=lambda item: outcomes.update({item.path: item}))
    assert result.output_path is not None
    return result.output_path, outcomes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("python train.py --device cuda\n", "python train.py --device npu\n"),
        ("python train.py --device=cuda\n", "python train.py --device=npu\n"),
        ('python3 -u train.py --device "cuda"\n', 'python3 -u train.py --device "npu"\n'),
        (
            'D=${1:-cuda}\nARGS="--lr 1 --device $D"\npython train.py $ARGS\n',
            'D=${1:-npu}\nARGS="--lr 1 --device $D"\npython train.py $ARGS\n',
        ),
        (
            'D=cuda:1\nA="--lr 1"\nA="$A --device=${D}"\npython train.py $A\n',
            'D=npu:1\nA="--lr 1"\nA="$A --device=${D}"\npython train.py $A\n',
        ),
        (
            "torchrun --nproc_per_node 8 train.py --dist-backend nccl\n",
            "torchrun --nproc_per_node 8 train.py --dist-backend hccl\n",
        ),
        (
            "python -m torch.distributed.launch --nproc_per_node=8 train.py --device cuda\n",
            "python -m torch.distributed.launch --nproc_per_node=8 train.py --device npu\n",
        ),
        ("python -m train --device cuda\n", "python -m train --device npu\n"),
        ("cd ..; python ./train.py --device cuda\n", "cd ..; python ./train.py --device npu\n"),
        ('python "$HERE/train.py" --device cuda\n', 'python "$HERE/train.py" --device npu\n'),
        (
            "nohup python ../train.py --device cuda > cuda.log &\n",
            "nohup python ../train.py --device npu > cuda.log &\n",
        ),
        ("DEVICE=cuda\npython train.py --device $DEVICE\n", "DEVICE=npu\npython train.py --device $DEVICE\n"),
        (
            "DEVICE=${1:-cuda}\npython train.py --device ${DEVICE}\n",
            "DEVICE=${1:-npu}\npython train.py --device ${DEVICE}\n",
        ),
        (
            "for d in cuda:0 'cuda:1' cpu; do python train.py --device $d; done\n",
            "for d in npu:0 'npu:1' cpu; do python train.py --device $d; done\n",
        ),
        (
            'for d in cuda cpu; do\n  echo "on $d"\n  python train.py --device="${d}" &\ndone\n',
            'for d in npu cpu; do\n  echo "on $d"\n  python train.py --device="${d}" &\ndone\n',
        ),
        (
            'D="cuda:0 cuda:1"\nfor d in $D; do python train.py --device $d; done\n',
            'D="npu:0 npu:1"\nfor d in $D; do python train.py --device $d; done\n',
        ),
        (
            'D=(cuda:0 cuda:1)\nfor d in "${D[@]}"; do python train.py --device $d; done\n',
            'D=(npu:0 npu:1)\nfor d in "${D[@]}"; do python train.py --device $d; done\n',
        ),
        (
            "for i in 0 1; do python train.py --device cuda:$i; done\n",
            "for i in 0 1; do python train.py --device npu:$i; done\n",
        ),
        (
            'python train.py --device="cuda:${1}" --name "cuda:${1}"\n',
            'python train.py --device="npu:${1}" --name "cuda:${1}"\n',
        ),
        ("python train.py --device ${D:-cuda}\n", "python train.py --device ${D:-npu}\n"),
        (
            "for d in cuda cpu; do python train.py --device $d; done\n"
            "for d in cuda a; do python train.py --name $d; done\n",
            "for d in npu cpu; do python train.py --device $d; done\n"
            "for d in cuda a; do python train.py --name $d; done\n",
        ),
        (
            "ARGS='--device cuda --name cuda'\npython train.py $ARGS\n",
            "ARGS='--device npu --name cuda'\npython train.py $ARGS\n",
        ),
        (
            'ARGS=(\n  --device cuda  # here\n  --dist-backend "nccl"\n)\npython train.py "${ARGS[@]}"\n',
            'ARGS=(\n  --device npu  # here\n  --dist-backend "hccl"\n)\npython train.py "${ARGS[@]}"\n',
        ),
    ],
)
def test_an_option_follows_the_program(root: Path, tmp_path: Path, before: str, after: str) -> None:
    output, _ = migrated(root, {"train.py": PARSER, "scripts/run.sh": before}, tmp_path)
    assert 'choices=["npu", "cpu"]' in (output / "train.py").read_text()
    assert (output / "scripts/run.sh").read_text() == after


@pytest.mark.parametrize(
    "text",
    [
        "python train.py --name cuda\n",
        "python train.py --device cpu\n",
        "python other.py --device-list cuda\n",
        "rsync --device cuda train.py host:\n",
        "python train.py --kind cuda\n",
        "echo python train.py --device cuda\n",
        "python train.py > logs/cuda 2> nccl\n",
    ],
)
def test_other_options_and_other_programs_stay(root: Path, tmp_path: Path, text: str) -> None:
    output, outcomes = migrated(root, {"train.py": PARSER, "run.sh": text}, tmp_path)
    assert (output / "run.sh").read_text() == text
    assert "run.sh" not in outcomes


@pytest.mark.parametrize(
    "text",
    [
        "for d in cuda:0 cuda:1; do python train.py --device $d --name $d > $d.log; done\n",
        'D=cuda:0\npython train.py --device $D\nif [ "$D" = cuda:0 ]; then ls; fi\n',
        "D='cuda:0 cpu'\nfor d in $D; do python train.py --device $d; rm -r out/$d; done\n",
    ],
)
def test_a_value_that_a_script_also_uses_otherwise_is_an_error_and_stays(
    root: Path, tmp_path: Path, text: str
) -> None:
    output, outcomes = migrated(root, {"train.py": PARSER, "run.sh": text}, tmp_path)
    assert (output / "run.sh").read_text() == text
    left = {(item.finding.message.id, item.finding.severity) for item in outcomes["run.sh"].remaining}
    assert left == {("NPU1009.shared", Severity.ERROR)}


def test_the_loops_of_a_makefile_are_followed(root: Path, tmp_path: Path) -> None:
    text = "D := cuda:0 cuda:1\nall:\n\tfor d in $(D); do python train.py --device $$d; done\n"
    output, _ = migrated(root, {"train.py": PARSER, "Makefile": text}, tmp_path)
    assert (output / "Makefile").read_text() == text.replace("cuda", "npu")


def test_an_option_that_another_module_declares(root: Path, tmp_path: Path) -> None:
    files = {
        "train.py": "from tools.options import args\nimport torch\ntorch.zeros(1).to(args.device)\n",
        "tools/__init__.py": "",
        "tools/options.py": PARSER,
        "run.sh": "python train.py --device cuda\n",
    }
    output, _ = migrated(root, files, tmp_path)
    assert (output / "run.sh").read_text() == "python train.py --device npu\n"


def test_an_option_that_nothing_declares_is_reported(root: Path, tmp_path: Path) -> None:
    files = {"train.py": "import torch\n", "run.sh": "python train.py --device cuda\n"}
    output, outcomes = migrated(root, files, tmp_path)
    assert (output / "run.sh").read_text() == files["run.sh"]
    assert [item.finding.message.id for item in outcomes["run.sh"].remaining] == ["NPU1009.unknown"]


def test_scripts_that_source_each_other_keep_one_name_for_a_variable(root: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "env.sh": "export CUDA_VISIBLE_DEVICES=0,1\n",
        "run.sh": '. ./env.sh\necho "$CUDA_VISIBLE_DEVICES"\n',
        "train.py": "import os\nprint(os.environ['CUDA_VISIBLE_DEVICES'])\n",
    }
    output, _ = migrated(root, files, tmp_path)
    for name in files:
        text = (output / name).read_text()
        assert "ASCEND_RT_VISIBLE_DEVICES" in text and "CUDA_VISIBLE" not in text


def test_a_script_of_another_framework_in_the_same_repository_stays(root: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "paddle_part/train.py": "import paddle\n",
        "paddle_part/run.sh": "export CUDA_VISIBLE_DEVICES=0\npython train.py\n",
        "torch_part/fit.py": "import torch\n",
        "torch_part/run.sh": "export CUDA_VISIBLE_DEVICES=0\npython fit.py\n",
    }
    output, _ = migrated(root, files, tmp_path)
    assert (output / "paddle_part/run.sh").read_text() == files["paddle_part/run.sh"]
    assert "ASCEND_RT" in (output / "torch_part/run.sh").read_text()


BROKEN = {
    "unclosed": b"export CUDA_VISIBLE_DEVICES=0\nif [ 1 ; then\n  nvidia-smi --query-gpu=name '\n",
    "template": b"export CUDA_VISIBLE_DEVICES={{ devices }}\n{% if x %}\nnvidia-smi -q\n{% endif %}\n",
    "latin": b"# caf\xe9\nexport CUDA_VISIBLE_DEVICES=0\n",
    "nul": b"export A=\0 CUDA_VISIBLE_DEVICES\n",
    "one_line": b"nvidia-smi -q; " * 2_000,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_bad_input_loses_nothing(root: Path, tmp_path: Path, data: bytes) -> None:
    output, _ = migrated(root, {"train.py": "import torch\n", "run.sh": data}, tmp_path)
    new = (output / "run.sh").read_bytes()
    assert new.replace(b"ASCEND_RT_VISIBLE_DEVICES", b"CUDA_VISIBLE_DEVICES") == data


@pytest.mark.parametrize("name", ["unclosed", "template"])
def test_a_script_that_is_not_understood_is_reported(root: Path, tmp_path: Path, name: str) -> None:
    output, outcomes = migrated(root, {"train.py": "import torch\n", "run.sh": BROKEN[name]}, tmp_path)
    assert (output / "run.sh").read_bytes() == BROKEN[name]
    assert [item.finding.code for item in outcomes["run.sh"].remaining] == ["NPU1011"]


def test_a_script_that_is_no_text_is_copied_and_reported(root: Path, tmp_path: Path) -> None:
    data = b"\xff\xfe" + "export CUDA_VISIBLE_DEVICES=0\n".encode("utf-16-le")[1:]
    output, outcomes = migrated(root, {"run.sh": data, "a.py": "import torch\n"}, tmp_path)
    assert (output / "run.sh").read_bytes() == data
    assert outcomes["run.sh"].status is FileStatus.UNDECODABLE


def test_a_script_that_is_too_large_is_copied_and_reported(root: Path, tmp_path: Path) -> None:
    data = b"export CUDA_VISIBLE_DEVICES=0\n" + b"# x\n" * 13_000_000
    output, outcomes = migrated(root, {"run.sh": data, "a.py": "import torch\n"}, tmp_path)
    assert (output / "run.sh").stat().st_size == len(data)
    assert outcomes["run.sh"].status is FileStatus.FAILED


def test_a_link_to_a_script_stays_a_link(root: Path, tmp_path: Path) -> None:
    (root / "run.sh").write_text("export CUDA_VISIBLE_DEVICES=0\n")
    try:
        (root / "again.sh").symlink_to("run.sh")
    except OSError:
        pytest.skip("no symbolic links here")
    output, _ = migrated(root, {"a.py": "import torch\n"}, tmp_path)
    assert (output / "again.sh").is_symlink()
    assert (output / "again.sh").read_text() == "export ASCEND_RT_VISIBLE_DEVICES=0\n"


def test_the_mode_of_a_script_stays(root: Path, tmp_path: Path) -> None:
    (root / "run.sh").write_text("#!/bin/sh\nnvidia-smi\n")
    (root / "run.sh").chmod(0o755)
    output, _ = migrated(root, {"a.py": "import torch\n"}, tmp_path)
    assert (output / "run.sh").stat().st_mode & 0o777 == (root / "run.sh").stat().st_mode & 0o777


def test_a_script_of_python_without_a_suffix_is_migrated_and_so_are_commands_that_start_it(
    root: Path, tmp_path: Path
) -> None:
    script = f"#!/usr/bin/env python3\n{PARSER}"
    commands = "./train --device cuda\ntorchrun --nproc_per_node 8 train --device cuda\n"
    (root / "train").write_text(script)
    (root / "train").chmod(0o755)
    output, _ = migrated(
        root, {"run.sh": commands, "gui.pyw": "import torch\ntorch.zeros(1).cuda()\n"}, tmp_path
    )
    assert 'default="npu"' in (output / "train").read_text()
    assert (output / "train").read_text().startswith("#!/usr/bin/env python3\n")
    assert (output / "train").stat().st_mode & 0o777 == 0o755
    assert (output / "run.sh").read_text() == commands.replace("cuda", "npu")
    assert "torch.zeros(1).npu()" in (output / "gui.pyw").read_text()


_LIBRARY = """BACKEND=nccl
DEVICE=cuda
NAME=cuda
launch() {
    local more=("$@")
    torchrun --nproc_per_node 8 train.py --device cuda "${more[@]}"
}
start() {
    python train.py "$@"
}
"""


@pytest.mark.parametrize("sourced", ["lib.sh", "./lib.sh", '"$(dirname "$0")/lib.sh"', '"${HERE}/lib.sh"'])
def test_functions_of_a_sourced_script_hand_on_what_they_are_given(
    root: Path, tmp_path: Path, sourced: str
) -> None:
    calls = f"source {sourced}\nlaunch --dist-backend $BACKEND --name $NAME\nstart --device $DEVICE\n"
    given = "start --device cuda --dist-backend=nccl --name cuda\nother --device cuda\n"
    output, _ = migrated(root, {"train.py": PARSER, "lib.sh": _LIBRARY, "run.sh": calls + given}, tmp_path)
    moved = _LIBRARY.replace("cuda", "npu").replace("nccl", "hccl").replace("NAME=npu", "NAME=cuda")
    assert (output / "lib.sh").read_text() == moved
    assert (output / "run.sh").read_text() == calls + (
        "start --device npu --dist-backend=hccl --name cuda\nother --device cuda\n"
    )


def test_a_value_that_is_joined_with_a_short_option_moves(root: Path, tmp_path: Path) -> None:
    parser = PARSER.replace('"--device"', '"-d", "--device"')
    script = "python train.py -dcuda:1\npython train.py -ncuda\n"
    output, _ = migrated(root, {"train.py": parser, "run.sh": script}, tmp_path)
    assert (output / "run.sh").read_text() == script.replace("-dcuda", "-dnpu")
