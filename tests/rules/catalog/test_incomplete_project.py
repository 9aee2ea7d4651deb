"""Fixes while the project is not known yet, as in an editor that has just opened it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.model.project.project_view import ProjectView, Standalone, may_define_method
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


class Project(Standalone):
    """A project without any class, of which all files are known or not."""

    def __init__(self, *, is_complete: bool) -> None:
        self.is_complete = is_complete

    def has_module(self, importer_path: str, module: str) -> bool:
        return False


def applicabilities(text: str, project: ProjectView) -> list[Applicability]:
    """What may be done with the findings that have a fix."""
    found = check(SourceFile(text), OPTIONS, project)
    return [item.fix.applicability for item in found if item.fix is not None]


@pytest.mark.parametrize("use", ["x = x.cuda()", "ok = x.is_cuda"])
def test_an_unknown_receiver_may_be_of_a_class_that_is_not_known_yet(use: str) -> None:
    text = f"import torch\ndef f(x):\n    {use}\n"
    assert applicabilities(text, Project(is_complete=True)) == [Applicability.SAFE]
    assert applicabilities(text, Project(is_complete=False)) == [Applicability.UNSAFE]


@pytest.mark.parametrize("use", ["x = torch.ones(1).cuda()", "torch.cuda.empty_cache()"])
def test_what_the_file_alone_proves_is_as_safe_as_ever(use: str) -> None:
    assert applicabilities(f"import torch\n{use}\n", Project(is_complete=False)) == [Applicability.SAFE]


def test_what_a_project_may_define() -> None:
    assert may_define_method(Project(is_complete=False), "cuda")
    assert not may_define_method(Project(is_complete=True), "cuda")
