"""A log's failures by their text, each once, with the place in the project and the rules there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.places import place_of
from gpu2ascend.doctor.tables import rows
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.messages import LANGUAGES, translated
from gpu2ascend_rules.options.options import options_from

from ..host import sample

LINES = {
    "cuda-build": "AssertionError: Torch not compiled with CUDA enabled",
    "map-location": "RuntimeError: Attempting to deserialize object on a CUDA device but ...",
    "source-tree": "ModuleNotFoundError: No module named 'torch_npu._C'",
    "no-torch-npu": "ModuleNotFoundError: No module named 'torch_npu'",
    "static-tls": "OSError: /lib/libgomp.so.1: cannot allocate memory in static TLS block",
    "driver-library": "ImportError: libascend_hal.so: cannot open shared object file: No such file",
    "cann-library": "ImportError: libhccl.so: cannot open shared object file: No such file or directory",
    "undefined-symbol": "ImportError: /x/torch_npu/lib/libtorch_npu.so: undefined symbol: _ZN3c1017Reg",
    "two-accelerators": "RuntimeError: Two accelerators cannot be used at the same time in PyTorch: ...",
    "compile-option": "RuntimeError: InnerRun:AclSetCompileopt failed, error code is 500001",
    "out-of-memory": "RuntimeError: NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total",
    "module-path": "ModuleNotFoundError: No module named 'mypkg.models'",
    "cann-python": "ModuleNotFoundError: No module named 'tbe'",
    "no-nccl": "RuntimeError: Distributed package doesn't have NCCL built in",
    "cpu-fallback": "Warning: CAUTION: The operator 'aten::isin.Tensor_Tensor_out' is not currently supported"
    " on the NPU backend and will fall back to run on the CPU.",
}
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/them/job/pkg/train.py", line 4, in main
    x = torch.ones(2).cuda()
  File "/opt/conda/lib/python3.10/site-packages/torch/cuda/__init__.py", line 310, in _lazy_init
    raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
"""


@pytest.mark.parametrize("name", LINES)
def test_a_line_is_recognised(name: str) -> None:
    assert [failure.name for failure in failures([LINES[name]])] == [name]


@pytest.mark.parametrize(("log", "name"), [("log_ei0006", "socket-timeout"), ("log_ej0001", "hccp-busy")])
def test_recorded_logs(log: str, name: str) -> None:
    assert [failure.name for failure in failures(sample(log).splitlines())] == [name]


def test_a_failure_is_listed_once_where_it_is_first() -> None:
    (found,) = failures(["epoch 1", LINES["out-of-memory"], LINES["out-of-memory"]])
    assert (found.line, found.lines) == (2, 2)


def test_a_log_without_failures_has_none() -> None:
    assert failures(["epoch 1 loss 0.3", "saved to /data/cuda_runs"]) == []


def test_the_innermost_line_of_the_project_is_named_with_its_rules(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "train.py").write_text("import torch\n\ndef main():\n    x = torch.ones(2).cuda()\n")
    failure = next(one for one in failures(TRACEBACK.splitlines()) if one.name == "cuda-build")
    place = place_of(failure, tmp_path, options_from({"version": "2.8.0"}))
    assert place is not None and (Path(place.path).name, place.line) == ("train.py", 4)
    assert place.rules == ("NPU110",)


def test_without_a_project_the_place_is_that_of_the_log() -> None:
    failure = failures(TRACEBACK.splitlines())[-1]
    place = place_of(failure, None, options_from({"version": "2.8.0"}))
    assert place == ("/home/them/job/pkg/train.py", 4, ())


def test_a_frame_never_leads_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1\n")
    (tmp_path / "project").mkdir()
    log = 'File "/a/../secret.py", line 1, in f\nAssertionError: Torch not compiled with CUDA enabled\n'
    (failure,) = failures(log.splitlines())
    assert place_of(failure, tmp_path / "project", options_from({"version": "2.8.0"})) is None


def test_every_row_has_its_texts_and_names_rules_that_exist() -> None:
    codes = {rule.code for rule in all_rules()}
    for row in rows("failures"):
        re.compile(row["pattern"])
        assert row["source"]
        assert set(filter(None, row["rules"].split(","))) <= codes
        for language in LANGUAGES:
            assert {f"doctor.log.{row['id']}.{part}" for part in ("cause", "remedy")} <= set(
                translated(language)
            )
