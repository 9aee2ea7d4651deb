"""CANN is found where its variables or its installers put it; its operators and set_env.sh are looked for."""

from __future__ import annotations

from pathlib import Path

import attrs

from ..host import CANN, SOURCED, answering, ready, said, sample, write


def test_it_is_missing_where_there_are_npus(tmp_path: Path) -> None:
    machine = ready(tmp_path, environ={})
    (tmp_path / CANN.lstrip("/")).rename(tmp_path / "elsewhere")
    assert "cann.missing" in said(machine)


def test_the_newer_place_is_found_without_variables(tmp_path: Path) -> None:
    machine = ready(tmp_path, environ={})
    write(tmp_path, {"/usr/local/Ascend/cann/set_env.sh": "", "/usr/local/Ascend/cann/version.cfg": ""})
    found = said(machine)
    look, ask = found["cann.no-version"].commands
    assert look == "ls /usr/local/Ascend/cann" and "torch_npu.utils.get_cann_version(module='CANN')" in ask
    assert found["set_env.missing"].commands == ("source /usr/local/Ascend/cann/set_env.sh",)


def test_the_script_of_older_releases_lies_above_the_version(tmp_path: Path) -> None:
    found = said(ready(tmp_path, environ={}))["set_env.missing"]
    assert found.commands == ("source /usr/local/Ascend/ascend-toolkit/set_env.sh",)


def test_a_shell_without_the_libraries_has_not_sourced_it(tmp_path: Path) -> None:
    machine = ready(tmp_path, environ={**SOURCED, "LD_LIBRARY_PATH": "/usr/lib64"})
    assert "set_env.missing" in said(machine)


def test_operators_for_another_chip_are_not_enough(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    ask = answering({"npu-smi info": sample("npu_smi_a3")})
    assert "kernels.missing" in said(attrs.evolve(machine, ask=ask))


def test_the_version_of_the_configuration_counts_where_nothing_else_says_it(tmp_path: Path) -> None:
    machine = ready(tmp_path)
    (tmp_path / CANN.lstrip("/") / "x86_64-linux" / "ascend_toolkit_install.info").unlink()
    write(tmp_path, {f"{CANN}/version.cfg": "toolkit_running_version=[7.6.0.1.220:8.2.RC1]\n"})
    assert "matrix.cann" in said(machine)
