"""The facts of a project file by file, for a project that changes while it is open."""

from __future__ import annotations

from .facts.facts import NOTHING, FactsBuilder, FileFacts, ProjectFacts


class IndexedFiles:
    """The facts of each file. Belongs to one thread.

    Equal facts are held once, so a file costs little more than its path.
    """

    def __init__(self) -> None:
        self._files: dict[str, FileFacts] = {}
        self._shared: dict[FileFacts, FileFacts] = {NOTHING: NOTHING}
        self._builder = FactsBuilder()

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
        self._builder.add(path, facts)

    def remove(self, path: str) -> None:
        """Forget a file, if it is known."""
        facts = self._files.pop(path, None)
        if facts is not None:
            self._builder.remove(path, facts)

    def facts(self) -> ProjectFacts:
        """The facts of all files, as they are now."""
        return self._builder.result()
