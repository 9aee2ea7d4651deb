"""What a user may mean by a name: one with an alias, the call of a method, an import line, a word alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.releases.canonical import public_name

_IMPORT = re.compile(r"(?:from\s+(?P<module>[\w.]+)\s+)?import\s+(?P<name>[\w.]+)(?:\s+as\s+\w+)?$")
_OWNERS = (
    "torch.Tensor",
    "torch.nn.Module",
    "torch.optim.Optimizer",
    "torch.nn.parallel.DistributedDataParallel",
)
"""Classes of which an object with any name may be."""
_MODULES = (
    "torch", "torch.nn.functional", "torch.nn", "torch.Tensor", "torch.cuda", "torch.distributed",
    "torch.optim", "torch.utils.data", "torch.linalg", "torch.fft", "torch.amp", "torch.cuda.amp",
    "torch.nn.utils", "torch.nn.parallel", "torch.optim.lr_scheduler", "torch.distributions", "torch.special",
    "torch.autograd", "torch.nn.init", "torch.utils.checkpoint", "torch.utils.cpp_extension",
    "torch.profiler", "torch.jit", "torch.multiprocessing", "torch.nn.Module",
)  # fmt: skip
_ROOTS = frozenset({"torch", "torch_npu"})


def meanings(asked: str) -> Iterator[str]:
    """The names that a user's text may mean, the likeliest first, each once."""
    yield from dict.fromkeys(_meanings(asked))


def _meanings(asked: str) -> Iterator[str]:
    text = _cleaned(asked)
    head, _, below = text.partition(".")
    spelled = _spellings().get(head)
    if spelled is not None and below:
        yield public_name(f"{spelled}.{below}")
    if head:
        yield public_name(asked.strip())
        yield public_name(text)
    if spelled is not None and not below:
        yield public_name(spelled)
    last = text.rpartition(".")[2]
    if "." in text and head not in _ROOTS and spelled is None:
        yield from (f"{owner}.{last}" for owner in _OWNERS)
    if "." not in text and text and text not in _ROOTS:
        yield from (f"{module}.{text}" for module in _MODULES)


def _cleaned(asked: str) -> str:
    """A text without quotes, calls, items and what belongs to the statement around it."""
    text = asked.strip().strip("`'\"").lstrip("@").rstrip(":;").strip()
    imported = _IMPORT.match(text)
    if imported is not None:
        return ".".join(filter(None, (imported["module"], imported["name"])))
    text = text.rpartition("= ")[2].strip()
    while text.endswith((")", "]")):
        opening = _opening(text)
        if opening < 0:
            break
        text = text[:opening].rstrip()
    if re.search(r"[(\[\])\s]", text):  # the method of what a call gives
        text = f".{text.rpartition('.')[2]}"
    return text.rstrip(".")


def _opening(text: str) -> int:
    """Where the bracket is that the last character closes; -1 without one."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] in ")]") - (text[place] in "([")
        if depth == 0:
            return place
    return -1


@cache
def _spellings() -> dict[str, str]:
    return {row["written"]: row["name"] for row in load_tsv("spellings")}
