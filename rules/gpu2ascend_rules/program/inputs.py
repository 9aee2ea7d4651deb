"""Values that enter a program from outside, where code compares them with words: options and configurations.

A script or a configuration gives them, so that no literal of the code leads to the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from ..flow.command_line.declarations import declaration_of
from ..flow.templates import plain_text
from ..limits.parents import parent_of
from ..text.syntax import field, same, text_of
from .files import ProgramFile, ProgramFiles, ProjectFilesView
from .tracing.config_files import READERS
from .tracing.tracer import Tracer
from .values import End, Word

_MOST_FILES = 200
"""Files that may read a configuration of a project."""


class Inputs:
    """Follows the options and settings of a project."""

    def __init__(self, project: ProjectFilesView, files: ProgramFiles) -> None:
        self._project = project
        self._files = files
        self._options: dict[tuple[str, str], tuple[Word, frozenset[End]] | None] = {}
        self._settings: dict[tuple[str, tuple[str, ...]], frozenset[End]] = {}

    def behind(self, tracer: Tracer, file: ProgramFile, word: Node) -> Iterator[tuple[Word, frozenset[End]]]:
        """The inputs that may be what a word is compared with, each as a word of its own with its uses."""
        keys = _compared_keys(word)
        if not keys:
            return
        for path in self._project.declared_in(f"--{keys[-1]}"):
            found = self._of_option(tracer, path, keys[-1])
            if found is not None:
                yield found
        for count in range(1, len(keys) + 1):
            ends = self.of_setting(tracer, keys[-count:])
            if ends:
                yield Word(f"{'.'.join(keys[-count:])} of a configuration", 0), ends

    def _of_option(self, tracer: Tracer, path: str, name: str) -> tuple[Word, frozenset[End]] | None:
        key = (tracer.subject.name, f"{path}:{name}")
        if key not in self._options:
            file = self._files.get(path)
            call = declaration_of(f"--{name}", file.source) if file is not None else None
            self._options[key] = None
            if file is not None and call is not None:
                ends = tracer.follow_option(file, call)
                self._options[key] = (Word(path, call.start_byte), ends)
        return self._options[key]

    def of_setting(self, tracer: Tracer, keys: tuple[str, ...]) -> frozenset[End]:
        """The uses of the value that configurations have under some keys."""
        key = (tracer.subject.name, keys)
        if key not in self._settings:
            ends = (tracer.follow_setting(file, keys) for file in self._readers())
            self._settings[key] = frozenset(chain.from_iterable(ends))
        return self._settings[key]

    def _readers(self) -> Iterator[ProgramFile]:
        """The files that may read configurations."""
        paths = {path for name in READERS for path in self._project.importers_of(name)}
        for path in sorted(paths)[:_MOST_FILES]:
            file = self._files.get(path)
            if file is not None:
                yield file


def _compared_keys(word: Node) -> tuple[str, ...]:
    """The attributes and keys of what a word is compared with: ``("run", "kind")`` of ``cfg.run.kind``."""
    comparison = parent_of(word)
    if comparison is None or comparison.type != "comparison_operator":
        return ()
    others = [item for item in comparison.named_children if not same(item, word)]
    keys: list[str] = []
    node = others[0] if len(others) == 1 else None
    while node is not None and node.type in ("attribute", "subscript"):
        if node.type == "attribute":
            name = field(node, "attribute")
            key = text_of(name) if name is not None else None
        else:
            key = plain_text(node.child_by_field_name("subscript"))
        if key is None:
            return ()
        keys.insert(0, key)
        node = field(node, "object") or field(node, "value")
    return tuple(keys)
