"""All kernels of a project, sized: CUDA C++ sources, strings with such code, and Triton."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.text.source_file import SourceFile

from ..files.content.encoding import NotTextError, decode
from ..files.content.notebooks import is_notebook
from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ..paths import join
from .cpp_text import CppFunction, functions_of
from .features import features_of_kernel
from .model import CUDA, TRITON, Caller, SizedKernel, effort_of
from .python_side import WORDS, PythonCall, PythonFile, may_be_of_extension

_DEFINED = re.compile(
    r'\.\s*(?:def|impl|op)\s*\(\s*"(?P<name>[^"(]+)[^"]*"\s*,\s*(?:TORCH_FN\s*\(\s*|torch::wrap_\w+\s*\(\s*)?'
    r"&?\s*(?P<function>[\w:]+)"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_GENERIC = frozenset({"forward", "backward", "apply", "operator", "main", "launch", "run", "call"})
"""Names that many functions have: who mentions one need not mean this one."""
_DEPTH = 6
_SOURCES = (".cu", ".cuh", ".cc", ".cpp", ".cxx", ".h", ".hpp")
_MOST_CALLERS = 20


def bound_names(text: str) -> dict[str, set[str]]:
    """The Python names that a source gives functions (pybind11, TORCH_LIBRARY), by the function's name."""
    found: dict[str, set[str]] = defaultdict(set)
    for match in _DEFINED.finditer(_COMMENT.sub(" ", text)):
        found[match["function"].rpartition("::")[2]].add(match["name"].rpartition("::")[2].strip())
    return found


class HostCode:
    """The functions of a project's C++ and CUDA sources: who mentions whom."""

    def __init__(self) -> None:
        self._mentions: dict[str, set[str]] = defaultdict(set)
        self._bound: dict[str, set[str]] = defaultdict(set)

    def add(self, functions: Iterable[CppFunction], bound: dict[str, set[str]]) -> None:
        """The functions of a file, and what it binds."""
        for function in functions:
            for word in set(_WORD.findall(function.body)):
                self._mentions[word].add(function.name)
        for name, python in bound.items():
            self._bound[name] |= python

    def python_names(self, kernel: str) -> frozenset[str]:
        """The Python names of the functions that come to a kernel."""
        seen, level, found = {kernel}, {kernel}, set(self._bound.get(kernel, ()))
        for _ in range(_DEPTH):
            specific = level - _GENERIC
            level = {above for name in specific for above in self._mentions.get(name, ())} - seen
            if not level:
                break
            seen |= level
            for name in level:
                found |= self._bound.get(name, set())
        return frozenset(found)


def sized_kernels(
    root: Path, exclude: Iterable[str] = (), max_bytes: int = MAX_BYTES
) -> tuple[SizedKernel, ...]:
    """The kernels below a directory, by file and line; files that cannot be read are passed over.
    Raises OSError: the directory cannot be listed."""
    found = _Project(max_bytes)
    python: list[str] = []
    excludes = Excludes(tuple(exclude))
    for entry in walk(root, excludes):
        if excludes.match(entry.path):
            continue
        if entry.path.endswith(_SOURCES) and entry.kind in (EntryKind.KERNELS, EntryKind.TEXT):
            found.add_source(root, entry.path)
        elif entry.kind is EntryKind.PYTHON and not is_notebook(entry.path):
            python.append(entry.path)
            found.add_python(root, entry.path)
    found.size_cuda()
    names = frozenset(found.names())
    for path in python if names else ():
        found.add_calls(root, path, names)
    return tuple(sorted(found.result(), key=lambda item: (item.path, item.first_line)))


