"""What the modules of a project need of CUDA, and what becomes of their names on the NPU."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...engine.context import Context
from ...flow.guards.cuda_guards import Guard, guards_of_import
from ...flow.guards.fallbacks import Fallbacks, has_fallback
from ...flow.guards.needing.given import Given
from ...flow.guards.needing.needs import needs_of
from ...flow.guards.needing.registries import Registered, naming
from ...flow.guards.npu_answers import answer_of_module
from ...flow.guards.uses_elsewhere import uses_elsewhere
from ...flow.names.files import ProjectFilesView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile

_MOST_IMPORTERS = 60


class CudaNeeds:
    """Looks into the modules that are asked about; every answer is kept."""

    def __init__(self, project: ProjectFilesView) -> None:
        self._project = project
        self._needs: dict[tuple[str, object], frozenset[str]] = {}
        self._answers: dict[tuple[str, str, object], bool | None] = {}
        self._given: dict[tuple[str, object], frozenset[Given]] = {}
        self._guards: dict[tuple[str, str, object], frozenset[Guard | None]] = {}
        self._registered: dict[object, frozenset[Registered]] = {}
        self._named: dict[tuple[str, object], bool | None] = {}
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

    def needs_given_to(self, path: str, options: MigrationOptions) -> frozenset[Given]:
        """What other files give the functions and classes of one that needs CUDA."""
        key = (path, options.require_version())
        if key not in self._given:
            self._given[key] = frozenset()
            found: set[Given] = set()
            for importer in islice(self._project.importers_of(module_of(path)), _MOST_IMPORTERS):
                text = self._project.text_at(importer) if importer != path else None
                if text is not None and self._project.may_need_cuda(module_of(importer)):
                    with Context(SourceFile(text, importer), options, self._project) as context:
                        found |= needs_of(context).given_to(path)
            self._given[key] = frozenset(found)
        return self._given[key]

    def is_dispatched(
        self, importer_path: str, module: str, given: Given, options: MigrationOptions, *, on_npu: bool
    ) -> bool:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``."""
        found = self._project.find_module(importer_path, module)
        if found is None or given.function not in found[1]:
            return False
        with Context(SourceFile(found[1], found[0]), options, self._project) as context:
            if on_npu:
                return context.shared(Fallbacks).serve_given(given)
            return needs_of(context).is_dispatched(given)

    def guards_elsewhere(self, path: str, name: str, options: MigrationOptions) -> frozenset[Guard | None]:
        """What tests in other files decide over that use a variable of a module."""
        key = (path, name, options.require_version())
        if key not in self._guards:
            self._guards[key] = frozenset()
            found: set[Guard | None] = set()
            for importer in islice(self._project.importers_of(module_of(path)), _MOST_IMPORTERS):
                text = self._project.text_at(importer) if importer != path else None
                if text is not None and name in text:
                    with Context(SourceFile(text, importer), options, self._project) as context:
                        found.update(guards_of_import(path, name, context))
            self._guards[key] = frozenset(found)
        return self._guards[key]

    def registered_needs(self, paths: Iterable[str], options: MigrationOptions) -> frozenset[Registered]:
        """The names under which some files register what needs CUDA."""
        key = options.require_version()
        if key not in self._registered:
            self._registered[key] = frozenset()  # what registers them asks for none
            found: set[Registered] = set()
            for path in paths:
                text = self._project.text_at(path)
                if text is not None and "regist" in text.lower():
                    with Context(SourceFile(text, path), options, self._project) as context:
                        found.update(needs_of(context).registered())
            self._registered[key] = frozenset(found)
        return self._registered[key]

    def is_named_on_npu(self, key: str, paths: Iterable[str], options: MigrationOptions) -> bool | None:
        """Whether one of some files names what is registered on a way that the NPU takes."""
        asked = (key, options.require_version())
        if asked not in self._named:
            self._named[asked] = True  # a circle serves nothing
            self._named[asked] = self._is_named(key, paths, options)
        return self._named[asked]

    def _is_named(self, key: str, paths: Iterable[str], options: MigrationOptions) -> bool | None:
        found = False
        for path in paths:
            text = self._project.text_at(path)
            if text is None or key not in text:
                continue
            with Context(SourceFile(text, path), options, self._project) as context:
                for string in naming(key, context.source):
                    found = True
                    if not has_fallback(string, context):
                        return True
        return False if found else None

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


def module_of(path: str) -> str:
    """The last part of the name of the module that a file is."""
    parts = path.rpartition(".")[0].split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
