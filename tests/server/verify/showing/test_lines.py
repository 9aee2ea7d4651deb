"""What people read of a run, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

from gpu2ascend.texts.catalogue import Texts
from gpu2ascend.verify.result.model import Comparison, FileCoverage, OperatorUse, Place, RankResult, Refusal
from gpu2ascend.verify.running.supervise import Ending
from gpu2ascend.verify.showing.lines import first_lines, verdict_colour, verify_lines
from gpu2ascend_rules.model.finding import Message
from tests.server.verify.results import FAILURE, LINE, failed, made_up

TEXTS = Texts("en")
PROJECT = Path("/project")


def lines(**changes: Any) -> list[str]:
    return list(verify_lines(made_up(PROJECT, **changes), TEXTS))


def compared(**changes: Any) -> Comparison:
    usual: dict[str, Any] = {
        "original": (0.5, 0.25),
        "migrated": (0.5, 0.25),
        "first_difference": None,
        "is_same": True,
    }
    return Comparison(**{**usual, **changes})


def test_a_failure_comes_first_with_its_way_and_what_explains_it() -> None:
    said = list(verify_lines(failed(PROJECT), TEXTS))
    assert said[0] == "train.py:12: RuntimeError: Expected all tensors to be on the same device"
    assert said[1] == "    from train.py:30 in <module>"
    assert said[2].startswith("    Why: ") and said[3].startswith("    What to do: ")
    assert said[4].startswith("    NPU104: ") and said[5].startswith("      Quick fix: ")
    assert said[6] == "    Rules about this: NPU999 (gpu2ascend explain CODE)"


def test_what_is_not_known_of_a_failure_is_not_said() -> None:
    bare = attrs.evolve(FAILURE, traceback=(), rules=(), cause=None, remedy=None, named_rules=())
    said = list(verify_lines(failed(PROJECT, bare), TEXTS))
    assert said[0] == "RuntimeError: Expected all tensors to be on the same device"
    assert said[1].startswith("Rank 0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("one", "one"), ("one\n\n  \ntwo\nthree\nfour", "one two three"), ("x" * 700, "x" * 600), ("", "")],
)
def test_of_a_long_error_the_beginning_is_shown(text: str, expected: str) -> None:
    assert first_lines(text) == expected


@pytest.mark.parametrize("ending", Ending)
def test_stacks_are_those_of_a_run_that_did_not_end(ending: Ending) -> None:
    said = lines(ending=ending, ranks=(RankResult(0, 0, (), "one\ntwo"), RankResult(1, 0, (), "three")))
    at = [
        "Where rank 0 was when the time was up:",
        "    one",
        "    two",
        "Where rank 1 was when the time was up:",
    ]
    assert (said[:4] == at) == (ending is Ending.TIMEOUT)
    assert any("when the time was up" in line for line in said) == (ending is Ending.TIMEOUT)


def test_each_rank_has_a_line_with_its_first_losses() -> None:
    many = tuple(number / 3 for number in range(12))
    said = lines(ranks=(RankResult(0, 12, many, ""), RankResult(1, 2, (), "")))
    shown = ", ".join(f"{loss:.6g}" for loss in many[:10])
    assert said[:2] == [f"Rank 0: 12 steps, losses {shown}", "Rank 1: 2 steps, losses none"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"seconds_per_step": 0.12345}, "0.123 s per step (on the CPU; says nothing about the NPU)"),
        (
            {"ranks": (RankResult(0, 3, (), "", 2), RankResult(1, 3, (), "", 1))},
            "3 steps trained nothing on the NPU",
        ),
        (
            {"ranks": (RankResult(0, 0, (0.5, 0.5), ""), RankResult(1, 0, (0.5,), ""))},
            "backward was called 2 times",
        ),
    ],
)
def test_what_else_is_known_of_the_training(changes: dict[str, Any], expected: str) -> None:
    usual = {"seconds_per_step": None, **changes}
    assert [line for line in lines(**usual) if line.startswith(expected)]
    assert not [line for line in lines(seconds_per_step=None) if line.startswith(expected)]


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (compared(migrated=(0.5,)), "The first 1 losses are equal to the original's"),
        (
            compared(migrated=(0.5, 0.125), first_difference=1, is_same=False),
            "Loss 2 differs from the original: 0.125 instead of 0.25",
        ),
        (
            compared(original=(), is_same=False),
            "Nothing was compared: one of the runs never called backward on a scalar",
        ),
        (
            compared(failure=FAILURE, is_same=False),
            "The original did not run on the CPU, so nothing was compared: train.py:12 RuntimeError: "
            "Expected all tensors to be on the same device",
        ),
    ],
)
def test_a_comparison_is_told(comparison: Comparison, expected: str) -> None:
    assert expected in lines(comparison=comparison)
    assert not any("original" in line or "compared" in line for line in lines())


def test_lines_that_did_not_run_are_told_by_file() -> None:
    said = lines()
    at = said.index(
        "12 of 15 lines ran (80 %) in the files that were loaded; what did not run is not verified"
    )
    assert said[at + 1 : at + 3] == ["  train.py: did not run: 4-5, 7", "  never loaded: tools/other.py"]
    assert "0 of 0 lines ran (0 %)" in "\n".join(lines(coverage=()))
    whole = lines(coverage=(FileCoverage("a.py", 3, ()),), not_loaded=())
    assert not any("did not run:" in line or "not loaded" in line for line in whole)


@pytest.mark.parametrize(("count", "rest"), [(10, ""), (11, ", … (+1)"), (14, ", … (+4)")])
def test_ten_files_that_were_not_loaded_are_named(count: int, rest: str) -> None:
    names = tuple(f"{number}.py" for number in range(count))
    assert f"  never loaded: {', '.join(names[:10])}{rest}" in lines(not_loaded=names)


@pytest.mark.parametrize("count", [1, 10, 14])
def test_ten_operators_and_ten_refusals_are_listed(count: int) -> None:
    operators = tuple(OperatorUse(f"aten::o{number}", 6, LINE) for number in range(count))
    refusals = tuple(Refusal("dtype", f"aten::r{number}", "float64", 2, None) for number in range(count))
    said = lines(unregistered=operators, refusals=refusals)
    assert f"{count} operators have no kernel in this release: they run on the CPU there, or fail" in said
    shown = range(min(count, 10))
    assert [line for line in said if "aten::o" in line] == [
        f"  train.py:12: aten::o{number}, 6 times" for number in shown
    ]
    assert [line for line in said if "aten::r" in line] == [
        f"aten::r{number} does not support float64 on the NPU (2 times)" for number in shown
    ]


def test_without_operators_and_refusals_nothing_is_said_of_them() -> None:
    assert any("no kernel" in line for line in lines(unregistered=(OperatorUse("aten::x", 1, None),)))
    assert not any("no kernel" in line or "does not support" in line for line in lines())


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("dtype", "train.py:12: aten::mm does not support float64 on the NPU (2 times)"),
        ("mixed", "train.py:12: aten::mm got tensors on float64 (2 times)"),
        ("other", "train.py:12: aten::mm: float64 (2 times)"),
    ],
)
def test_a_refusal_is_told_by_its_kind(kind: str, expected: str) -> None:
    assert expected in lines(refusals=(Refusal(kind, "aten::mm", "float64", 2, Place("train.py", 12)),))


def test_the_device_is_named_and_why() -> None:
    assert any("2.8.0.post2 itself" in line for line in lines(torch_npu="2.8.0.post2"))
    reason = Message.of("verify.device.wheel")
    assert any("not torch_npu itself. The interpreter has no" in line for line in lines(device_reason=reason))


ON_CPU = (RankResult(0, 3, (), "", 3),)
SHORT = (RankResult(0, 1, (), ""),)


@pytest.mark.parametrize(
    ("changes", "expected", "colour"),
    [
        ({}, "PASSED: 3 of 3 steps (ranks: 1)", "green"),
        ({"torch_npu": "2.8.0.post2"}, "PASSED: 3 of 3 steps (ranks: 1) with torch_npu 2.8.0.post2", "green"),
        ({"made_up": ("MNIST",)}, "PASSED: 3 of 3", "yellow"),
        ({"ranks": ON_CPU}, "PASSED, but on the CPU: 3 of 3", "yellow"),
        (
            {"ending": Ending.EXITED, "ranks": SHORT},
            "FAILED: 1 of 3 steps (ranks: 1), then the program",
            "red",
        ),
        (
            {"ending": Ending.EXITED, "codes": (1,)},
            "FAILED: 3 of 3 steps (ranks: 1), then the program exited",
            "red",
        ),
        ({"ending": Ending.TIMEOUT}, "FAILED: 3 of 3 steps (ranks: 1), then the time was up", "red"),
        (
            {"comparison": compared(first_difference=1, is_same=False)},
            "FAILED: 3 of 3 steps (ranks: 1), but the losses differ from",
            "red",
        ),
        (
            {"comparison": compared(is_same=False)},
            "FAILED: 3 of 3 steps (ranks: 1), but there was nothing",
            "red",
        ),
    ],
)
def test_the_verdict_is_the_last_line(changes: dict[str, Any], expected: str, colour: str) -> None:
    assert lines(**changes)[-1].startswith(expected)
    assert verdict_colour(made_up(PROJECT, **changes)) == colour
