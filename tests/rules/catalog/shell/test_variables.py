"""Environment variables of scripts that nothing on an NPU reads: which are taken out, and where."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("NCCL_ALGO=Ring python a.py", "python a.py"),
        ("NCCL_ALGO=Ring  NCCL_TREE_THRESHOLD=0 python a.py", "python a.py"),
        ("env NCCL_ALGO=Ring python a.py", "env python a.py"),
    ],
)
def test_a_variable_before_a_command_can_go(line: str, left: str) -> None:
    assert fixed("NPU1002", f"{line}\n", "run.sh") == f"{left}\n"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("export NCCL_ALGO=Ring OTHER=1", id="exported with another"),
        pytest.param("export NCCL_ALGO=Ring", id="exported"),
        pytest.param("mpirun -x NCCL_ALGO=Ring python a.py", id="the value of an option"),
        pytest.param("docker run -e NCCL_ALGO=Ring image", id="of a container"),
        pytest.param("NCCL_ALGO=Ring \\\n  python a.py", id="before a line's end"),
    ],
)
def test_elsewhere_it_stays_and_is_reported(line: str) -> None:
    assert said("NPU1002", f"{line}\n", "run.sh") == ["network manual information: NCCL_ALGO"]


def test_what_is_ignored_and_does_no_harm_stays_before_its_command() -> None:
    line = "CUBLAS_WORKSPACE_CONFIG=:4096:8 python a.py\n"
    assert [item.split(":")[0] for item in said("NPU1002", line, "run.sh")] == ["cublas manual hint"]
