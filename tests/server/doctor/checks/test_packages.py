"""torch, torch_npu, Python and CANN against the table of versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.doctor.checks.packages import base_of
from gpu2ascend.doctor.result import Status

from ..host import CANN, NEEDED, environment, ready, said, write


def installed(root: Path, *packages: str, cuda: str | None = None) -> dict[str, object]:
    """What is said of a host with these packages."""
    machine = ready(root, python=environment(root / "other", (*packages, *NEEDED), cuda))
    return {name: found.status for name, found in said(machine).items()}


def test_torch_npu_of_another_version_does_not_load(tmp_path: Path) -> None:
    assert installed(tmp_path, "torch-2.7.1+cpu", "torch_npu-2.8.0")["torch_npu.pair"] is Status.ERROR


@pytest.mark.parametrize("torch_npu", ["2.8.0", "2.8.0.post2", "2.8.0.post5"])
def test_later_builds_are_of_the_same_version(torch_npu: str) -> None:
    assert base_of(torch_npu) == base_of("2.8.0+cpu")


def test_a_build_for_cuda_is_an_error_also_without_its_name(tmp_path: Path) -> None:
    assert "torch.cuda" in installed(tmp_path, "torch-2.8.0", "torch_npu-2.8.0", cuda="12.8")


def test_what_is_missing_is_an_error_where_there_are_npus(tmp_path: Path) -> None:
    assert installed(tmp_path, "torch-2.8.0+cpu")["torch_npu.missing"] is Status.ERROR


def test_what_is_missing_is_the_one_that_the_project_is_for(tmp_path: Path) -> None:
    """Not the one of a torch that happens to be there."""
    python = environment(tmp_path / "other", ("torch-2.13.0+cpu", *NEEDED))
    found = said(ready(tmp_path, python=python, declared="2.8.0"))
    commands = found["torch_npu.missing"].commands
    assert found["torch.declared"].status is Status.WARNING
    assert commands[0].startswith("pip install torch==2.8.0 ") and "torch-npu==2.8.0" in commands[1]


def test_a_cann_that_is_not_of_the_row_is_a_warning(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    write(tmp_path, {f"{CANN}/x86_64-linux/ascend_toolkit_install.info": "version=8.0.0\n"})
    assert said(machine)["matrix.cann"].status is Status.WARNING


@pytest.mark.parametrize("cann", ["8.5.0", "9.0.0", "9.1.0.1"])
def test_releases_that_accept_several_canns_are_not_bound_to_their_row(tmp_path: Path, cann: str) -> None:
    machine = ready(tmp_path, python=environment(tmp_path / "e", ("torch-2.9.0", "torch_npu-2.9.0", *NEEDED)))
    write(tmp_path, {f"{CANN}/x86_64-linux/ascend_toolkit_install.info": f"version={cann}\n"})
    assert "matrix.cann" not in said(machine)


def test_a_build_that_the_table_lacks_is_not_judged(tmp_path: Path) -> None:
    assert installed(tmp_path, "torch-2.13.0+cpu", "torch_npu-2.13.0") == {}


def test_a_python_that_the_table_lacks_is_an_error(tmp_path: Path) -> None:
    assert "matrix.python" in installed(tmp_path, "torch-2.2.0+cpu", "torch_npu-2.2.0")


def test_both_tritons_overwrite_each_other(tmp_path: Path) -> None:
    names = ("torch-2.8.0+cpu", "torch_npu-2.8.0", "triton-3.4.0", "triton_ascend-3.2.0")
    assert "triton.both" in installed(tmp_path, *names)


def test_a_torchvision_that_says_it_needs_another_torch_is_an_error(tmp_path: Path) -> None:
    python = environment(tmp_path / "o", ("torch-2.8.0", "torch_npu-2.8.0", "torchvision-0.22.1", *NEEDED))
    place = "/o/lib/python3.11/site-packages/torchvision-0.22.1.dist-info/METADATA"
    write(tmp_path, {place: "Name: torchvision\nRequires-Dist: numpy\nRequires-Dist: torch==2.7.1\n"})
    assert "companions.pair" in said(ready(tmp_path, python=python))


def test_numpy_2_breaks_old_builds(tmp_path: Path) -> None:
    machine = ready(
        tmp_path, python=environment(tmp_path / "o", ("torch-2.1.0", "torch_npu-2.1.0", "numpy-2.0.1"))
    )
    assert "numpy.new" in said(machine)


def test_packages_that_cann_imports_are_named(tmp_path: Path) -> None:
    machine = ready(
        tmp_path, python=environment(tmp_path / "o", ("torch-2.8.0", "torch_npu-2.8.0", *NEEDED[1:]))
    )
    assert said(machine)["cann-python.missing"].commands == ("pip install absl-py",)


def test_the_version_of_the_project_is_compared(tmp_path: Path) -> None:
    assert "torch.declared" in said(ready(tmp_path, declared="2.1.0"))
