"""Configurations and lists of dependencies move with the code that reads them, byte for byte else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

TRAIN = b"import torch\n\n\ndef main(cfg):\n    device = torch.device(cfg.run.device)\n    return device\n"
ARGUMENTS = (
    b"from dataclasses import dataclass, field\nimport torch\nfrom transformers import HfArgumentParser\n\n\n"
    b"@dataclass\nclass Chosen:\n    place: str = field(default='cuda', metadata={'help': 'where'})\n\n\n"
    b"(chosen,) = HfArgumentParser((Chosen,)).parse_yaml_file('configs/chosen.yaml')\n"
    b"model = torch.nn.Linear(1, 1).to(chosen.place)\n"
)
FILES = {
    "finetune.py": ARGUMENTS,
    "configs/chosen.yaml": b"place: cuda  # of the model\n",
    "finetune.sh": b"python finetune.py --place cuda\n",
    "train.py": TRAIN,
    "configs/a.yaml": b"# run\r\nrun:\r\n  device: 'cuda:0'   # card\r\n",
    "configs/b.json": b'{"run": {"device":"cuda"}}',
    "configs/kept.yaml": b"run:\n  other_device: cuda\n",
    "configs/broken.yaml": b"run:\n  device: cuda\n x: [\n",
    "configs/latin.ini": b"[run]\nname = Z\xfcrich\ndevice = cuda\n",
    "requirements.txt": b"torch>=2.0\nnumpy\n",
    "poetry.lock": b'[[package]]\nname = "torch"\nversion = "2.0.0"\n',
}
CHANGED = {
    "configs/chosen.yaml": b"place: npu  # of the model\n",
    "configs/a.yaml": b"# run\r\nrun:\r\n  device: 'npu:0'   # card\r\n",
    "configs/b.json": b'{"run": {"device":"npu"}}',
    "requirements.txt": (
        b"--extra-index-url https://download.pytorch.org/whl/cpu\n"
        b"torch==2.8.0\ntorch-npu==2.8.0.post5\nnumpy\n"
    ),
}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return migrated_files(tmp_path_factory.mktemp("project"), FILES).output


@pytest.mark.parametrize("name", CHANGED)
def test_what_the_code_reads_changes(output: Path, name: str) -> None:
    assert (output / name).read_bytes() == CHANGED[name]


@pytest.mark.parametrize("name", ["configs/kept.yaml", "configs/broken.yaml", "poetry.lock"])
def test_the_rest_is_copied_as_it_was(output: Path, name: str) -> None:
    assert (output / name).read_bytes() == FILES[name]


@pytest.mark.parametrize(
    "name", ["configs/kept.yaml", "configs/broken.yaml", "poetry.lock", "configs/a.yaml"]
)
def test_each_file_is_named_in_the_report(output: Path, name: str) -> None:
    texts = [path.read_text("utf-8") for path in output.iterdir() if path.suffix in (".csv", ".txt", ".json")]
    assert any(name in text or name.replace("/", "\\") in text for text in texts)


def test_an_option_that_is_the_field_of_a_dataclass_follows_it(output: Path) -> None:
    assert b"python finetune.py --place npu\n" in (output / "finetune.sh").read_bytes()
