"""The names that a file takes from modules that may be its project's, found by pattern."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from gpu2ascend_rules.facts.names.apex_names import removable_names

from ...files.content.import_statements import import_statements

_SET_ON_CUDA = re.compile(rb"\bcuda\.([^\W\d]\w{0,99})[ \t]*=(?!=)")
_COMMENT = re.compile(rb"#[^\n]*")
_WORD = re.compile(rb"\w*$")
_LONGEST_NAME = 100
_LIBRARIES = frozenset(
    name.encode() for name in (*sys.stdlib_module_names, "apex", "numpy", "torch", "torchvision")
)
_CHOOSING = frozenset({b"accelerate", b"setfit", b"transformers", b"trl"})
"""Libraries with names that choose a device: a file that imports one as a whole may take any of them."""
_MARKS = ("nvtx",)
"""Modules of torch.cuda whose import alone is harmless: it matters what others do with it."""
_NO_MODULES = frozenset(
    {b"apex", b"cls", b"cuda", b"nn", b"normalization", b"optimizers", b"parallel", b"self", b"torch"}
)


def imported_names(data: bytes) -> tuple[str, ...]:
    """What a file takes from other modules than well-known libraries, as ``module.name``.

    A module goes by the last part of its name, for the rest depends on the search path; ``module.*`` is a
    star import, or the whole of a library that chooses devices. Of attributes, as in ``layers.FusedAdam``,
    only those that a rule may ask about are looked for; they are ``.name``, since what the module is called
    here may be an alias. What a file sets on ``torch.cuda`` is ``=name``.
    """
    found: dict[bytes, None] = {}
    for source, names, plain, *_ in import_statements(data):
        found.update(dict.fromkeys(_taken_whole(plain)))
        if not source or source.partition(b".")[0] in _LIBRARIES:
            continue
        module = source.rpartition(b".")[2]
        listed = _COMMENT.sub(b"", names).partition(b";")[0].replace(b"\\", b" ").strip(b"() \t\r\n")
        for item in listed.split(b","):
            words = item.split()
            if words:
                found[module + b"." + words[0]] = None
    taken = {match[0] for match in _attribute().finditer(data) if _is_of_module(data, match.start())}
    found.update(dict.fromkeys(sorted(taken)))
    if b"cuda" in data:
        found.update(dict.fromkeys(b"=" + match[1] for match in _SET_ON_CUDA.finditer(data)))
    return tuple(name.decode("utf-8", "replace") for name in found)


def _taken_whole(plain: bytes) -> list[bytes]:
    """``library.*`` of each library that chooses devices which a plain import binds."""
    modules = (re.match(rb"\w*", item.strip()) for item in plain.split(b","))
    return [match[0] + b".*" for match in modules if match is not None and match[0] in _CHOOSING]


def _is_of_module(data: bytes, dot: int) -> bool:
    """Whether an attribute may be that of a module, by the word before its dot."""
    owner = _WORD.search(data, max(dot - _LONGEST_NAME, 0), dot)
    return owner is not None and bool(owner[0]) and owner[0] not in _NO_MODULES


@lru_cache(maxsize=1)
def _attribute() -> re.Pattern[bytes]:
    """Finds an attribute of one of the names."""
    names = sorted({*removable_names(), *_MARKS})
    return re.compile(rb"\.(?:" + "|".join(names).encode() + rb")\b")
