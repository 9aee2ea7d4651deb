"""One version of a file examined in several states of its project, as an editor does."""

from __future__ import annotations

from collections.abc import Mapping

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
TEXT = "from common import F\nF.embedding_bag(x, 1)\n"


class Project(Standalone):
    """A project in which a module passes names on, or not."""

    reexported_names = frozenset(("F",))

    def __init__(self, **names: str) -> None:
        self._names = names

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "common"

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        return self._names.get(imported.rpartition(".")[2])

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return self._names


def test_what_a_name_stood_for_in_another_state_is_forgotten() -> None:
    source = SourceFile(TEXT, "use.py")
    found = [
        [finding.api for finding in check(source, OPTIONS, project)]
        for project in (Project(), Project(F="torch.nn.functional"), Project())
    ]
    assert found == [[], ["torch.nn.functional.embedding_bag"], []]
