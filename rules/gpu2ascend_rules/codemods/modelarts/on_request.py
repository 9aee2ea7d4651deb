"""Paths on ModelArts as a migration writes them: what becomes of one file."""

from __future__ import annotations

from ...edits.fix_edits import edits_of
from ...engine.rule import Step
from ...engine.suppressions import Suppressions
from ...model.finding import Applicability, Edit, Finding, Fix, Plan, Requirement, Severity
from ...model.outcome import Done
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ..codemod import Codemod, Made
from . import MANAGER
from .path_calls import path_arguments, words_of_calls


class ModelArtsPaths(Codemod, Step):
    """Paths are adapted to training on ModelArts, on request (``--modelarts``).

    What it does: Wraps each path that is passed to a function of its table in
    ``ModelArtsPathManager().get_path(...)``, and adds the package ``ascend_modelarts_function`` with the path
    manager and the mapping of paths, which you fill in. Arguments that are visibly open files, or that are
    wrapped already, are not changed; neither are notebooks.

    Why it matters on the NPU: On ModelArts, data and results are stored in OBS, which ``open`` and similar
    functions cannot access. Without the package ``moxing``, the manager returns every path unchanged.

    Example: ``torch.load(path)`` becomes ``torch.load(ModelArtsPathManager().get_path(path))``.

    Use instead: ``ModelArtsPathManager().get_path(path)`` by hand, for files that are opened by functions
    that the table does not list.
    """

    code = "NPU990"
    name = "modelarts-paths"
    option = "modelarts"
    after = ("distributed",)
    done_key = "wrapped"

    def may_change(self, source: SourceFile, options: MigrationOptions) -> bool:
        if f"/{options.route.paths_folder}/" in f"/{source.path}":
            return False  # a file of the package itself
        return any(word in source.data for word in words_of_calls())

    def make(self, source: SourceFile, options: MigrationOptions, ignores: Suppressions) -> Made:
        found = ignores.keep(
            Finding(self.code, node.start_byte, node.end_byte, self.title, Severity.INFORMATION)
            for node in path_arguments(source)
        )
        if not found:
            return Made(())
        own = [edit for item in found for edit in _wrapped(item)]
        needs = frozenset({Requirement(options.route.paths_package, name=MANAGER)})
        edits = edits_of(source, Fix(self.title, Applicability.SAFE, Plan(tuple(own), requires=needs)))
        brought = [
            Done(self.code, self.title, edit.start, edit.end, "INSERT") for edit in edits if edit not in own
        ]
        done = [Done(self.code, self.title, item.start, item.end, "MODIFY") for item in found]
        return Made(edits, done=(*brought, *done))


def _wrapped(item: Finding) -> tuple[Edit, Edit]:
    before = Edit(item.start, item.start, f"{MANAGER}().get_path(")
    return before, Edit(item.end, item.end, ")")
