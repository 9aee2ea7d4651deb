"""Values that enter a program from outside, where code compares them with words: options and configurations.

A script or a configuration gives them, so that no literal of the code leads to the test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, partial, reduce
from itertools import chain

from tree_sitter import Node

from ..flow.names.definition import MODULE, Definition
from ..flow.names.files import ProgramFile, ProgramFiles, ProjectFilesView, SettingWord
from ..flow.templates import plain_text
from ..flow.tracing.calls.declarations import declaration_of
from ..flow.tracing.entries.config_files import BY_OPTIONS, READERS, Loads, loads_of
from ..flow.tracing.tracer import Tracer
from ..flow.tracing.values import NOWHERE, EndKind, Followed, Word
from ..limits.parents import parent_of
from ..model.project.inputs import Input, OptionInput, SettingInput
from ..text.syntax import field, same, text_of

_OPTION = re.compile(rb"[\"']--([\w.-]+)[\"']")
_MOST_FILES = 200
"""Files that may read a configuration of a project."""


class Inputs:
    """Follows the options and settings of a project."""

    def __init__(self, project: ProjectFilesView, files: ProgramFiles) -> None:
        self._project = project
        self._files = files
        self._options: dict[tuple[str, str], tuple[Word, Followed] | None] = {}
        self._settings: dict[tuple[str, tuple[str, ...]], Followed] = {}
        self._loads: dict[str, list[Loads]] = {}

    @cached_property
    def _words(self) -> tuple[SettingWord, ...]:
        return tuple(self._project.setting_words)

    def options_compared(self, tracer: Tracer, word: Node) -> Iterator[tuple[Word, Followed]]:
        """The options whose values may be compared with a word, each as a word of its own with its uses."""
        name = _compared_name(word)
        for path in self._project.declared_in(f"--{name}") if name else ():
            found = self._of_option(tracer, path, name)
            if found is not None:
                yield found

    def options_counted(self, tracer: Tracer) -> Iterator[tuple[Word, Followed]]:
        """The options without a word of their own of whose values something counts the letters."""
        subject = tracer.subject
        for path in sorted(self._project.files_with_options) if subject.counterpart else ():
            file = self._files.get(path)
            names = {match[1].decode() for match in _OPTION.finditer(file.source.data)} if file else ()
            for name in sorted(filter(subject.names, names)):
                found = self._of_option(tracer, path, name)
                if found is not None and any(end.kind is EndKind.COUNTED for end in found[1].ends):
                    yield found

    def settings(self, tracer: Tracer) -> Iterator[tuple[Word, Followed]]:
        """The words in configurations with their uses."""
        if not any(self._project.importers_of(name) for name in READERS):
            return
        for word in self._words:
            if tracer.subject.is_text(word.value):
                followed = self.of_setting(tracer, word.path, word.keys)
                if followed.uses or followed.meetings:
                    yield Word(word.path, word.start), followed

    def words_of(self, given: SettingInput, value: str) -> frozenset[Word]:
        """The words that a configuration has under the keys of a setting."""
        places = (word for word in self._words if (word.path, word.keys, word.value) == (*given, value))
        return frozenset(Word(word.path, word.start) for word in places)

    @cached_property
    def _by_word(self) -> Mapping[Word, SettingWord]:
        return {Word(word.path, word.start): word for word in self._words}

    def overridden(self, word: Word) -> tuple[tuple[str, ...], str]:
        """How a command line of hydra gives the value of a word in a configuration, and the value."""
        found = self._by_word.get(word)
        if found is None or not word.path.endswith(("yaml", "yml")):
            return (), ""
        group = self._group(word.path)
        keys = ".".join(found.keys)
        return (f"{keys}=", *([f"{group}.{keys}="] if group else [])), found.value

    @cached_property
    def _reading_files(self) -> tuple[ProgramFile, ...]:
        """The files that may read a configuration."""
        paths = {path for name in READERS for path in self._project.importers_of(name)}
        return tuple(filter(None, map(self._files.get, sorted(paths)[:_MOST_FILES])))

    def _group(self, path: str) -> str:
        """The key under which Hydra puts what a configuration holds: the name of its directory."""
        is_used = bool(self._project.importers_of("hydra"))
        return path.rpartition("/")[0].rpartition("/")[2] if is_used else ""

    def _of_option(self, tracer: Tracer, path: str, name: str) -> tuple[Word, Followed] | None:
        key = (tracer.subject.name, f"{path}:{name}")
        if key not in self._options:
            file = self._files.get(path)
            call = declaration_of(f"--{name}", file.source) if file is not None else None
            self._options[key] = None
            if file is not None and call is not None:
                is_call = call.type == "call"
                followed = (tracer.follow_option if is_call else tracer.follow_parameter)(file, call)
                self._options[key] = (Word(path, call.start_byte), followed)
        return self._options[key]

    def of(self, given: Input, tracer: Tracer) -> Followed | None:
        """The uses of what a program is given; None where nothing declares it."""
        if isinstance(given, OptionInput):
            file = self._files.get(given.path)
            call = _declaration_at(file, given.start) if file is not None else None
            if file is None or call is None:
                return None
            return (
                tracer.follow_option(file, call)
                if call.type == "call"
                else tracer.follow_parameter(file, call)
            )
        if isinstance(given, SettingInput):
            return self.of_setting(tracer, given.path, given.keys)
        readers = filter(
            None, map(self._files.get, self._project.declared_in(f"${given.name}")[:_MOST_FILES])
        )
        ways = (tracer.follow_variable(file, given.name) for file in readers)
        return reduce(Followed.joined, ways, NOWHERE)

    def of_setting(self, tracer: Tracer, path: str, keys: tuple[str, ...]) -> Followed:
        """The uses of the value that a configuration has under some keys, below its group too."""
        group, followed = self._group(path), self._of_keys(tracer, path, keys)
        return followed.joined(self._of_keys(tracer, path, (group, *keys))) if group else followed

    def _of_keys(self, tracer: Tracer, path: str, keys: tuple[str, ...]) -> Followed:
        suffix = path.rpartition(".")[2].lower()
        key = (tracer.subject.name, (suffix, *keys))
        if key not in self._settings:
            ways = (tracer.follow_setting(loads, keys) for loads in self._readers(suffix))
            more = (self._targets_given(tracer, keys), self._options_given(tracer, keys))
            self._settings[key] = reduce(Followed.joined, chain(ways, *more), NOWHERE)
        return self._settings[key]

    def _targets_given(self, tracer: Tracer, keys: tuple[str, ...]) -> Iterator[Followed]:
        """The uses by what configurations have called with the value under some keys."""
        for word in self._words if self._reading_files else ():
            if word.target and keys in (word.keys, (self._group(word.path), *word.keys)):
                look = (
                    partial(_configured, tracer)
                    if word.path.endswith(".gin")
                    else tracer.definitions.imported
                )
                seen = (look(file, word.target) for file in self._reading_files)
                called = next(filter(None, seen), None)
                if called is not None:
                    yield tracer.follow_argument(called, word.argument)

    def _options_given(self, tracer: Tracer, keys: tuple[str, ...]) -> Iterator[Followed]:
        """The uses of the options that configargparse takes from configurations by their keys."""
        option = f"--{keys[-1]}"
        for path in self._project.importers_of(BY_OPTIONS):
            file = self._files.get(path)
            call = declaration_of(option, file.source) if file is not None else None
            if file is not None and call is not None and call.type == "call":
                yield tracer.follow_option(file, call)

    def _readers(self, suffix: str) -> list[Loads]:
        """Where the project gets configurations with a suffix."""
        if suffix not in self._loads:
            found = (loads_of(file, suffix) for file in self._reading_files)
            self._loads[suffix] = [loads for loads in found if loads is not None]
        return self._loads[suffix]


def _configured(tracer: Tracer, file: ProgramFile, target: str) -> Definition | None:
    """What gin has configured under a name that a module gives it."""
    found = tracer.definitions.member_of_module(file, target.rpartition(".")[2])
    return found if found is not None and found.kind != MODULE else None


def _declaration_at(file: ProgramFile, start: int) -> Node | None:
    """The call or the parameter that begins at an offset."""
    found = file.source.node_at(start, start + 1)
    name = found
    while found is not None and found.start_byte == start and found.type != "call":
        found = parent_of(found)
    is_call = found is not None and found.type == "call" and found.start_byte == start
    return found if is_call else name if name is not None and name.type == "identifier" else None


def _compared_name(word: Node) -> str:
    """The attribute or key of what a word is compared with: ``kind`` of ``args.kind``."""
    comparison = parent_of(word)
    if comparison is None or comparison.type != "comparison_operator":
        return ""
    others = [item for item in comparison.named_children if not same(item, word)]
    if len(others) != 1 or others[0].type not in ("attribute", "subscript"):
        return ""
    name = field(others[0], "attribute")
    return text_of(name) if name is not None else plain_text(field(others[0], "subscript")) or ""
