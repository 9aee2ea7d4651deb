"""What one file contributes to the facts of its project: a few searches over its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.hosting import has_words, may_need_cuda, names_bound_to_torch, tensor_like
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.text.plain.python_files import is_python

from ...files.content.notebooks import is_notebook, python_of
from ...files.discover import EntryKind, is_python_on_disk, walk
from ...files.excludes import Excludes
from ...files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ...paths import join
from .declared_options import declared_options
from .facts import FileFacts, ProjectFacts
from .frameworks import frameworks_in
from .imported_names import imported_names
from .linked_modules import linked_modules
from .methods import methods_in
from .read_settings import read_settings

_SET = re.compile(rb"set_default_tensor_type\s*\(([^()]{0,300})\)")
_DEVICE = re.compile(rb"set_default_device\s*\(\s*[\"']?([^()\"']{0,300})")
_TYPE = re.compile(rb"(cuda\.|npu\.)?\b(\w{1,20}Tensor)\b")


def default_types(data: bytes) -> tuple[str, ...]:
    """``cuda.HalfTensor``, ``FloatTensor``, each once.

    Also ``dtype`` where the default dtype is set by itself, and ``device`` where the default device is set to
    another than the CPU.
    """
    if b"set_default_" not in data:
        return ()
    found: dict[str, None] = {}
    for given in _SET.findall(data):
        for device, name in _TYPE.findall(given):
            found[("cuda." if device else "") + name.decode()] = None
    if b"set_default_dtype" in data:
        found["dtype"] = None
    if any(given != b"cpu" for given in _DEVICE.findall(data)):
        found["device"] = None
    return tuple(found)


def _saved(python: bytes) -> tuple[str, ...]:
    """The checkpoints that a file saves; most save none, and do not load the module that looks."""
    if b".save(" not in python:
        return ()
    from .saved_checkpoints import saved_checkpoints

    return saved_checkpoints(python)


def facts_of(path: str, python: bytes) -> FileFacts:
    """The facts of a file of these bytes; of a notebook, those of its Python (see :func:`python_of`).

    A file that takes too long contributes nothing.
    """
    try:
        with time_limit():
            names = tuple(sorted(names_bound_to_torch(python)))
            methods, options = methods_in(path, python), declared_options(python)
            types, frameworks = default_types(python), frameworks_in(python)
            imported = imported_names(python)
            settings = (*read_settings(python), *_saved(python))
            alike, modules = tensor_like(python), linked_modules(python)
            words = (is_notebook(path) or is_python(path, python)) and has_words(python)
            kernels = may_need_cuda(python)
            return FileFacts(
                names, methods, options, imported, types, frameworks, settings, alike, modules, words, kernels
            )
    except TimeLimitError:
        return FileFacts()


def facts_of_text(path: str, text: str) -> FileFacts:
    """The facts of a text in place of a file."""
    return facts_of(path, python_of(path, text.encode("utf-8", "surrogatepass")))


def facts_on_disk(root: str, path: str, max_bytes: int = MAX_BYTES) -> FileFacts | None:
    """The facts of a file below a directory; ``None`` if it cannot be read, is no longer there, or is no
    Python."""
    if not is_notebook(path) and not is_python_on_disk(Path(root), path):
        return None
    try:
        data = read_file(join(root, path), max_bytes).data
    except UnreadableError:
        return None
    return facts_of(path, python_of(path, data))


def facts_below(root: Path, max_bytes: int = MAX_BYTES) -> ProjectFacts:
    """The facts of all Python files below a directory; those that cannot be read are passed over."""
    return ProjectFacts.of(_facts_below(root, max_bytes))


def _facts_below(root: Path, max_bytes: int) -> Iterator[tuple[str, FileFacts]]:
    with suppress(OSError):
        for entry in walk(root, Excludes(())):
            if entry.kind is EntryKind.PYTHON:
                facts = facts_on_disk(str(root), entry.path, max_bytes)
                if facts is not None:
                    yield entry.path, facts
