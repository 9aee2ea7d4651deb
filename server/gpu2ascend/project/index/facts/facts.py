"""What the files of a project contribute to the examination of each other: plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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
    """What it takes from modules of the project; see :mod:`.imported_names`."""
    default_types: tuple[str, ...] = ()
    """The default tensor types that it sets; see :mod:`.file_facts`."""
    frameworks: tuple[str, ...] = ()
    """The frameworks that it imports; see :mod:`.frameworks`."""
    settings: tuple[str, ...] = ()
    """What it reads from configurations, and what it saves with them; see :mod:`.read_settings` and
    :mod:`.saved_checkpoints`."""
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
        united = {name: getattr(self, name) | getattr(other, name) for name in _UNITED}
        flagged = {name: (getattr(self, name) - files.keys()) | getattr(other, name) for name in _FLAGGED}
        by_path = {
            name: {path: found for path, found in getattr(self, name).items() if path not in files}
            | getattr(other, name)
            for name in _BY_PATH
        }
        frameworks = {
            name: Counter(self.frameworks.get(name, {})) + Counter(other.frameworks.get(name, {}))
            for name in {*self.frameworks, *other.frameworks}
        }
        return ProjectFacts(frameworks=frameworks, **united, **flagged, **by_path)

    def classes_with(self, method: str) -> frozenset[str]:
        """Qualified names of the classes that define a method of that name."""
        return frozenset(owner for found in self.methods.values() for name, owner in found if name == method)


_UNITED = ("torch_names", "imported", "default_types", "settings", "tensor_like")
"""What counts for the project if it does so in any file."""
_BY_PATH = ("methods", "options", "modules")
_FLAGGED = {"with_words": "has_words", "with_kernels": "has_kernels"}
"""The paths of the files of which something is true, by the name of that."""


class FactsBuilder:
    """Collects the facts of files, one after the other, without keeping a list of them."""

    def __init__(self) -> None:
        self._united: dict[str, Counter[str]] = {name: Counter() for name in _UNITED}
        """How many files contribute each name."""
        self._frameworks: Counter[tuple[str, str]] = Counter()
        """By directory and name: a file counts in its own directory and in each above."""
        self._by_path: dict[str, dict[str, Any]] = {name: {} for name in (*_BY_PATH, *_FLAGGED)}

    def add(self, path: str, facts: FileFacts) -> None:
        """Enter a file."""
        for counts, names in self._counted(path, facts):
            counts.update(names)
        for name, found in self._by_path.items():
            value = getattr(facts, _FLAGGED.get(name, name))
            if value:
                found[path] = value

    def remove(self, path: str, facts: FileFacts) -> None:
        """Forget a file that was entered with these facts."""
        for counts, names in self._counted(path, facts):
            counts.subtract(names)
            for name in names:
                if not counts[name]:
                    del counts[name]
        for found in self._by_path.values():
            found.pop(path, None)

    def result(self) -> ProjectFacts:
        """The facts of the files so far."""
        frameworks: dict[str, dict[str, int]] = {}
        for (directory, name), count in self._frameworks.items():
            frameworks.setdefault(directory, {})[name] = count
        sets: dict[str, Any] = {name: frozenset(counts) for name, counts in self._united.items()}
        flagged: dict[str, Any] = {name: frozenset(self._by_path[name]) for name in _FLAGGED}
        by_path: dict[str, Any] = {name: dict(self._by_path[name]) for name in _BY_PATH}
        return ProjectFacts(frameworks=frameworks, **sets, **flagged, **by_path)

    def _counted(self, path: str, facts: FileFacts) -> Iterator[tuple[Counter[Any], Sequence[Any]]]:
        """What is known by how many files contribute it, each with what one file does."""
        yield from ((counts, getattr(facts, name)) for name, counts in self._united.items())
        yield self._frameworks, [(at, name) for name in facts.frameworks for at in directories_above(path)]
