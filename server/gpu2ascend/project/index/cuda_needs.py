"""What the modules of a project need of CUDA, and what becomes of their names on the NPU."""

from __future__ import annotations

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.guards.needs import needs_of
from gpu2ascend_rules.flow.guards.npu_answers import answer_of_module
from gpu2ascend_rules.flow.guards.uses_elsewhere import uses_elsewhere
from gpu2ascend_rules.flow.names.files import ProjectFilesView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from .facts.linked_modules import module_of

_MOST_IMPORTERS = 60


class CudaNeeds:
    """Looks into the modules that are asked about; every answer is kept."""

    def __init__(self, project: ProjectFilesView) -> None:
        self._project = project
        self._needs: dict[tuple[str, object], frozenset[str]] = {}
        self._answers: dict[tuple[str, str, object], bool | None] = {}
        self._used: dict[tuple[str, str, object], bool | None] = {}

    def names_needing_cuda(
        self, importer_path: str, module: str, options: MigrationOptions
    ) -> frozenset[str]:
        """What a module has that needs CUDA, by name, as one of the files sees it."""
        found = self._project.find_module(importer_path, module)
        if found is None:
            return frozenset()
        key = (found[0], options.require_version())
        if key not in self._needs:
            self._needs[key] = frozenset()  # what a module needs of itself is nothing more
            with Context(SourceFile(found[1], found[0]), options, self._project) as context:
                self._needs[key] = needs_of(context).names
        return self._needs[key]

    def answer_on_npu(
        self, importer_path: str, module: str, name: str, options: MigrationOptions
    ) -> bool | None:
        """What a name of a module holds or returns on the NPU, as far as that is known."""
        found = self._project.find_module(importer_path, module)
        if found is None or name not in found[1]:
            return None
        key = (found[0], name, options.require_version())
        if key not in self._answers:
            self._answers[key] = None  # a circle of imports decides nothing
            with Context(SourceFile(found[1], found[0]), options, self._project) as context:
                self._answers[key] = answer_of_module(name, context)
        return self._answers[key]

    def is_used_on_npu(self, path: str, name: str, options: MigrationOptions) -> bool | None:
        """Whether another file uses a name on a way that the NPU takes; of one that many import, yes."""
        key = (path, name, options.require_version())
        if key not in self._used:
            self._used[key] = None  # a circle of imports uses nothing by itself
            self._used[key] = self._is_used(path, name, options)
        return self._used[key]

    def _is_used(self, path: str, name: str, options: MigrationOptions) -> bool | None:
        answers: set[bool | None] = set()
        importers = [found for found in self._project.importers_of(module_of(path)) if found != path]
        if len(importers) > _MOST_IMPORTERS:
            return True
        for importer in importers:
            text = self._project.text_at(importer)
            if text is None or (name not in text and "*" not in text):
                continue
            with Context(SourceFile(text, importer), options, self._project) as context:
                found = uses_elsewhere(path, name, context)
            answers.update(self.is_used_on_npu(importer, local, options) for local in found.passed_on)
            answers.update({True} if found.on_npu else {False} if found.on_cuda_alone else ())
            if True in answers:
                return True
        return False if False in answers else None
