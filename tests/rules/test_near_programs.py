"""What holds for every program that differs in one point from an example of a rule or from a sample.

No examination fails, what was Python before the fixes is Python after them, and a second fix changes nothing.
Each run takes the same share of the programs. Others are chosen with ``GPU2ASCEND_NEAR_SEED``; all of them
are examined by ``make proof``, which sets ``GPU2ASCEND_NEAR_SHARE`` to 1. How outcomes differ from those of
another commit is shown by ``make compare``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.codemods.distributed import ModelNotFoundError
from gpu2ascend_rules.kinds.registry import kind_file
from tests.rules.codemods.distributed.conversion import converted
from tests.rules.near_programs import Program, groups, some
from tests.rules.nearly import parsed

SHARE = float(os.environ.get("GPU2ASCEND_NEAR_SHARE", "0.01"))
SEED = int(os.environ.get("GPU2ASCEND_NEAR_SEED", "0"))
SHOWN = 5


def broken(program: Program) -> Iterator[str]:
    """What does not hold for a program."""
    if program.migrates:
        yield from _broken_in_several_processes(program)
        return
    request = Request(options=program.options, fix=True, codemods=True)
    checked = examine(program.path, program.text, Request(options=program.options))
    fixed = examine(program.path, program.text, request)
    for done in (checked, fixed):
        if done.status is FileStatus.FAILED:
            yield f"fails: {done.problem} {done.traceback}"
    assert fixed.text is not None
    if _is_sound(program.path, program.text) and not _is_sound(program.path, fixed.text):
        yield f"is broken by its fixes:\n{fixed.text}"
    again = examine(program.path, fixed.text, request)
    if again.text != fixed.text:
        yield f"becomes\n{fixed.text}\nand then\n{again.text}"


def _broken_in_several_processes(program: Program) -> Iterator[str]:
    model = program.settings["target_model"]
    assert isinstance(model, str)
    try:
        after = converted(program.text, model).text
    except ModelNotFoundError:
        return
    if parsed(after) is None:
        yield f"is broken by its conversion:\n{after}"


def _is_sound(path: str, text: str) -> bool:
    file = kind_file(path, text)
    return parsed(text) is not None if file is None else not file.has_syntax_error


@pytest.mark.parametrize("group", groups())
def test_each_is_examined_keeps_its_syntax_and_is_final_once_it_is_fixed(group: str) -> None:
    wrong = [(item, what) for item in some(group, SHARE, SEED) for what in broken(item)]
    shown = "\n".join(f"--- {item.name}\n{item.text}\n{what}" for item, what in wrong[:SHOWN])
    assert not wrong, f"{len(wrong)} of them, such as\n{shown}"


BROKEN = Program("0.value-1", "x = 1\n", "train.py", {"version": "2.8.0"})


def results(monkeypatch: pytest.MonkeyPatch, *done: Examination) -> None:
    """Let the examinations of a program have these results, one after the other."""
    answers = iter(done)
    monkeypatch.setattr(sys.modules[__name__], "examine", lambda *given: next(answers))


def result(text: str, status: FileStatus = FileStatus.UNCHANGED) -> Examination:
    return Examination(path=BROKEN.path, text=text, status=status)


@pytest.mark.parametrize(
    ("fixed", "again", "what"),
    [
        (result("x = 1\n", FileStatus.FAILED), result("x = 1\n"), "fails: "),
        (result("x = \n"), result("x = \n"), "is broken by its fixes"),
        (result("x = 2\n"), result("x = 3\n"), "becomes\nx = 2"),
    ],
    ids=["fails", "broken", "not-final"],
)
def test_what_does_not_hold_is_noticed(
    fixed: Examination, again: Examination, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results(monkeypatch, result("x = 1\n"), fixed, again)
    (said,) = broken(BROKEN)
    assert said.startswith(what)


def test_a_seed_chooses_the_same_again_and_another_one_others() -> None:
    whole, chosen, again, others = (
        [item.name for item in some("NPU101", share, seed)]
        for share, seed in ((1, 0), (0.3, 0), (0.3, 0), (0.3, 1))
    )
    assert chosen == again != others
    assert set(chosen) < set(whole) and set(others) < set(whole)
    assert 0.15 < len(chosen) / len(whole) < 0.45
    assert len(set(whole)) == len(whole)
