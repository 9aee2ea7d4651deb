"""Variables that stop a training or slow it down."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..host import SOURCED, ready, said


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"ASCEND_RT_VISIBLE_DEVICES": "1,0"}, "visible.order"),
        ({"ASCEND_RT_VISIBLE_DEVICES": "0,0"}, "visible.order"),
        ({"ASCEND_RT_VISIBLE_DEVICES": "all"}, "visible.form"),
        ({"CUDA_VISIBLE_DEVICES": "0"}, "visible.cuda"),
        ({"ASCEND_LAUNCH_BLOCKING": "1"}, "variables.slow"),
        ({"PYTORCH_ALLOC_CONF": "a", "PYTORCH_NPU_ALLOC_CONF": "a"}, "variables.allocators"),
    ],
)
def test_is_reported(tmp_path: Path, variables: dict[str, str], message: str) -> None:
    assert message in said(ready(tmp_path, environ={**SOURCED, **variables}))


@pytest.mark.parametrize("value", ["0", "0,1", "0, 2,5"])
def test_lists_in_order_are_fine(tmp_path: Path, value: str) -> None:
    assert said(ready(tmp_path, environ={**SOURCED, "ASCEND_RT_VISIBLE_DEVICES": value})) == {}


def test_the_order_that_is_meant_is_the_command(tmp_path: Path) -> None:
    found = said(ready(tmp_path, environ={**SOURCED, "ASCEND_RT_VISIBLE_DEVICES": "3,1"}))
    assert found["visible.order"].commands == ("export ASCEND_RT_VISIBLE_DEVICES=1,3",)


def test_hccl_needs_its_settings_for_several_hosts_only(tmp_path: Path) -> None:
    assert {"hccl.interface", "hccl.timeout"} <= set(said(ready(tmp_path, nodes=2)))
