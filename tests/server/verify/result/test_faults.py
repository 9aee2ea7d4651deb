"""Whose fault a failure is: what the error itself says, and how far the original comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.verify.result.explain import removed_name
from gpu2ascend.verify.result.faults import blamed, without_made_up
from gpu2ascend.verify.result.model import Failure, Fault
from gpu2ascend.verify.running.supervise import Ending, Run
from gpu2ascend_rules.model.finding import Message
from tests.server.verify.running_records import record, run_of

BROKEN = Failure(rank=0, type="ValueError", text="no batch of 3 in /data/a.bin on npu:0", traceback=())
OLD = attrs.evolve(BROKEN, type="AttributeError", text="module 'numpy' has no attribute 'int'.\nMore")
LACKING = attrs.evolve(BROKEN, type="NotSimulated", cause=Message.of("verify.cause.not-simulated.cause"))
WITHOUT_DATA = attrs.evolve(BROKEN, cause=Message.of("verify.cause.module-path.cause"))
OF_OLD_TORCH = attrs.evolve(BROKEN, cause=Message.of("verify.cause.number.cause"))
WITHOUT_PACKAGE = attrs.evolve(BROKEN, cause=Message.of("doctor.log.module-path.install.cause"))
OF_OTHER_RELEASE = attrs.evolve(BROKEN, cause=Message.of("doctor.log.versions-differ.plain.cause"))
EMPTY = attrs.evolve(BROKEN, cause=Message.of("doctor.log.empty-data.cause"))
FOREIGN = attrs.evolve(BROKEN, cause=Message.of("doctor.log.key.cause"))
KILLED = attrs.evolve(BROKEN, type="signal", text="Segmentation fault")


def failing(kind: str, text: str) -> Run:
    failure: dict[str, Any] = {"type": kind, "text": text, "frames": []}
    return run_of(record(steps=0, failure=failure), ending=Ending.EXITED, codes=(1,))


TRAINS = run_of(record(steps=1))
ALIKE = failing("ValueError", "no batch of 4 in /other/a.bin on cuda:0")
OTHERWISE = failing("ImportError", "no such module")


@pytest.mark.parametrize(
    ("failure", "original", "fault"),
    [
        pytest.param(BROKEN, None, None, id="nothing shows it"),
        pytest.param(BROKEN, TRAINS, Fault.MIGRATION, id="the original trains"),
        pytest.param(BROKEN, ALIKE, Fault.PROJECT, id="the original fails alike"),
        pytest.param(BROKEN, OTHERWISE, None, id="the original fails otherwise"),
        pytest.param(OLD, None, Fault.ENVIRONMENT, id="a name that a package removed"),
        pytest.param(OLD, failing(OLD.type, OLD.text), Fault.ENVIRONMENT, id="so it is for the original"),
        pytest.param(WITHOUT_DATA, None, Fault.ENVIRONMENT, id="data that is missing"),
        pytest.param(WITHOUT_DATA, TRAINS, Fault.MIGRATION, id="data that the original finds"),
        pytest.param(WITHOUT_PACKAGE, ALIKE, Fault.ENVIRONMENT, id="a package that another one needs"),
        pytest.param(OF_OTHER_RELEASE, ALIKE, Fault.ENVIRONMENT, id="two packages that do not fit"),
        pytest.param(EMPTY, ALIKE, Fault.ENVIRONMENT, id="a folder without data"),
        pytest.param(OF_OLD_TORCH, OTHERWISE, Fault.PROJECT, id="what raises on every device"),
        pytest.param(OF_OLD_TORCH, TRAINS, Fault.MIGRATION, id="unless the original comes past it"),
        pytest.param(LACKING, TRAINS, Fault.EMULATION, id="what the device lacks"),
        pytest.param(KILLED, TRAINS, Fault.EMULATION, id="a signal where the original trains"),
    ],
)
def test_whose_fault_it_is(tmp_path: Path, failure: Failure, original: Run | None, fault: Fault) -> None:
    assert blamed(failure, 0, original, tmp_path).fault is fault


@pytest.mark.parametrize(
    ("failure", "original", "fault"),
    [
        (BROKEN, ALIKE, None),
        (FOREIGN, ALIKE, None),
        (BROKEN, TRAINS, Fault.MIGRATION),
        (OF_OLD_TORCH, OTHERWISE, Fault.PROJECT),
        (WITHOUT_DATA, ALIKE, Fault.ENVIRONMENT),
    ],
)
def test_samples_that_were_made_up_may_be_what_fails(
    tmp_path: Path, failure: Failure, original: Run, fault: Fault | None
) -> None:
    assert without_made_up(blamed(failure, 0, original, tmp_path)).fault is fault


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("AttributeError: module 'numpy' has no attribute 'int'.", "numpy"),
        ("AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64`", "numpy"),
        ("TypeError: make_grid() got an unexpected keyword argument 'range'", "torchvision"),
        ("AttributeError: module 'PIL.Image' has no attribute 'ANTIALIAS'", "Pillow"),
        ("ImportError: cannot import name 'Iterable' from 'collections' (/usr/collections.py)", "python"),
        ("ValueError: assignment destination is read-only", "pandas"),
    ],
)
def test_the_package_that_removed_a_name_is_named(tmp_path: Path, text: str, package: str) -> None:
    kind, _, said = text.partition(": ")
    because = blamed(attrs.evolve(BROKEN, type=kind, text=said), 0, None).because
    assert because is not None and dict(because.arguments)["package"] == package


@pytest.mark.parametrize(
    ("owner", "argument", "before"),
    [
        ("TrainingArguments", "evaluation_strategy", "4.51"),
        ("TrainingArguments", "use_ipex", "4.57"),
        ("TrainingArguments", "no_cuda", "5.0"),
        ("Trainer", "weights_summary", "1.7"),
        ("Trainer", "gpus", "2.0"),
    ],
)
def test_the_first_release_without_an_argument_is_named(owner: str, argument: str, before: str) -> None:
    said = f"{owner}.__init__() got an unexpected keyword argument '{argument}'"
    removed = removed_name(attrs.evolve(BROKEN, type="TypeError", text=said))
    assert removed is not None and removed.before == before
