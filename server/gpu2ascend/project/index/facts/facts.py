"""What the files of a project contribute to the examination of each other: plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .frameworks import directories_above


class FileFacts(NamedTuple):
    """What one Python file or notebook contributes."""

    torch_names: tuple[str, ...] = ()
    """Names under which it binds something of PyTorch, in order; often one too many."""
    methods: tuple[tuple[str, str], ...] = ()
    """Methods that rules ask about, each with the qualified name of the class that defines it; torch modules
    aside."""
    options: tuple[str, ...] = ()
    """Option strings that it declares to a parser of the command line, such as ``--device``."""
    imported: tuple[str, ...] = ()
    """What it takes from modules of the project; see :mod:`.file_facts`."""
    default_types: tuple[str, ...] = ()
    """The default tensor types that it sets; see :mod:`.file_facts`."""
    frameworks: tuple[str, ...] = ()
    """The frameworks that it imports; see :mod:`.frameworks`."""
    settings: tuple[str, ...] = ()
    """What it reads from configurations; see :mod:`.read_settings`."""
    tensor_like: tuple[str, ...] = ()
    """The methods of tensors that its classes define; see ``ProjectView.tensor_like``."""
    modules: tuple[str, ...] = ()
    """The modules that it may import; see :mod:`.linked_modules`."""
    has_words: bool = False
    """Whether it has a word that the program decides about; see ``gpu2ascend_rules.flow.names.files``."""
    has_kernels: bool = False
    """Whether it may have code that needs CUDA; see ``gpu2ascend_rules.flow.guards.needing.needs``."""


NOTHING = FileFacts()
"""What most files contribute."""


class ProjectFacts(NamedTuple):
    """What all files of a project contribute. Grows with what is defined, not with the number of files."""

    torch_names: frozenset[str] = frozenset()
    """See :class:`gpu2ascend_rules.inference.reexports.ReexportView`."""
    methods: Mapping[str, tuple[tuple[str, str], ...]] = {}
    """By path: the methods of the files that define any; see :attr:`FileFacts.methods`."""
    options: Mapping[str, tuple[str, ...]] = {}
    """By path: the options of the files that declare any."""
    imported: frozenset[str] = frozenset()
    """See :class:`gpu2ascend_rules.model.project.project_view.ProjectView`."""
    default_types: frozenset[str] = frozenset()
    """See :class:`gpu2ascend_rules.model.project.project_view.ProjectView`."""
    frameworks: Mapping[str, Mapping[str, int]] = {}
    """By directory: how many of the files in it and below import each framework."""
    settings: frozenset[str] = frozenset()
    """See :attr:`gpu2ascend_rules.model.project.project_view.ProjectView.read_settings`."""
    tensor_like: frozenset[str] = frozenset()
    """See :attr:`gpu2ascend_rules.model.project.project_view.ProjectView.tensor_like`."""
    modules: Mapping[str, tuple[str, ...]] = {}
    """By path: the modules that a file may import."""
    with_words: frozenset[str] = frozenset()
    """The paths of the files that have a word of a subject."""
    with_kernels: frozenset[str] = frozenset()
    """The paths of the files that may have code that needs CUDA."""

    @staticmethod
    def of(files: Iterable[tuple[str, FileFacts]]) -> ProjectFacts:
        """The facts of files by their paths."""
        builder = FactsBuilder()
        for path, facts in files:
            builder.add(path, facts)
        return builder.result()

    def overlaid(self, files: Mapping[str, FileFacts]) -> ProjectFacts:
        """These facts where some files are others: an overlay of open texts, or the other part of a project.

        Names that only an earlier version of such a file bound or imported are kept: what a name stands for
        is looked up in the text, and an import that stays for nothing does no harm.
        """
        if not files:
            return self
        other = ProjectFacts.of(files.items())
        methods = {path: found for path, found in self.methods.items() if path not in files}
        options = {path: found for path, found in self.options.items() if path not in files}
        directories = {*self.frameworks, *other.frameworks}
        frameworks = {
            name: Counter(self.frameworks.get(name, {})) + Counter(other.frameworks.get(name, {}))
            for name in directories
        }
        return ProjectFacts(
            self.torch_names | other.torch_names,
            methods | dict(other.methods),
            options | dict(other.options),
            self.imported | other.imported,
            self.default_types | other.default_types,
            frameworks,
            self.settings | other.settings,
            self.tensor_like | other.tensor_like,
            {path: found for path, found in self.modules.items() if path not in files} | dict(other.modules),
            (self.with_words - files.keys()) | other.with_words,
            (self.with_kernels - files.keys()) | other.with_kernels,
        )

    def classes_with(self, method: str) -> frozenset[str]:
        """Qualified names of the classes that define a method of that name."""
        return frozenset(owner for found in self.methods.values() for name, owner in found if name == method)


class FactsBuilder:
    """Collects the facts of files, one after the other, without keeping a list of them."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._methods: dict[str, tuple[tuple[str, str], ...]] = {}
        self._options: dict[str, tuple[str, ...]] = {}
        self._imported: set[str] = set()
        self._default_types: set[str] = set()
        self._frameworks: dict[str, Counter[str]] = {}
        self._settings: set[str] = set()
        self._tensor_like: set[str] = set()
        self._modules: dict[str, tuple[str, ...]] = {}
        self._with_words: set[str] = set()
        self._with_kernels: set[str] = set()

    def add(self, path: str, facts: FileFacts) -> None:
        """Enter a file."""
        self._names.update(facts.torch_names)
        self._imported.update(facts.imported)
        self._default_types.update(facts.default_types)
        for directory in directories_above(path) if facts.frameworks else ():
            self._frameworks.setdefault(directory, Counter()).update(facts.frameworks)
        self._settings.update(facts.settings)
        self._tensor_like.update(facts.tensor_like)
        if facts.methods:
            self._methods[path] = facts.methods
        if facts.options:
            self._options[path] = facts.options
        if facts.modules:
            self._modules[path] = facts.modules
        if facts.has_words:
            self._with_words.add(path)
        if facts.has_kernels:
            self._with_kernels.add(path)

    def result(self) -> ProjectFacts:
        """The facts of the files so far."""
        return ProjectFacts(
            torch_names=frozenset(self._names),
            methods=dict(self._methods),
            options=dict(self._options),
            imported=frozenset(self._imported),
            default_types=frozenset(self._default_types),
            frameworks=dict(self._frameworks),
            settings=frozenset(self._settings),
            tensor_like=frozenset(self._tensor_like),
            modules=dict(self._modules),
            with_words=frozenset(self._with_words),
            with_kernels=frozenset(self._with_kernels),
        )