class _Project:
    """What is known of a project while its files are read."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.kernels: list[SizedKernel] = []
        self._cuda: list[tuple[str, CppFunction, int]] = []
        self._helpers: dict[str, str] = {}
        self._host = HostCode()
        self._extensions: set[str] = set()
        self._calls: dict[str, list[PythonCall]] = defaultdict(list)
        self._guarded: dict[str, frozenset[str]] = {}

    def add_source(self, root: Path, path: str) -> None:
        """A C++ or CUDA source."""
        data = self._read(root, path)
        if data is None:
            return
        text = data.decode("utf-8", "replace")
        try:
            with time_limit():
                functions = functions_of(text)
                self._host.add(functions, bound_names(text))
        except TimeLimitError:
            return
        self._add_cuda(path, functions)

    def _add_cuda(self, path: str, functions: list[CppFunction], before: int = 0) -> None:
        for item in functions:
            if item.is_kernel:
                self._cuda.append((path, item, before))
            else:
                self._helpers.setdefault(item.name, item.body)

    def size_cuda(self) -> None:
        """Size the CUDA kernels, once all sources are read: helpers are in headers."""
        for path, item, before in self._cuda:
            features = features_of_kernel(item, self._helpers)
            effort = effort_of(CUDA, f"{path.rpartition('/')[2]} {item.name}", features)
            first, last = before + item.first_line, before + item.last_line
            sized = SizedKernel(CUDA, path, item.name, first, last, features, *effort[1:], effort.way)
            self.kernels.append(sized._replace(is_macro=item.is_macro))

    def add_python(self, root: Path, path: str) -> None:
        """A Python file, for the kernels in it."""
        file = self._python(root, path, WORDS)
        if file is None:
            return
        try:
            with time_limit():
                self._extensions.update(file.extensions())
                self.kernels += file.triton_kernels()
                for before, text, functions in file.inline_sources():
                    self._host.add(functions, {**bound_names(text), **_of_inline(functions)})
                    self._add_cuda(path, functions, before)
        except TimeLimitError:
            return

    def add_calls(self, root: Path, path: str, names: frozenset[str]) -> None:
        """A Python file, for its calls of kernels by their names."""
        file = self._python(root, path, tuple(name.encode() for name in names))
        if file is None:
            return
        try:
            with time_limit():
                self._guarded[path] = file.guarded
                for call in file.calls():
                    if call.name in names:
                        self._calls[call.name].append(call)
        except TimeLimitError:
            return

    def names(self) -> Iterator[str]:
        """The names by which Python code may call the kernels."""
        for kernel in self.kernels:
            if kernel.language == TRITON:
                yield kernel.name
            else:
                yield from self._host.python_names(kernel.name)

    def result(self) -> Iterator[SizedKernel]:
        """The kernels with their callers."""
        extensions = frozenset(self._extensions)
        for kernel in self.kernels:
            if kernel.language == TRITON:
                calls = [call for call in self._calls[kernel.name] if call.is_launch]
                yield kernel._replace(callers=_places(calls))
                continue
            calls = [
                call
                for name in sorted(self._host.python_names(kernel.name))
                for call in self._calls[name]
                if may_be_of_extension(call.owner, extensions)
            ]
            is_survived = bool(calls) and all(self._survives(call) for call in calls)
            yield kernel._replace(callers=_places(calls), has_fallback=is_survived)

    def _survives(self, call: PythonCall) -> bool:
        """Whether the file of a call goes on where the module of the kernel is missing."""
        guarded = self._guarded.get(call.place.path, frozenset())
        return any(call.owner == name or call.owner.startswith(f"{name}.") for name in guarded)

    def _python(self, root: Path, path: str, words: tuple[bytes, ...]) -> PythonFile | None:
        data = self._read(root, path)
        if data is None or not any(word in data for word in words):
            return None
        try:
            return PythonFile(SourceFile(decode(data).text, path))
        except NotTextError:
            return None

    def _read(self, root: Path, path: str) -> bytes | None:
        try:
            return read_file(join(str(root), path), self._max_bytes).data
        except UnreadableError:
            return None


def _of_inline(functions: list[CppFunction]) -> dict[str, set[str]]:
    """``load_inline`` binds functions by their own names (``functions=[...]``)."""
    return {item.name: {item.name} for item in functions if not item.is_kernel}


def _places(calls: list[PythonCall]) -> tuple[Caller, ...]:
    return tuple(dict.fromkeys(call.place for call in calls))[:_MOST_CALLERS]
