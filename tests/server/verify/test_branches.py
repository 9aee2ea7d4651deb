"""What a migration leaves for machines with GPUs is no failure; runs on the CPU, or without steps, say so."""

from __future__ import annotations

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.manifest.marker import MARKER_NAME, Marker, marker_bytes
from tests.server.verify.conftest import Verified
from tests.server.verify.scripts import SINGLE

pytestmark = pytest.mark.execution

DEVICE = '    device = torch.device("npu:0")\n'
BRANCH = """\
    if torch.cuda.is_available():
        device = torch.device("cuda:0")
    elif torch_npu.npu.is_available():
        device = torch.device("npu:0")
"""
FORGOTTEN = """\
    if torch.cuda.is_available():
        device = torch.device("cuda:0")
"""


def test_cuda_is_asked_first_where_a_branch_for_the_npu_stands_beside(verified: Verified) -> None:
    result = verified({"train.py": SINGLE.replace(DEVICE, BRANCH)}, steps=2)
    assert (result.exit_code, result.steps, result.steps_on_cpu) == (0, 2, 0)


def test_cuda_is_not_asked_where_no_branch_for_the_npu_stands_beside(verified: Verified) -> None:
    result = verified({"train.py": SINGLE.replace(DEVICE, FORGOTTEN)}, steps=2)
    assert result.exit_code == 1
    assert result.failure is not None and result.failure.type == "CudaUsedError"


def test_a_project_for_mindspore_is_not_run(verified: Verified) -> None:
    marker = marker_bytes(Marker("0.1.0", (), target="mindspore")).decode("ascii")
    with pytest.raises(InputError) as caught:
        verified({"train.py": SINGLE, MARKER_NAME: marker})
    assert caught.value.message.id == "verify.not-simulated"


def test_steps_on_the_cpu_are_counted(verified: Verified) -> None:
    result = verified({"train.py": SINGLE.replace('"npu:0"', '"cpu"')}, steps=2)
    assert (result.exit_code, result.steps_on_cpu, result.is_on_cpu) == (0, 2, True)


def test_steps_on_the_npu_are_not_counted_as_such(verified: Verified) -> None:
    result = verified({"train.py": SINGLE}, steps=2)
    assert (result.exit_code, result.steps_on_cpu, result.is_on_cpu) == (0, 0, False)


def test_an_update_by_hand_is_named(verified: Verified) -> None:
    by_hand = SINGLE.replace("        optimizer.step()\n", "")
    result = verified({"train.py": by_hand}, steps=2)
    assert (result.exit_code, result.has_no_optimizer, result.has_just_ended) == (1, True, True)


def test_a_program_that_ends_before_has_just_ended(verified: Verified) -> None:
    result = verified({"train.py": SINGLE}, steps=9)
    assert (result.exit_code, result.has_no_optimizer, result.has_just_ended) == (1, False, True)


def test_a_package_of_the_project_is_found_as_if_it_were_installed(verified: Verified) -> None:
    files = {"setup.py": "", "net.py": "NAME = 1\n", "scripts/train.py": f"import net\n{SINGLE}"}
    result = verified(files, "scripts/train.py", steps=2)
    assert (result.exit_code, [file.path for file in result.coverage]) == (0, ["net.py", "scripts/train.py"])


def test_a_question_that_cuda_alone_answers_may_stay_in_code_for_any_accelerator(verified: Verified) -> None:
    """The target that the project was migrated to decides what may stay."""
    asked = "torch.cuda.is_available() and torch.cuda.is_bf16_supported()"
    script = SINGLE.replace(DEVICE, f"    has_bf16 = {asked}\n{DEVICE}")
    marker = marker_bytes(Marker("0.1.0", (), target="accelerator")).decode("ascii")
    result = verified({"train.py": script, MARKER_NAME: marker}, steps=2)
    assert (result.exit_code, result.steps_on_cpu) == (0, 0)
