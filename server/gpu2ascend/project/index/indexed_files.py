"""The facts of a project file by file, for a project that changes while it is open."""

from __future__ import annotations

from collections import Counter

from .facts.facts import NOTHING, FileFacts, ProjectFacts
from .facts.frameworks import directories_above


class IndexedFiles:
    """The facts of each file. Belongs to one thread.

    Equal facts are held once, so a file costs little more than its path.
    """

    def __init__(self) -> None:
        self._files: dict[str, FileFacts] = {}
        self._shared: dict[FileFacts, FileFacts] = {NOTHING: NOTHING}
        self._names: Counter[str] = Counter()
        self._imported: Counter[str] = Counter()
        self._default_types: Counter[str] = Counter()
        self._frameworks: Counter[tuple[str, str]] = Counter()
        """By directory and name: a file counts in its own directory and in each above."""
        self._settings: Counter[str] = Counter()
        self._tensor_like: Counter[str] = Counter()
        self._methods: dict[str, tuple[tuple[str, str], ...]] = {}
        self._options: dict[str, tuple[str, ...]] = {}
        self._modules: dict[str, tuple[str, ...]] = {}
        self._with_words: set[str] = set()
        self._with_kernels: set[str] = set()

    def __len__(self) -> int:
        """The number of files."""
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        """Whether a file is in the project."""
        return path in self._files

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file; ``None`` for one that is not in the project."""
        return self._files.get(path)

    @property
    def paths(self) -> frozenset[str]:
        """All files."""
        return frozenset(self._files)

    def below(self, directory: str) -> list[str]:
        """The paths of the files in a directory, at any depth."""
        start = f"{directory}/"
        return [path for path in self._files if path.startswith(start)]

    def put(self, path: str, facts: FileFacts) -> None:
        """Enter a file, in place of what was known of it."""
        self.remove(path)
        if len(self._shared) > 2 * len(self._files) + 1_000:
            self._shared = {item: item for item in self._files.values()}
        facts = self._shared.setdefault(facts, facts)
        self._files[path] = facts
        for counted, names in self._counted(facts):
            counted.update(names)
        self._frameworks.update(_placed(path, facts))
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

    def remove(self, path: str) -> None:
        """Forget a file, if it is known."""
        facts = self._files.pop(path, NOTHING)
        for counted, names in self._counted(facts):
            counted.subtract(names)
            for name in names:
                if not counted[name]:
                    del counted[name]
        self._frameworks.subtract(_placed(path, facts))
        for place in _placed(path, facts):
            if not self._frameworks[place]:
                del self._frameworks[place]
        self._methods.pop(path, None)
        self._options.pop(path, None)
        self._modules.pop(path, None)
        self._with_words.discard(path)
        self._with_kernels.discard(path)

    def facts(self) -> ProjectFacts:
        """The facts of all files, as they are now."""
        frameworks: dict[str, dict[str, int]] = {}
        for (directory, name), count in self._frameworks.items():
            frameworks.setdefault(directory, {})[name] = count
        return ProjectFacts(
            frozenset(self._names),
            dict(self._methods),
            dict(self._options),
            frozenset(self._imported),
            frozenset(self._default_types),
            frameworks,
            frozenset(self._settings),
            frozenset(self._tensor_like),
            dict(self._modules),
            frozenset(self._with_words),
            frozenset(self._with_kernels),
        )

    def _counted(self, facts: FileFacts) -> tuple[tuple[Counter[str], tuple[str, ...]], ...]:
        """What is known by how many files contribute it, each beside what one file does."""
        return (
            (self._names, facts.torch_names),
            (self._imported, facts.imported),
            (self._default_types, facts.default_types),
            (self._settings, facts.settings),
            (self._tensor_like, facts.tensor_like),
        )


def _placed(path: str, facts: FileFacts) -> list[tuple[str, str]]:
    """The frameworks of a file with each directory in which they count."""
    return [(directory, name) for name in facts.frameworks for directory in directories_above(path)]
