"""What the rules may ask about the other files of a project: its directory, with an overlay of open texts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from pathlib import Path

from gpu2ascend_rules.hosting import CudaNeeds, ProjectFilesView, RecentSources, SettingWord
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from ..files.content.notebooks import source_of
from ..files.content.syntax import is_broken
from ..files.discover import PYTHON_SUFFIXES
from ..files.excludes import Editable
from ..files.writing.copying import MAX_BYTES
from ..paths import resolved
from .facts.facts import FileFacts, ProjectFacts
from .facts.file_facts import facts_below, facts_of_text
from .facts.frameworks import main_framework
from .facts.linked_modules import importers_by_module, kernel_modules
from .sources.module_reexports import Reexports
from .sources.modules import ProjectModules
from .sources.project_texts import ProjectTexts
from .sources.recent_texts import RecentTexts
from .words.configurations import Configurations, configurations
from .words.deciding import GivingFile, giving_files
from .words.program import ProjectProgram


class ProjectFiles:
    """A project as the rules see it (``gpu2ascend_rules.model.project.project_view.ProjectView``).

    Holds no list of files: a question about a module is a look into the directory, and a question about
    methods is answered from facts. Answers are kept, so a view is for one state of a project. It goes to
    worker processes by pickling.

    Args:
        root: The project's directory.
        facts: What a survey or an index knows of all files. Without them, names that modules pass on are
            not followed, and the files are read when a method is first asked for.
        texts: Texts that count in place of files, by path relative to the root; open documents for instance.
            They need not be on disk. What ``facts`` say of these paths is passed over.
        overlay: The facts of ``texts``, where they are known; else they are made of the texts.
        is_complete: Whether the facts are those of all files, or will be read when asked for.
        editable: The files that may be edited, where those are not all.
        has_settings: Whether configurations below the directory count. Around a file of no project, which may
            be a whole disk, they do not.
    """

    def __init__(
        self,
        root: Path,
        facts: ProjectFacts | None = None,
        texts: Mapping[str, str] | None = None,
        *,
        overlay: Mapping[str, FileFacts] | None = None,
        is_complete: bool = True,
        max_bytes: int = MAX_BYTES,
        editable: Editable | None = None,
        has_settings: bool = True,
    ) -> None:
        self._editable = editable
        self._has_settings = has_settings
        texts = texts if texts is not None else {}
        if overlay is None:
            overlay = {path: facts_of_text(path, text) for path, text in texts.items()}
        self.is_complete = is_complete
        """Whether it knows all files of the project; else what it does not know of may exist all the same."""
        self._root = root
        self._overlay = overlay
        self._max_bytes = max_bytes
        self._facts = facts.overlaid(overlay) if facts is not None else None
        self._scanned: ProjectFacts | None = None
        self._importers: Mapping[str, tuple[str, ...]] | None = None
        self.program = ProjectProgram(self, editable)
        """What becomes of the words of its files."""
        self.cuda = CudaNeeds(self, self._known_facts, self._unnoted)
        """What its modules need of CUDA."""
        self._scripts: tuple[str, ...] | None = None
        self._kernel_modules: frozenset[str] | None = None
        self._configurations: Configurations | None = None
        self._names = self._facts.torch_names if self._facts is not None else frozenset()
        files = RecentTexts(str(root), max_bytes)
        self._modules = ProjectModules(files, texts)
        self._texts = ProjectTexts(files, texts)
        self._sources = RecentSources()
        self._read: dict[str, Hashable] | None = None
        self._signs: dict[str, Hashable] = {}
        # Answers about names are kept, so they are those of the texts of now.
        self._reexports = Reexports(ProjectModules(files, dict(texts)), self._names, self, self._note)

    def __getstate__(self) -> dict[str, object]:
        """Without what is true of the texts of now."""
        return {**self.__dict__, "_read": None, "_signs": {}}

    @property
    def root(self) -> Path:
        """The project's directory."""
        return self._root

    def with_texts(self, texts: Mapping[str, str]) -> ProjectFiles:
        """The same project with other texts in place of files."""
        is_complete, max_bytes = self.is_complete, self._max_bytes
        return ProjectFiles(
            self._root,
            self._facts,
            texts,
            is_complete=is_complete,
            max_bytes=max_bytes,
            editable=self._editable,
            has_settings=self._has_settings,
        )

    def exactly(self, texts: Mapping[str, str]) -> ProjectFiles:
        """The project with these very texts: itself where it knows them."""
        is_known = all(self.text_at(path) == text for path, text in texts.items())
        return self if is_known else self.with_texts(texts)

    def has_module(self, importer_path: str, module: str) -> bool:
        """Whether ``module`` is a file or package of the project, as seen from one of its files.

        See :class:`.modules.ProjectModules` for where it is looked for.
        """
        return self._modules.has(importer_path, module)

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        """The path and the text of the file that a module of the project is, as one of its files sees it."""
        found = self._modules.find(importer_path, module)
        if found is not None:
            self._note(found[0])
        return found

    def sign_of(self, path: str) -> Hashable:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        if path not in self._signs:
            self._signs[path] = self._texts.sign_of(path)
        return self._signs[path]

    @property
    def texts_read(self) -> Mapping[str, Hashable]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``; empty where that is not noted."""
        return self._read if self._read is not None else {}

    def _note(self, path: str) -> None:
        if self._read is not None and path not in self._read:
            self._read[path] = self.sign_of(path)

    def path_of_module(self, importer_path: str, module: str) -> str | None:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``."""
        return self._modules.path_of(importer_path, module)

    @property
    def reexported_names(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.inference.reexports.ReexportView``; empty without facts."""
        return self._names

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        """The name below ``torch`` that a name imported from a module of the project stands for."""
        return self._reexports.torch_name_of(importer_path, imported)

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        """What a star import of a module brings, of the names that may be passed on."""
        return self._reexports.brought_by_star(importer_path, module)

    def defines_method(self, name: str) -> frozenset[str]:
        """Qualified names of the project's classes that define a method of that name, as far as it knows."""
        return self._known_facts().classes_with(name)

    @property
    def imported_names(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return self._known_facts().imported

    @property
    def tensor_like(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return self._known_facts().tensor_like

    @property
    def default_types(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return self._known_facts().default_types

    def main_framework(self, path: str) -> str:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return main_framework(path, self._known_facts().frameworks)

    def names_in(self, directory: str) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``."""
        return self._texts.names_in(directory)

    def text_at(self, path: str) -> str | None:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``."""
        self._note(path)
        return self._texts.text_at(path)

    def is_in_folder(self, module: str) -> bool:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``."""
        return self._modules.is_in_folder(module)

    def may_import(self, module: str) -> bool:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return bool(self.importers_of(module))

    def declared_in(self, option: str) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        declared = self._known_facts().options
        return tuple(sorted(path for path, options in declared.items() if option in options))

    @property
    def read_settings(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        return self._known_facts().settings

    @property
    def files_with_words(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``, as far as it knows."""
        return self._known_facts().with_words

    @property
    def setting_words(self) -> tuple[SettingWord, ...]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``: as the directory has them now."""
        if not self._has_settings:
            return ()
        known, opened = self._configurations, self._texts.opened
        if known is None or not known.are_those_of_now(self._root, opened):
            known = self._configurations = configurations(self._root, opened, self._max_bytes)
        return known.words

    def imported_by(self, path: str) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``, as far as it knows."""
        return self._known_facts().modules.get(path, ())

    @property
    def files_with_options(self) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``, as far as it knows."""
        declared = self._known_facts().options
        return tuple(path for path, names in declared.items() if any(name[0] == "-" for name in names))

    def _unnoted(self, path: str) -> str | None:
        return self._texts.text_at(path)

    def python_at(self, path: str) -> SourceFile | None:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        source = self._sources.get(path, lambda: self._parsed(path))
        return source.again() if source is not None else None

    def take(self, source: SourceFile, path: Hashable = None) -> None:
        """Let a module that is made already serve for its path, as long as the text there is its own."""
        self._sources.put(("given", source.path if path is None else path), source)

    def module(self, path: str, text: str) -> SourceFile:
        """A text as the module at a path, which need not be what the project has there. It is parsed once for
        who examines it and who looks into the project."""
        known = self._sources.known(path)
        if known is None or known.text != text:
            known = SourceFile(text, path)
            self._sources.put(("given", path), known)
        return known.again()

    def _parsed(self, path: str) -> SourceFile | None:
        text = self._texts.text_at(path)
        given = self._sources.known(("given", path))
        if given is not None and given.text == text:
            return given
        return source_of(path, text) if text is not None else None

    def may_silence(self, path: str) -> bool:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        return self._texts.may_silence(path)

    def real_path(self, path: str) -> str:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        real, root = resolved(self._root / path), resolved(self._root)
        return real.relative_to(root).as_posix() if path and real.is_relative_to(root) else path

    @property
    def unnoted(self) -> ProjectFiles:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        view = copy.copy(self)
        view.program = self.program.of(view)
        return view

    def importers_of(self, module: str) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``, as far as it knows."""
        if self._importers is None:
            self._importers = importers_by_module(self._known_facts().modules)
        return self._importers.get(module, ())

    @property
    def known_facts(self) -> ProjectFacts:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        return self._known_facts()

    def go_on_from(self, before: ProjectFilesView | None) -> None:
        """See :class:`.deciding.Undecided`."""
        self._read = {}
        if isinstance(before, ProjectFiles):
            self._configurations = before._configurations
            self._texts.go_on_from(before._texts)
            for key, source in before._sources.all():
                self.take(source, key[1] if isinstance(key, tuple) else key)
            if self._known_facts().modules == before._known_facts().modules:
                self._importers = before._importers

    def keep_needs(self, before: ProjectFilesView, options: MigrationOptions, same: Collection[str]) -> bool:
        """See ``gpu2ascend_rules.flow.names.files.ProjectFilesView``."""
        return isinstance(before, ProjectFiles) and self.cuda.keep_names(before.cuda, options, same)

    def giving_files(
        self, names: Collection[str], is_asked: Callable[[str], bool] = lambda path: True
    ) -> Iterator[GivingFile]:
        """See :func:`.deciding.giving_files`."""
        return giving_files(self._root, self._texts, names, is_asked)

    def holding(self, units: Collection[int], options: MigrationOptions) -> ProjectFiles:
        """The same project where the words of some units, by their numbers, may not be edited."""
        if not units:
            return self
        held = copy.copy(self)
        held.program = self.program.holding(units, options, held)
        return held

    def may_be_rewritten(self, path: str) -> bool:
        """Whether fixes can be made in a file: not in a module that is no Python 3. An open document may be
        that for a moment."""
        is_python = path.lower().endswith(PYTHON_SUFFIXES) and path not in self._overlay
        source = self.python_at(path) if is_python else None
        return source is None or not is_broken(source)

    @property
    def setup_scripts(self) -> tuple[str, ...]:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        if self._scripts is None:
            found = (path for path in self._known_facts().with_kernels if _is_setup_script(path))
            self._scripts = tuple(sorted(found))
        return self._scripts

    def may_need_cuda(self, module: str) -> bool:
        """See ``gpu2ascend_rules.model.project.project_view.ProjectView``, as far as it knows."""
        if self._kernel_modules is None:
            self._kernel_modules = kernel_modules(self._known_facts())
        return module in self._kernel_modules

    def _known_facts(self) -> ProjectFacts:
        if self._facts is not None:
            return self._facts
        if not self.is_complete:
            return ProjectFacts.of(self._overlay.items())
        if self._scanned is None:
            self._scanned = facts_below(self._root, self._max_bytes).overlaid(self._overlay)
        return self._scanned


def _is_setup_script(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(("setup", "build")) or name.endswith("setup.py")
