"""The programs of a project of which an option takes the NPU's word already.

Their authors decided how they are started on the NPU, and on CUDA: no option of theirs changes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple

from ...flow.command_line.options import imported_modules
from ...flow.guards.code_searches import CodePattern, Span, has_in_code
from ...flow.names.files import ProjectFilesView
from ...flow.tracing.values import End, EndKind, Word
from ...limits.checkpoints import TimeLimitError, checkpoint, time_limit
from ...model.project.inputs import ServedProgram
from ...text.plain.python_files import module_word
from ...text.source_file import SourceFile
from .option_words import CUDA_WORD, NPU_WORD, OptionWord, may_declare, may_serve, option_words

_MOST_MODULES = 40
"""Modules of a program that are looked at."""
_MOST_IMPORTERS = 40
_GPU = re.compile(rb"['\"]gpu(?::\d+)?['\"]")
_TEST = rb"(?:[=!]=|\bin\b|\bchoices\s*=|startswith\()\s*[\[({]*\s*(?:['\"][\w:]*['\"]\s*,\s*)*['\"]"
_TESTED = [
    [CodePattern(re.compile(_TEST + b"(?:%b)" % b"|".join(words)), words) for words in pair]
    for pair in (((b"cuda",), (b"npu",)), ((b"nccl", b"NCCL"), (b"hccl", b"HCCL")))
]
"""Where words are compared with others, or listed: those of CUDA, and of the NPU."""


class ImportGraph:
    """Resolves the imports of the files that it is asked about."""

    def __init__(self, project: ProjectFilesView) -> None:
        self._project = project
        self._imports: dict[str, tuple[str, ...]] = {}

    def imports(self, path: str) -> tuple[str, ...]:
        """The files of the project that a module may import, in the order of its imports."""
        if path not in self._imports:
            text = self._project.text_at(path) or ""
            places = (self._project.path_of_module(path, module) for module in imported_modules(text))
            self._imports[path] = tuple(dict.fromkeys(place for place in places if place is not None))
        return self._imports[path]

    def modules_of(self, program: str) -> Iterator[str]:
        """The modules of a program: its script, then those that it imports."""
        seen, pending = {program}, [program]
        while pending and len(seen) <= _MOST_MODULES:
            checkpoint()
            path = pending.pop(0)
            yield path
            new = [found for found in self.imports(path) if found not in seen]
            seen.update(new)
            pending += new


class _Declarer(NamedTuple):
    """A module that declares options with words of devices or back ends."""

    path: str
    words: tuple[OptionWord, ...]

    @property
    def takes_npu(self) -> bool:
        return any(NPU_WORD.fullmatch(item.word) for item in self.words)

    @property
    def offers_both(self) -> bool:
        """Whether an option has the NPU among its choices, beside CUDA."""
        return any(
            NPU_WORD.fullmatch(item.word) and not item.is_default and self._has_other(item)
            for item in self.words
        )

    def _has_other(self, offered: OptionWord) -> bool:
        same = (item for item in self.words if item.declaration == offered.declaration)
        is_gpu = _GPU.search(offered.declaration.text or b"") is not None
        return is_gpu or any(CUDA_WORD.fullmatch(item.word) for item in same)


class ServedPrograms:
    """Finds them; every answer is kept."""

    def __init__(self, project: ProjectFilesView) -> None:
        self._project = project
        self._graph = ImportGraph(project)
        self._declarers: dict[str, _Declarer | None] = {}
        self._asked: dict[str, set[str]] = {}
        """By file, the modules of which it may take words."""
        self._programs: dict[str, ServedProgram | None] = {}

    @cached_property
    def all(self) -> tuple[ServedProgram, ...]:
        """The programs, by the path of their first declaration."""
        self._signs, self._constants  # noqa: B018 - taken before anything else is read
        groups: list[tuple[list[_Declarer], set[str]]] = []
        for path in sorted(self._candidates):
            text = self._project.text_at(path) or ""
            declarer = self._declarer(path) if may_serve(text) or self._names_constants(text) else None
            if declarer is None or not declarer.takes_npu:
                continue
            paths = set(self._program_around(path))
            for known, others in groups:
                if path in others:
                    known.append(declarer)
                    others |= paths
                    break
            else:
                groups.append(([declarer], paths))
        return tuple(self._program(*group) for group in groups if self._may_start_on_npu(*group))

    def _may_start_on_npu(self, declarers: list[_Declarer], paths: set[str]) -> bool:
        """Whether options are enough: one offers both devices, or nothing tests or lists CUDA's word only.

        A program of which some options merely begin with the NPU's word is one that is being migrated.
        """
        if any(declarer.offers_both for declarer in declarers):
            return True
        modules = [self._module(path, self._project.text_at(path) or "") for path in sorted(paths)]

        def has(pattern: CodePattern) -> bool:
            return any(has_in_code(item, pattern, Span(0, len(item.data))) for item in modules)

        return all(has(npu) or not has(cuda) for cuda, npu in _TESTED)

    def is_like(self, before: ServedPrograms, same: Collection[str] = ()) -> bool:
        """Whether they are those of an earlier state of the project.

        Where there were none, files that are as they were are not read again.

        Args:
            same: The paths of files whose edits left their code.
        """
        changed = [path for path, sign in self._signs.items() if before._signs.get(path, self) != sign]
        self._take_over(before, changed)
        others = {path for path in changed if path not in same}
        takers = {path for path, asked in before._asked.items() if not asked.isdisjoint(others)}
        is_concerned = any(
            self._takes_npu(path) or (path in others and self._serves(path) != before._is_constants(path))
            for path in others | takers
        )
        is_concerned |= any(item is not None and item.takes_npu for item in before._declarers.values())
        if not before.all and not is_concerned:
            self.__dict__.update(all=(), _constants=before._constants)
        return self.all == before.all

    def _take_over(self, before: ServedPrograms, changed: Collection[str]) -> None:
        """Keep what files declare that are as they were, and name no module that is not."""
        for path, declarer in before._declarers.items():
            asked = before._asked.get(path, set())
            if path in self._signs and path not in changed and asked.isdisjoint(changed):
                self._declarers[path], self._asked[path] = declarer, asked

    def _is_constants(self, path: str) -> bool:
        return module_word(path) in self._constants

    def _serves(self, path: str) -> bool:
        """Whether a file has the NPU's word, for others too."""
        return may_serve(self._project.text_at(path) or "")

    def _takes_npu(self, path: str) -> bool:
        """Whether a file has an option that takes the NPU's word."""
        declarer = self._declarer(path)
        return declarer is not None and declarer.takes_npu

    @cached_property
    def _signs(self) -> Mapping[str, Hashable]:
        return {path: self._project.sign_of(path) for path in self._candidates}

    def _names_constants(self, text: str) -> bool:
        """Whether a module may take words for its options from another one."""
        return any(name in text for name in self._constants)

    @cached_property
    def _constants(self) -> frozenset[str]:
        """The modules with the NPU's word, by the last parts of their names."""
        texts = ((path, self._project.text_at(path) or "") for path in self._candidates)
        return frozenset(module_word(path) for path, text in texts if may_serve(text))

    @cached_property
    def _candidates(self) -> frozenset[str]:
        """The files that may declare options with such words."""
        return frozenset({*self._project.files_with_options, *self._project.files_with_words})

    def of(self, path: str) -> ServedProgram | None:
        """The program that a module is part of, whatever links lead to it."""
        if not self.all:
            return None
        if path not in self._programs:
            real = self._project.real_path(path)
            self._programs[path] = next((program for program in self.all if real in program.paths), None)
        return self._programs[path]

    def declares(self, path: str, place: int) -> bool:
        """Whether an option of such a program is declared around an offset."""
        declarer = self._declarer(path) if self.of(path) is not None else None
        spans = (item.declaration for item in declarer.words) if declarer is not None else ()
        return any(node.start_byte <= place < node.end_byte for node in spans)

    def ends(self, word: Word, ends: Iterable[End]) -> Iterator[End]:
        """The end of a word that such an option is declared with, or that one gets."""
        if not self.all:
            return
        options = ((end.path, end.start) for end in ends if end.kind is EndKind.OPTION and end.is_certain)
        for path, start in (word, *options):
            if self.declares(path, start):
                yield End(EndKind.OPTION, path, start, is_served=True)

    def _declarer(self, path: str) -> _Declarer | None:
        if path not in self._declarers:
            self._declarers[path] = None
            text = self._project.text_at(path)
            if text is not None and may_declare(text):
                try:
                    with time_limit():
                        words = tuple(option_words(self._module(path, text), partial(self._text_of, path)))
                except TimeLimitError:
                    words = ()
                self._declarers[path] = _Declarer(path, words) if words else None
        return self._declarers[path]

    def _module(self, path: str, text: str) -> SourceFile:
        """A text as Python, also that of a notebook as a whole."""
        known = self._project.python_at(path)
        return known if known is not None and known.text == text else SourceFile(text, path)

    def _text_of(self, importer: str, module: str) -> str | None:
        found = self._project.find_module(importer, module)
        if found is None:
            return None
        self._asked.setdefault(importer, set()).add(found[0])
        return found[1]

    def _program_around(self, path: str) -> Iterator[str]:
        """The modules that import one, in turn, and all that they and it import."""
        for root in self._importers(path):
            if self._project.text_at(root) is not None:
                yield from self._graph.modules_of(root)

    def _importers(self, path: str) -> list[str]:
        found, waiting = [path], [path]
        while waiting and len(found) < _MOST_IMPORTERS:
            module = waiting.pop(0)
            for importer in sorted(self._project.importers_of(module_word(module))):
                if importer not in found and module in self._graph.imports(importer):
                    found.append(importer)
                    waiting.append(importer)
        return found

    def _program(self, declarers: list[_Declarer], paths: set[str]) -> ServedProgram:
        words = [item for declarer in declarers for item in declarer.words]
        starts = {item.flag: f"{item.flag} {item.word}" for item in words if NPU_WORD.fullmatch(item.word)}
        first = declarers[0]
        listed = next(item for item in first.words if NPU_WORD.fullmatch(item.word))
        others = (self._declarer(path) for path in sorted(paths & self._candidates))
        every = [item.word for other in others if other is not None for item in other.words]
        has_cuda = any(CUDA_WORD.fullmatch(word) for word in every)
        start = listed.declaration.start_byte
        return ServedProgram(frozenset(paths), tuple(starts.values()), first.path, start, has_cuda)
