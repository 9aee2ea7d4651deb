"""Words that must change together are not changed where one of them may not be edited."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.cli.app import run

LIB = """import torch

def to_device(x, device):
    assert device in ["cpu", "cuda"]
    return x.to(torch.device(device))
"""
TRAIN = """from lib import to_device

to_device(x, "cuda")
"""


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("")
    (root / "lib.py").write_text(LIB)
    (root / "train.py").write_text(TRAIN)
    return root


def test_one_named_file_is_not_fixed_alone(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert run(["check", "--fix", "-v", "2.8.0", str(root / "train.py")]) == 1
    assert (root / "train.py").read_text() == TRAIN


def test_the_whole_project_is_fixed(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert run(["check", "--fix", "-v", "2.8.0", str(root)]) == 0
    assert '"npu"' in (root / "train.py").read_text()
    assert '["cpu", "cuda", "npu"]' in (root / "lib.py").read_text()


def test_a_file_that_is_only_copied_holds_the_others(tmp_path: Path) -> None:
    root = project(tmp_path)
    output = tmp_path / "out"
    arguments = ["migrate", "-i", str(root), "-o", str(output), "-v", "2.8.0", "--copy", "lib.py"]
    assert run(arguments) == 1
    assert (output / "project_msft" / "train.py").read_text() == TRAIN


USES = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
parser.add_argument("--backend", default="nccl")
args = parser.parse_args()
if args.device == "cuda":
    x = torch.ones(2).to(args.device)
if args.backend == "nccl":
    torch.distributed.init_process_group(args.backend)
"""
COMMAND = "python train.py --device cuda --backend nccl\n"


SETTINGS = "device: cuda\nbackend: nccl\n"
READS = """import torch
import yaml

with open("run.yaml") as file:
    run = yaml.safe_load(file)
if run["device"] == "cuda":
    x = torch.ones(2).to(run["device"])
if run["backend"] == "nccl":
    torch.distributed.init_process_group(run["backend"])
"""
IGNORED = "  # gpu2ascend: ignore\n"


class Kept(NamedTuple):
    """A project in which one word of a device is silenced; those of back ends are not."""

    files: dict[str, str]
    ignored: tuple[str, ...] = ()


KEPT = {
    "a comment in code": Kept({"train.py": USES.replace('"cuda":\n', '"cuda":' + IGNORED)}),
    "a rule of code": Kept({"train.py": USES}, ("NPU202",)),
    "a comment in a script": Kept(
        {"train.py": USES, "train.sh": f"D=cuda{IGNORED}python train.py --device $D --backend nccl\n"}
    ),
    "a comment in a configuration": Kept(
        {"train.py": READS, "run.yaml": SETTINGS.replace("cuda\n", "cuda" + IGNORED)}
    ),
    "a rule of configurations": Kept({"train.py": READS, "run.yaml": SETTINGS}, ("NPU1201",)),
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_what_is_silenced_holds_the_words_that_would_change_with_it(kept: Kept, tmp_path: Path) -> None:
    for name, text in kept.files.items():
        (tmp_path / name).write_text(text)
    flags = [word for code in kept.ignored for word in ("--ignore", code)]
    assert run(["check", "--fix", "-v", "2.8.0", *flags, str(tmp_path)]) == 1
    for name, text in kept.files.items():
        fixed = (tmp_path / name).read_text()
        assert fixed.count("cuda") == text.count("cuda")
        assert "nccl" in text
        assert "nccl" not in fixed


def test_the_fixes_of_one_line_bring_the_other_words_of_its_units(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(USES)
    line = USES[: USES.index("if args.device")].count("\n") + 1
    run(["check", "--fix", "-v", "2.8.0", "--lines", str(line), str(file)])
    assert "cuda" not in file.read_text()
    assert file.read_text().count("nccl") == USES.count("nccl")


def test_an_ignored_rule_of_scripts_holds_all_that_scripts_give(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(USES)
    (tmp_path / "train.sh").write_text(COMMAND)
    assert run(["check", "--fix", "-v", "2.8.0", "--ignore", "NPU10xx", str(tmp_path)]) == 1
    assert (tmp_path / "train.py").read_text() == USES
    assert (tmp_path / "train.sh").read_text() == COMMAND


def test_a_script_that_is_only_copied_holds_every_program_with_such_an_option(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(USES)
    (tmp_path / "run.sh").write_text("python first.py --device cuda\npython second.py --device cuda\n")
    run(["check", "--fix", "-v", "2.8.0", "--exclude", "run.sh", str(tmp_path)])
    for name in ("first", "second"):
        fixed = (tmp_path / f"{name}.py").read_text()
        assert 'default="cuda", choices=["cuda", "cpu"]' in fixed
        assert 'default="hccl"' in fixed


@pytest.mark.parametrize("code", ["NPU202", "NPU401", "NPU1009", "NPU1013"])
def test_a_diff_of_one_rule_shows_what_its_fix_writes(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(USES)
    (tmp_path / "train.sh").write_text(COMMAND)
    arguments = ["-v", "2.8.0", "--select", code, str(tmp_path)]
    run(["check", "--diff", *arguments])
    added = [line[1:] for line in capsys.readouterr().out.splitlines() if re.match(r"\+(?!\+\+)", line)]
    run(["check", "--fix", *arguments])
    written = (tmp_path / "train.py").read_text() + (tmp_path / "train.sh").read_text()
    assert len(added) == 6
    assert [line for line in written.splitlines() if re.search("npu|hccl", line)] == added
    assert not re.search("cuda|nccl", written)


def test_a_selected_rule_brings_those_that_change_words_of_the_same_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(USES)
    (tmp_path / "train.sh").write_text(COMMAND)
    selected = ["-v", "2.8.0", "--select", "NPU203", str(tmp_path)]
    run(["check", "--diff", *selected])
    assert "--device npu" in capsys.readouterr().out
    run(["check", "--fix", *selected])
    assert '"cuda"' not in (tmp_path / "train.py").read_text()
    assert "--device npu" in (tmp_path / "train.sh").read_text()


@pytest.mark.parametrize("step", [1, -1], ids=["ascending", "descending"])
def test_rules_that_are_fixed_one_by_one_end_in_what_all_at_once_do(tmp_path: Path, step: int) -> None:
    for name in ("once", "each"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(USES)
        (tmp_path / name / "train.sh").write_text(COMMAND)
    run(["check", "--fix", "-v", "2.8.0", str(tmp_path / "once")])
    for code in ("NPU1009", "NPU201", "NPU202", "NPU203", "NPU401")[::step]:
        run(["check", "--fix", "-v", "2.8.0", "--select", code, str(tmp_path / "each")])
    once, each = (
        {file.name: file.read_text() for file in (tmp_path / name).iterdir()} for name in ("once", "each")
    )
    assert once == each
    assert "cuda" not in "".join(once.values())


@pytest.mark.parametrize("protected", ["lib.py", "train.py"])
def test_a_protected_file_holds_the_others(tmp_path: Path, protected: str) -> None:
    root = project(tmp_path)
    (root / protected).chmod(0o444)
    assert run(["check", "--fix", "-v", "2.8.0", str(root)]) == 1
    assert [(root / name).read_text() for name in ("lib.py", "train.py")] == [LIB, TRAIN]
    assert run(["check", "--fix", "--fix-read-only", "-v", "2.8.0", str(root)]) == 0
    assert '"npu"' in (root / "train.py").read_text()
