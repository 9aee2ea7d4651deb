"""An import of CUDA's marks that a file makes for others only: the other files show nothing of torch."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


class Project(Standalone):
    """A project in which other files import some names."""

    def __init__(self, *imported: str) -> None:
        self.is_complete = True
        self.imported_names = frozenset(imported)


def found(text: str, *imported: str) -> list[tuple[str, Severity]]:
    findings = check(SourceFile(text, "marks.py"), OPTIONS, Project(*imported))
    return [(item.message.id, item.severity) for item in findings]


@pytest.mark.parametrize("module, code", [("nvtx", "NPU520"), ("profiler", "NPU521")])
def test_what_others_import_is_an_error_where_it_is_handed_on(module: str, code: str) -> None:
    text = f"from torch.cuda import {module} as marks\n"
    assert found(text, "marks.marks") == [(f"{code}.handed_on", Severity.ERROR)]


def test_what_nobody_imports_is_a_hint() -> None:
    assert found("from torch.cuda import nvtx\n") == [("NPU520.unused", Severity.HINT)]


def test_what_the_file_uses_itself_is_told_at_the_use() -> None:
    text = "from torch.cuda import nvtx\nnvtx.mark('a')\n"
    assert found(text, "marks.nvtx") == [("NPU520.nvtx", Severity.ERROR)]
