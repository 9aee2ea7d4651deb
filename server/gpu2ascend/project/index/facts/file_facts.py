"""What one file contributes to the facts of its project: a few searches over its bytes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from gpu2ascend_rules.facts.names.apex_names import removable_names
from gpu2ascend_rules.hosting import has_words, may_need_cuda, names_bound_to_torch, tensor_like
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.text.plain.python_files import is_python

from ...files.content.notebooks import is_notebook, python_of
from ...files.discover import EntryKind, is_python_on_disk, walk
from ...files.excludes import Excludes
from ...files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ...paths import join
from .facts import FileFacts, ProjectFacts
from .frameworks import frameworks_in
from .linked_modules import linked_modules
from .methods import methods_in
from .read_settings import read_settings

_FROM = re.compile(
    rb"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,9999}\)|(?:[^\n\\]|\\\r?\n){0,9999})", re.M
)
_SET_ON_CUDA = re.compile(rb"\bcuda\.([^\W\d]\w{0,99})[ \t]*=(?!=)")
_COMMENT = re.compile(rb"#[^\n]*")
_WORD = re.compile(rb"\w*$")
_LONGEST_NAME = 100
_LIBRARIES = frozenset(
    name.encode() for name in (*sys.stdlib_module_names, "apex", "numpy", "torch", "torchvision")
)
_MARKS = ("nvtx",)
"""Modules of torch.cuda whose import alone is harmless: it matters what others do with it."""
_NO_MODULES = frozenset(
    {b"apex", b"cls", b"cuda", b"nn", b"normalization", b"optimizers", b"parallel", b"self", b"torch"}
)
_DECLARES = rb"\.add_argument|\b(?:click|typer)\.(?:option|Option)|@option"
_BEHIND = re.compile(rb"^[ \t]*(\w+)[ \t]*=[ \t]*\w+\.add_argument[ \t]*(?:#|$)", re.M)
"""``add = parser.add_argument``."""
_STRINGS = rb"((?:[rRbBuU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*')\s*,?\s*(?:#[^\n]*\n\s*)?)+)"
"""The strings of ``parser.add_argument("-d", "--device", ...)`` and of click's decorators."""
_FIELD = re.compile(
    rb"^[ \t]+([A-Za-z_]\w{0,60})[ \t]*:[ \t]*(?:[\w.]{1,40}\[[ \t]*)?(?:str|Literal)\b", re.M
)
"""A field that holds a text: ``device: str``, ``device: Optional[str]``, ``device: Literal["cuda"]``."""
_STRING = re.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'")
_VARIABLE = re.compile(rb"\b(?:environ(?:\.\w+\(|\[)|getenv\()\s*(?:\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)')")
_OPTION = re.compile(rb"--?[A-Za-z][\w.-]*")
_SET = re.compile(rb"set_default_tensor_type\s*\(([^()]{0,300})\)")
_DEVICE = re.compile(rb"set_default_device\s*\(\s*[\"']?([^()\"']{0,300})")
_TYPE = re.compile(rb"(cuda\.|npu\.)?\b(\w{1,20}Tensor)\b")


def imported_names(data: bytes) -> tuple[str, ...]:
    """What a file takes from other modules than well-known libraries, as ``module.name``.

    A module goes by the last part of its name, for the rest depends on the search path; ``module.*`` is a
    star import. Of attributes, as in ``layers.FusedAdam``, only those that a rule may ask about are looked
    for; they are ``.name``, since what the module is called here may be an alias. What a file sets on
    ``torch.cuda`` is ``=name``.
    """
    found: dict[bytes, None] = {}
    for source, names in _FROM.findall(data) if b"from" in data else ():
        if source.partition(b".")[0] in _LIBRARIES:
            continue
        module = source.rpartition(b".")[2]
        plain = _COMMENT.sub(b"", names).partition(b";")[0].replace(b"\\", b" ").strip(b"() \t\r\n")
        for item in plain.split(b","):
            words = item.split()
            if words:
                found[module + b"." + words[0]] = None
    for word, pattern in _attributes():
        for match in pattern.finditer(data) if word in data else ():
            before = data[max(match.start() - _LONGEST_NAME, 0) : match.start()]
            owner = _WORD.search(before)
            if owner is not None and owner[0] and owner[0] not in _NO_MODULES:
                found[word] = None
    if b"cuda" in data:
        found.update(dict.fromkeys(b"=" + match[1] for match in _SET_ON_CUDA.finditer(data)))
    return tuple(name.decode("utf-8", "replace") for name in found)


@lru_cache(maxsize=1)
def _attributes() -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """What an attribute of each name begins with, and a pattern of it: to look for the word costs little."""
    words = (b"." + name.encode() for name in sorted({*removable_names(), *_MARKS}))
    return tuple((word, re.compile(re.escape(word) + rb"\b")) for word in words)


def declared_options(data: bytes) -> tuple[str, ...]:
    """The option strings and variables of a file, each once, in order; positional arguments aside."""
    found: dict[str, None] = {}
    if b"env" in data:
        names = (double or single for double, single in _VARIABLE.findall(data))
        found.update((f"${name.decode('ascii', 'replace')}", None) for name in names)
    if b"dataclass" in data:
        found.update((f"--{name.decode('ascii', 'replace')}", None) for name in _FIELD.findall(data))
    if b"add_argument" not in data and b"ption(" not in data:
        return tuple(found)
    behind = sorted({rb"\b" + name for name in _BEHIND.findall(data)})
    declares = rb"(?:" + b"|".join((_DECLARES, *behind)) + rb")\s*\(\s*"
    for declaration in re.findall(declares + _STRINGS, data):
        for quoted in _STRING.findall(declaration):
            for text in (quoted[0] or quoted[1]).split(b"/"):  # click: "--shout/--no-shout"
                if _OPTION.fullmatch(text.strip()):
                    found[text.strip().decode("ascii", "replace")] = None
    return tuple(found)


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


def facts_of(path: str, python: bytes) -> FileFacts:
    """The facts of a file of these bytes; of a notebook, those of its Python (see :func:`python_of`).

    A file that takes too long contributes nothing.
    """
    try:
        with time_limit():
            names = tuple(sorted(names_bound_to_torch(python)))
            methods, options = methods_in(path, python), declared_options(python)
            types, frameworks = default_types(python), frameworks_in(python)
            imported, settings = imported_names(python), read_settings(python)
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
