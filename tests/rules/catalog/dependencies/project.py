"""Projects that are nothing but texts, for rules that look at several lists."""

from __future__ import annotations

from collections.abc import Mapping

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from


class Lists(Standalone):
    """A project with these files and no others."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def names_in(self, directory: str) -> tuple[str, ...]:
        start = f"{directory}/" if directory else ""
        below = (path[len(start) :] for path in self.files if path.startswith(start))
        return tuple(sorted(name for name in below if "/" not in name))

    def text_at(self, path: str) -> str | None:
        return self.files.get(path)

    def path_of_module(self, importer_path: str, module: str) -> str | None:
        path = f"{module.replace('.', '/')}.py"
        return path if path in self.files else None

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        path = self.path_of_module(importer_path, module)
        return (path, self.files[path]) if path is not None else None


def findings(files: Mapping[str, str], path: str, code: str, version: str = "2.8.0") -> list[Finding]:
    """What a rule finds in one file of a project."""
    options = options_from({"version": version, "select": [code]})
    return list(check(text_file(files[path], path), options, Lists(files)))


def after(files: Mapping[str, str], path: str, code: str, version: str = "2.8.0") -> str:
    """One file after a rule's safe fixes."""
    options = options_from({"version": version, "select": [code]})
    return apply_fixes(text_file(files[path], path), options, Lists(files)).text
