"""A project that serves NPUs beside CUDA is told so once: at the first of its classes, or at a question."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

TWINS = "    def cuda(self):\n        return self.x.cuda()\n    def npu(self):\n        return self.x.npu()\n"
QUESTIONS = "def is_cuda_available(): ...\ndef is_npu_available(): ...\n"


class Project(Standalone):
    """A project of which is known which classes define ``npu``."""

    def __init__(self, *owners: str, is_complete: bool = True) -> None:
        self.is_complete = is_complete
        self._owners = frozenset(owners)

    def defines_method(self, name: str) -> frozenset[str]:
        return self._owners if name == "npu" else frozenset()


def places(text: str, project: Project) -> list[int]:
    """The lines in which the rule says so, from 1."""
    options = options_from({"version": "2.8.0", "select": ["NPU109"]})
    source = SourceFile(f"import torch\n{text}", "lib/a.py")
    return [source.lines.line_of(item.start) + 1 for item in check(source, options, project)]


@pytest.mark.parametrize(
    ("text", "owners", "lines"),
    [
        (f"class A:\n{TWINS}", ("lib.a.A", "lib.b.B"), [5]),
        (f"class B:\n{TWINS}", ("lib.a.A", "lib.b.B"), []),
        (f"class B:\n{TWINS}class A:\n{TWINS}", ("lib.a.A", "lib.a.B"), [10]),
        ("class A:\n    def npu(self): ...\n", ("lib.a.A",), []),
        ("class A:\n    def cuda(self): ...\ndef npu(x): ...\n", ("lib.a.A",), []),
        (f"class A:\n{TWINS}", (), []),
        (QUESTIONS, (), [3]),
        (QUESTIONS, ("lib.b.B",), []),
        ("def is_npu_available(): ...\n", (), []),
    ],
)
def test_it_is_said_once(text: str, owners: tuple[str, ...], lines: list[int]) -> None:
    assert places(text, Project(*owners)) == lines


def test_of_a_project_that_is_not_known_no_question_tells() -> None:
    assert places(QUESTIONS, Project(is_complete=False)) == []
    assert places(QUESTIONS, Project()) == [3]
