"""What names and texts say: names for devices, texts that name a device, names of back ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_DEVICE = r"cuda(?::(?:\d+|\{[^{}]*\}|%[dsi])?)?"
_DEVICE_TEXT = re.compile(rf"{_DEVICE}(?:, ?(?:{_DEVICE}|cpu|mps|xpu))*")
_BACKEND_TEXT = re.compile(
    r"(?:auto|cpu|gpu|cuda|mps|xpu|tpu|npu|hpu|xla|mlu|musa|sdaa|mtia|meta|hip|rocm|opencl|vulkan|ipu|mkldnn"
    r"|xdna|dml|maia|privateuseone|metal|none|default|disk|)(?::.*)?",
    re.I,
)
_PAIR = r"(?:\w+|\{\}):(?:gloo|nccl|hccl|xccl|ccl|mpi|ucc|fake|\{\})"
_BY_DEVICE = re.compile(f"{_PAIR}(?:,{_PAIR})*", re.I)
_OTHER_ACCELERATORS = frozenset(
    {"mps", "xpu", "tpu", "npu", "hpu", "xla", "mlu", "musa", "sdaa", "mtia", "hip", "ipu", "rocm", "dml"}
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DEVICE_NAMES = frozenset({"dev", "devs", "devname", "devtype", "maplocation", "devicetype", "devicename"})
_NAMES_OF_CHOICES = frozenset({"accelerator", "accelerators", "hardware", "platform", "gpu", "gpus"})
_NAMES_OF_TEXT = frozenset(
    {
        "backend", "backends", "impl", "implementation", "kernel", "kernels", "mode", "method", "engine",
        "op", "ops", "name", "key", "keys", "tag", "tags", "label", "title", "id", "ids", "desc",
        "description", "help", "metavar", "msg", "message", "prefix", "suffix", "format", "style", "group",
        "category", "namespace", "target", "lang", "language", "framework", "ext", "extension", "path",
        "file", "filename", "folder", "dir", "root", "url", "variant", "flavor", "color", "text", "note",
        "reason", "match", "project", "repo", "dest", "opset", "unit", "units", "usage", "epilog",
    }
)  # fmt: skip


@lru_cache(maxsize=1024)
def words_of(name: str) -> tuple[str, ...]:
    """The lower-case words of a name in snake case, camel case or with hyphens."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=1024)
def is_device_name(name: str) -> bool:
    """Whether a variable, parameter, key or option of that name holds a device, or what names one."""
    words = words_of(name)
    if not words:
        return False
    if words[-1] in _DEVICE_NAMES or "".join(words) in _DEVICE_NAMES:
        return True
    return any(word.endswith(("device", "devices")) for word in words)


def may_name_device(name: str) -> bool:
    """Whether a name could go with a device, though it need not: ``accelerator='cuda'``."""
    return any(word in _NAMES_OF_CHOICES for word in words_of(name))


def names_text(name: str) -> bool:
    """Whether what goes by that name is a label or a choice of code rather than of a device."""
    words = words_of(name)
    return bool(words) and words[-1] in _NAMES_OF_TEXT


def is_device_text(text: str) -> bool:
    """Whether a text, its fields as ``{}``, names a CUDA device, as ``cuda``, ``cuda:0`` and ``cuda:{}`` do,
    or lists some: ``cuda:0,cuda:1``."""
    return _DEVICE_TEXT.fullmatch(text) is not None


def npu_text(text: str) -> str:
    """A text that names CUDA devices, for the NPU: ``cuda:0`` as ``npu:0``."""
    return text.replace("cuda", "npu")


def may_become_device_text(text: str) -> bool:
    """Whether a text names a CUDA device or begins one whose rest is not known, as ``cuda{}`` does, or lists
    back ends by devices."""
    if is_device_text(text) or text == "cuda{}":
        return True
    return "cuda:" in text and is_list_by_device(text)


def names_ordinal(text: str) -> bool:
    """Whether a text has the form ``cuda:N``, which nothing but a device has."""
    return text.startswith("cuda:") and len(text) > len("cuda:")


def is_list_by_device(text: str) -> bool:
    """Whether a text lists back ends by the devices that they are for: ``{}:nccl,cpu:gloo``."""
    return _BY_DEVICE.fullmatch(text) is not None


def is_backend_text(text: str) -> bool:
    """Whether a text could stand beside ``cuda`` in a list of devices."""
    return _BACKEND_TEXT.fullmatch(text) is not None


def is_other_accelerator(text: str) -> bool:
    """Whether a text names an accelerator other than a CUDA device."""
    return text.partition(":")[0].lower() in _OTHER_ACCELERATORS


def words_in_pattern(text: str, word: str) -> Iterator[re.Match[str]]:
    """The places of a word in a regular expression; an escape before it (``\\b``) is no part of it."""
    return re.finditer(rf"(?:(?<!\w)|(?<=\\[bB])){re.escape(word)}(?!\w)", text)
