"""Files of environment variables: what they set is renamed with what the scripts beside them set."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.suppression import ignore_line
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import kind_of, text_file
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


@pytest.mark.parametrize("path", [".env", "a/.env.local", "docker/train.env"])
def test_names(path: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == "env"


@pytest.mark.parametrize("path", ["env", "environment", "env.py", ".envrc", "a.envs"])
def test_other_names(path: str) -> None:
    found = kind_of(path)
    assert found is None or found.name != "env"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A=é\nCUDA_VISIBLE_DEVICES=0,1 # two\n", "A=é\nASCEND_RT_VISIBLE_DEVICES=0,1 # two\n"),
        ("export CUDA_VISIBLE_DEVICES='0'\r\n", "export ASCEND_RT_VISIBLE_DEVICES='0'\r\n"),
        (
            "NCCL_SOCKET_IFNAME = eth0\nX=${NCCL_SOCKET_IFNAME}:$NCCL_SOCKET_IFNAME",
            "HCCL_SOCKET_IFNAME = eth0\nX=${HCCL_SOCKET_IFNAME}:$HCCL_SOCKET_IFNAME",
        ),
    ],
)
def test_is_edited(before: str, after: str) -> None:
    assert apply_fixes(text_file(before, ".env"), OPTIONS).text == after


@pytest.mark.parametrize(
    "text",
    [
        "# CUDA_VISIBLE_DEVICES=0\n",
        "NAME=CUDA_VISIBLE_DEVICES\n",
        "A='$CUDA_VISIBLE_DEVICES'\n",
        "CUDA_VISIBLE_DEVICES\n",
        "A=1 # $CUDA_VISIBLE_DEVICES\n",
    ],
)
def test_is_left_alone(text: str) -> None:
    assert check(text_file(text, ".env"), OPTIONS) == ()


def test_a_list_out_of_order_is_reported() -> None:
    found = check(text_file("CUDA_VISIBLE_DEVICES=3,1\n", ".env"), OPTIONS)
    assert [finding.code for finding in found] == ["NPU1001", "NPU1003"]


def test_a_comment_above_a_line_silences_it() -> None:
    file = text_file("A=1\nCUDA_VISIBLE_DEVICES=0\n", ".env")
    (finding,) = check(file, OPTIONS)
    edit = ignore_line(file, finding)
    assert edit is not None
    silenced = apply_edits(file.data, [edit]).decode()
    assert silenced == "A=1\n# gpu2ascend: ignore[NPU1001]\nCUDA_VISIBLE_DEVICES=0\n"
    assert check(text_file(silenced, ".env"), OPTIONS) == ()
