"""Values that one script sets and another, which sources it, passes to the project's programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

TRAIN = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
parser.add_argument("--mode", default="cuda")
torch.ones(2, device=parser.parse_args().device)
"""


def common_of(tmp_path: Path, common: str, run: str, run_name: str = "run.sh") -> str:
    """What a migration makes of the script ``common.sh`` beside another."""
    files = {"train.py": TRAIN, "common.sh": common, run_name: run}
    return migrated_files(tmp_path, files).read("common.sh")


@pytest.mark.parametrize(
    ("common", "run", "after"),
    [
        ("DEVICE=cuda\n", "source common.sh\npython train.py --device $DEVICE\n", "DEVICE=npu\n"),
        ("DEVICE='cuda:1'\n", '. ./common.sh\npython train.py --device "${DEVICE}"\n', "DEVICE='npu:1'\n"),
        (
            "export DEVICE=${DEVICE:-cuda}\n",
            'source "$(dirname "$0")/common.sh"\npython train.py --device $DEVICE\n',
            "export DEVICE=${DEVICE:-npu}\n",
        ),
    ],
)
def test_a_value_follows_the_program_that_gets_it(tmp_path: Path, common: str, run: str, after: str) -> None:
    assert common_of(tmp_path, common, run) == after


def test_scripts_in_the_directory_above_count(tmp_path: Path) -> None:
    run = "source conf/common.sh\npython train.py --device $DEVICE\n"
    files = {"train.py": TRAIN, "conf/common.sh": "DEVICE=cuda\n", "run.sh": run}
    assert migrated_files(tmp_path, files).read("conf/common.sh") == "DEVICE=npu\n"


@pytest.mark.parametrize(
    "run",
    [
        "python train.py --device $DEVICE\n",
        "source other/uncommon.sh\npython train.py --device $DEVICE\n",
        "source common.sh\npython train.py --mode $DEVICE\n",
        "source common.sh\npython elsewhere.py --device $DEVICE\n",
        "source common.sh\necho --device $DEVICE\n",
    ],
)
def test_what_no_program_shows_stays(tmp_path: Path, run: str) -> None:
    assert common_of(tmp_path, "DEVICE=cuda\n", run) == "DEVICE=cuda\n"


@pytest.mark.parametrize("include", ["include vars.mk", "-include ./vars.mk other.mk"])
def test_a_makefile_that_is_included_follows_too(tmp_path: Path, include: str) -> None:
    makefile = f"{include}\ntrain:\n\tpython train.py --device $(DEVICE)\n"
    files = {"train.py": TRAIN, "vars.mk": "DEVICE := cuda\n", "Makefile": makefile}
    assert migrated_files(tmp_path, files).read("vars.mk") == "DEVICE := npu\n"
