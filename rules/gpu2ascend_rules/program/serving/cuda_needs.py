"""What the modules of a project need of CUDA, and what becomes of their names on the NPU."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar, cast

from ...engine.context import Context
from ...flow.command_line.options import imported_modules
from ...flow.guards.cuda_guards import Guard, guards_of_import
from ...flow.guards.fallbacks import Fallbacks, has_fallback
from ...flow.guards.needing.given import Given
from ...flow.guards.needing.needs import compiled_names_of, needs_of
from ...flow.guards.needing.own_code import given_by
from ...flow.guards.needing.registries import Registered, naming
from ...flow.guards.npu_answers import answer_of_module
from ...flow.guards.settings import UNKNOWN
from ...flow.guards.uses_elsewhere import UsesElsewhere, needs_extension, uses_elsewhere
from ...flow.names.files import ProjectFilesView
from ...inference.extensions.setup_scripts import built_names
from ...options.options import MigrationOptions
from ...text.plain.python_files import is_trial_path, module_word
from .needing_names import NeedingNames
from .recent import RecentSources

_MOST_IMPORTERS = 60
_LISTED = re.compile(r"^__all__\b[^\])]*[\])]|^[ \t]*#.*$", re.M)
_T = TypeVar("_T")


class KnownFacts(Protocol):
    """What whoever surveys a project knows of its modules."""

    @property
    def modules(self) -> Mapping[str, object]:
        """By path."""

    @property
    def with_kernels(self) -> Collection[str]:
        """Paths of the files whose text shows that they may need CUDA."""


class CudaNeeds:
    """Looks into the modules that are asked about, and keeps every answer.

    It answers as ``gpu2ascend_rules.model.project.cuda_view.CudaView``.
    """

    def __init__(
        self, project: ProjectFilesView, facts: Callable[[], KnownFacts], text_of: Callable[[str], str | None]
    ) -> None:
        self._project = project
        self._facts = facts
        self._text_of = text_of
        self._needing: dict[object, NeedingNames] = {}
        self._sources = RecentSources()
        self._answers: dict[tuple[object, ...], Any] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the answers, which are found again in another process when they are needed there."""
        return {**self.__dict__, "_needing": {}, "_answers": {}}

    def _once(self, question: tuple[object, ...], meanwhile: object, answer: Callable[[], _T]) -> _T:
        """The answer of a question.

        Args:
            meanwhile: What whoever asks for it on a circle gets.
        """
        if question not in self._answers:
            self._answers[question] = meanwhile
            try:
                self._answers[question] = answer()
            except BaseException:  # it was given up, and is no answer to who asks again
                del self._answers[question]
                raise
        return cast(_T, self._answers[question])

    def _look(
        self, path: str, options: MigrationOptions, look: Callable[[Context], _T], otherwise: Any
    ) -> _T:
        """What a look at a module gives, or something else where it cannot be read."""
        self._project.text_at(path)  # which is noted
        return self._looked(path, options, look, otherwise)

    def _looked(
        self, path: str, options: MigrationOptions, look: Callable[[Context], _T], otherwise: Any
    ) -> _T:
        key = (path, options.require_version())
        source = self._sources.get(key, lambda: self._project.python_at(path))
        if source is None:
            return cast(_T, otherwise)
        with Context(source, options, self._project) as context:
            return look(context)

    def _has(self, path: str, name: str) -> bool:
        """Whether a text has a name, so that it is worth a look."""
        return name in (self._project.text_at(path) or "")

    def _importers(self, path: str) -> Iterator[str]:
        importers = islice(self._project.importers_of(module_word(path)), _MOST_IMPORTERS)
        return (importer for importer in importers if importer != path)

    def names_needing_cuda(
        self, importer_path: str, module: str, options: MigrationOptions
    ) -> frozenset[str]:
        """What a module has that needs CUDA, by name, as one of the files sees it."""
        path = self._project.path_of_module(importer_path, module)
        if path is None:
            return frozenset()
        return self._needing_names(options).of(path)

    def compiled_names(
        self, importer_path: str, module: str, options: MigrationOptions, *, returned: bool = False
    ) -> frozenset[str]:
        """See ``CudaView``."""
        path = self._project.path_of_module(importer_path, module)
        if path is None or not (path in self._facts().with_kernels or self._may_hand_on(path)):
            return frozenset()
        look = given_by if returned else compiled_names_of
        return self._once(
            ("compiled", path, returned, options.require_version()),
            frozenset(),
            lambda: self._look(path, options, look, frozenset()),
        )

    def _may_hand_on(self, path: str) -> bool:
        """Whether a module is a package's, which may import what a module below it compiles."""
        return path.endswith("__init__.py") and self._project.may_need_cuda(module_word(path))

    def _needing_names(self, options: MigrationOptions) -> NeedingNames:
        version = options.require_version()
        if version not in self._needing:
            self._needing.setdefault(version, self._made_names(options))
        return self._needing[version]

    def _made_names(self, options: MigrationOptions) -> NeedingNames:
        extensions = built_names(self._project, "")

        def imports(path: str) -> Iterator[str]:
            places = (
                self._project.path_of_module(path, module)
                for module in imported_modules(self._text_of(path) or "")
            )
            return (place for place in places if place is not None)

        return NeedingNames(
            self._may_need(),
            self._facts().with_kernels,
            imports,
            self._project.sign_of,
            lambda path: self._text_of(path) or "",
            lambda path: self._looked(path, options, lambda context: needs_of(context).names, frozenset()),
            frozenset(name.rpartition(".")[2] for name in extensions),
        )

    def keep_names(self, before: CudaNeeds, options: MigrationOptions, same: Collection[str]) -> bool:
        """Go on from an earlier state of the project, if the names that need CUDA are surely the same.

        Args:
            same: The paths of files whose edits left their code.
        """
        known = before._needing.get(options.require_version())
        return known is None or self._needing_names(options).keep(known, same)

    def _may_need(self) -> Iterator[str]:
        """The modules that may need CUDA, and the packages that they are of."""
        packages: set[str] = set()
        for path in {*self._facts().modules, *self._facts().with_kernels}:
            if self._project.may_need_cuda(module_word(path)):
                packages.add(path.rpartition("/")[0])
                yield path
        for path in packages:
            initial = f"{path}/__init__.py".lstrip("/")
            if initial in self._facts().modules and not self._project.may_need_cuda(module_word(initial)):
                yield initial

    def needs_given_to(self, path: str, options: MigrationOptions) -> frozenset[Given]:
        """What other files give the functions and classes of one that needs CUDA."""

        def given() -> Iterator[Given]:
            for importer in self._importers(path):
                is_linked = self._project.may_need_cuda(module_word(importer))
                if is_linked and self._needing_names(options).may_use(importer):
                    yield from self._look(
                        importer, options, lambda context: needs_of(context).given_to(path), frozenset()
                    )

        question = ("given", path, options.require_version())
        return self._once(question, frozenset(), lambda: frozenset(given()))

    def is_dispatched(
        self,
        importer_path: str,
        module: str,
        given: Given,
        options: MigrationOptions,
        *,
        on_npu: bool = False,
    ) -> bool:
        """Whether a function calls what it is given only where it has chosen it."""
        path = self._project.path_of_module(importer_path, module)
        if path is None or not self._has(path, given.function):
            return False

        def answer(context: Context) -> bool:
            if on_npu:
                return context.shared(Fallbacks).serve_given(given)
            return needs_of(context).is_dispatched(given)

        return self._look(path, options, answer, otherwise=False)

    def guards_elsewhere(self, path: str, name: str, options: MigrationOptions) -> frozenset[Guard | None]:
        """What tests in other files decide over that use a variable of a module."""

        def guards() -> Iterator[Guard | None]:
            for importer in self._importers(path):
                if self._has(importer, name):
                    yield from self._look(
                        importer, options, lambda context: tuple(guards_of_import(path, name, context)), ()
                    )

        question = ("guards", path, name, options.require_version())
        return self._once(question, frozenset(), lambda: frozenset(guards()))

    def registered_needs(self, keys: Collection[str], options: MigrationOptions) -> frozenset[Registered]:
        """Those of some keys under which files register what needs CUDA; only files that have a key are
        looked into."""
        texts = self._once(("registering",), {}, lambda: dict(self._registering()))
        return frozenset(
            item
            for path, text in texts.items()
            if any(key in text for key in keys) and self._needing_names(options).may_use(path)
            for item in self._registered_by(path, options)
            if item.key in keys
        )

    def _registering(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self._facts().with_kernels):
            text = self._project.text_at(path) or ""
            if "regist" in text.lower():
                yield path, text

    def _registered_by(self, path: str, options: MigrationOptions) -> tuple[Registered, ...]:
        return self._once(
            ("registered", path, options.require_version()),
            (),  # what registers them asks for none
            lambda: self._look(path, options, lambda context: tuple(needs_of(context).registered()), ()),
        )

    def is_named_on_npu(self, key: str, options: MigrationOptions) -> bool | None:
        """Whether a file names what is registered on a way that the NPU takes."""
        question = ("named", key, options.require_version())
        return self._once(question, True, lambda: self._is_named(key, options))  # a circle serves nothing

    def _is_named(self, key: str, options: MigrationOptions) -> bool | None:
        def served(context: Context) -> tuple[bool, ...]:
            return tuple(has_fallback(string, context) for string in naming(key, context.source))

        found = False
        for path in sorted(self._facts().modules):
            nowhere: tuple[bool, ...] = ()
            ways = self._look(path, options, served, nowhere) if self._has(path, key) else nowhere
            if not all(ways):
                return True
            found = found or bool(ways)
        return False if found else None

    def answer_on_npu(
        self, importer_path: str, module: str, name: str, options: MigrationOptions
    ) -> bool | None:
        """What a name of a module holds or returns on the NPU, as far as that is known."""
        path = self._project.path_of_module(importer_path, module)
        if path is None or not self._has(path, name):
            return None
        return self._once(
            ("answer", path, name, options.require_version()),
            None,  # a circle of imports decides nothing
            lambda: self._look(path, options, lambda context: answer_of_module(name, context), None),
        )

    def is_extension_needed(self, module: str, options: MigrationOptions) -> bool | None:
        """Whether a file that is no test comes to an extension where no setting is changed."""

        def answers() -> Iterator[bool | None]:
            for importer in self._project.importers_of(module.rpartition(".")[2]):
                if not _is_beside(importer):
                    yield self._look(
                        importer, options, lambda context: needs_extension(module, context), otherwise=None
                    )

        def answer() -> bool | None:
            found = set(answers())
            return True if True in found else False if False in found else None

        return self._once(("extension", module, options.require_version()), True, answer)

    def has_programs(self) -> bool:
        """Whether a file that is no test is there to be run."""
        modules = self._modules()
        return self._once(("programs",), False, lambda: any(self._has(item, "__main__") for item in modules))

    def is_named(self, path: str, name: str) -> bool:
        """Whether another file names a name of a module in other ways than by importing it."""
        return self._once(("named", path, name), False, lambda: self._is_named_elsewhere(path, name))

    def _is_named_elsewhere(self, path: str, name: str) -> bool:
        from .given_settings import settings_beside

        importers, waiting = {path}, [path]  # their uses are known, but for those by a text
        while waiting:
            for importer in self._project.importers_of(module_word(waiting.pop())):
                if importer not in importers and self._has(importer, name):
                    importers.add(importer)
                    waiting.append(importer)
        word, text = (re.compile(rf"{mark}\b{re.escape(name)}\b{mark}") for mark in ("", "['\"]"))
        modules = self._modules()
        own = re.compile(rf"(?m)^[ \t]*(?:(?:def|class) {re.escape(name)}\b|{re.escape(name)} = )")
        for item in (*modules, *settings_beside(modules, self._project)):
            written = _LISTED.sub("", self._project.text_at(item) or "") if self._has(item, name) else ""
            is_known = item in importers or own.search(written) is not None  # what it means there
            if (text if is_known else word).search(written):
                return True
        return False

    def _modules(self) -> list[str]:
        """All modules but tests, benchmarks and what builds the project."""
        return [path for path in self._untried() if not path.endswith("setup.py")]

    def _untried(self) -> Sequence[str]:
        """All modules but tests and benchmarks: every question about a setting goes through them."""

        def untried() -> Sequence[str]:
            return [path for path in sorted(self._facts().modules) if not is_trial_path(path)]

        return self._once(("modules",), (), untried)

    def given_values(self, name: str, callee: str = "", place: int = 0) -> frozenset[str]:
        """What the files of the project give a setting; of more than two values, two."""
        from .given_settings import given_in_place, given_values

        def given() -> Iterator[str]:
            modules = self._untried()
            yield from given_values(name, self._project, modules)
            if callee:
                yield from given_in_place(name, callee, place, self._project, modules)

        question = ("given values", name, callee, place)
        return self._once(question, frozenset({UNKNOWN}), lambda: _first_two(given()))

    def is_used_on_npu(
        self, path: str, name: str, options: MigrationOptions, *, by_default: bool = False
    ) -> bool | None:
        """Whether another file uses a name on a way that the NPU takes; of one that many import, yes."""
        question = ("used", path, name, by_default, options.require_version())
        # A circle of imports uses nothing by itself.
        return self._once(question, None, lambda: self._is_used(path, name, options, by_default))

    def _is_used(self, path: str, name: str, options: MigrationOptions, by_default: bool) -> bool | None:
        answers: set[bool | None] = set()
        importers = [found for found in self._project.importers_of(module_word(path)) if found != path]
        if len(importers) > _MOST_IMPORTERS:
            return True
        for importer in importers:
            is_beside = by_default and is_trial_path(importer)
            if is_beside or not (self._has(importer, name) or self._has(importer, "*")):
                continue
            found = self._look(
                importer,
                options,
                lambda context: uses_elsewhere(path, name, context, by_default=by_default),
                UsesElsewhere(),
            )
            answers.update(
                self.is_used_on_npu(importer, local, options, by_default=by_default)
                for local in found.passed_on
            )
            answers.update({True} if found.on_npu else {False} if found.on_cuda_alone else ())
            if True in answers:
                return True
        return False if False in answers else None


def _is_beside(path: str) -> bool:
    """Whether a file tests, measures or builds the project."""
    return is_trial_path(path) or path.endswith("setup.py")


def _first_two(values: Iterable[str]) -> frozenset[str]:
    """Different values. With two of them a setting has no single one, so that nobody looks for a third."""
    found: set[str] = set()
    for value in values:
        found.add(value)
        if len(found) == 2:
            break
    return frozenset(found)
