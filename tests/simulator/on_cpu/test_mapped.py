"""On a torch too old for a simulated device the NPU is mapped to the CPU; the report says what that hides.

The torch of the tests is new enough, so that the mapping is asked for by its variable. With
``GPU2ASCEND_TEST_OLD_TORCH``, an interpreter with torch 2.1 to 2.9, the programs run there, too.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.options.options import MigrationOptions
from tests.server.verify.conftest import VERSION, Verified, verified, with_torch
from tests.server.verify.scripts import CHECKPOINT, DISTRIBUTED, METRICS, SINGLE
from tests.simulator.on_cpu.programs import PARTS

__all__ = ["verified", "with_torch"]

pytestmark = pytest.mark.execution

OLD = os.environ.get("GPU2ASCEND_TEST_OLD_TORCH")
TRAINED = {"single": SINGLE, "metrics": METRICS, "checkpoint": CHECKPOINT, "parts": PARTS}


@pytest.fixture(autouse=True)
def _mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU2ASCEND_NPU_MAPPED", "1")


def expected(result: VerifyResult) -> list[str]:
    """What the report says is not seen."""
    return [message.id.rpartition(".")[2] for message in result.differences if ".mapped" in message.id]


@pytest.mark.parametrize("script", TRAINED.values(), ids=TRAINED)
def test_a_script_trains(verified: Verified, script: str) -> None:
    result = verified({"train.py": script}, steps=2)
    assert (result.exit_code, result.steps, result.failure) == (0, 2, None)
    assert len(result.losses) == 2


def test_ranks_train(verified: Verified) -> None:
    result = verified({"train.py": DISTRIBUTED}, steps=2, ranks=2)
    assert (result.exit_code, [rank.steps for rank in result.ranks]) == (0, [2, 2])


def test_the_report_says_that_the_proof_is_weaker_and_what_it_hides(verified: Verified) -> None:
    result = verified({"train.py": SINGLE}, steps=2)
    assert result.is_mapped
    assert {"mapped", "mapped-mixing", "mapped-numpy", "mapped-dtypes", "mapped-operators"} <= set(
        expected(result)
    )


def test_a_simulated_device_hides_none_of_it(verified: Verified, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPU2ASCEND_NPU_MAPPED")
    result = verified({"train.py": SINGLE}, steps=2)
    assert not result.is_mapped and expected(result) == []


@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("torch_npu.npu.synchronize()", "torch.cuda.synchronize()", "CudaUsedError"),
        ("torch_npu.npu.synchronize()", "torch_npu.npu.cudart()", "AttributeError"),
        ("torch_npu.npu.set_device(0)", "torch_npu.npu.set_device(7)", "RuntimeError"),
    ],
)
def test_mistakes_in_names_are_found_all_the_same(
    verified: Verified, right: str, wrong: str, kind: str
) -> None:
    result = verified({"train.py": SINGLE.replace(right, wrong)}, steps=2)
    failure = result.failure
    assert failure is not None and failure.type == kind and failure.place is not None
    assert SINGLE.replace(right, wrong).splitlines()[failure.place.line - 1].strip() == wrong


if OLD is not None:

    @pytest.mark.parametrize(
        ("script", "ranks"), [*((script, None) for script in TRAINED.values()), (DISTRIBUTED, 2)]
    )
    def test_on_an_old_torch(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, ranks: int | None
    ) -> None:
        monkeypatch.delenv("GPU2ASCEND_NPU_MAPPED")
        (tmp_path / "train.py").write_text(script, "utf-8")
        request = VerifyRequest(
            project=tmp_path,
            command=("train.py",),
            version=VERSION,
            python=Path(OLD),
            ranks=ranks,
            steps=2,
        )
        heard: list[str] = []
        listener = Listener(tell=lambda message: None, heard=lambda number, line: heard.append(line))
        result = verify(request, MigrationOptions(), listener)
        assert (result.exit_code, result.is_mapped) == (0, True), "\n".join(heard)
