"""The keys of configurations of which a file makes devices or chooses a back end, found by pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CHAIN = (
    rb"""(\b[A-Za-z_]\w{0,60}(?:\.(?!get\b)\w{1,60}|\[[ \t]*[rRuU]?["']\w{1,60}["'][ \t]*\]"""
    rb"""|\.get\([ \t]*["']\w{1,60}["'])+)(?!\w|[ \t]*\()"""
)
_ARGUMENT = re.compile(rb"[ \t]*=(?!=)\s{0,80}" + _CHAIN)
_CALL = re.compile(rb"\(\s{0,80}" + _CHAIN)
_DEVICE = ((b"device", _CALL), (b".to", _CALL), (b"device", _ARGUMENT), (b"map_location", _ARGUMENT))
_BACKEND = ((b"init_process_group", _CALL), (b"backend", _ARGUMENT))
_ACCELERATOR = ((b"accelerator", _ARGUMENT),)
"""Words, and what stands behind them: to search for a word first takes a fraction of the time."""
# By these the fields of dataclasses are filled from YAML or JSON.
_READS_FIELDS = re.compile(
    rb"\bparse_(?:yaml|json)_file\(|\bparse_dict\(|\bTrlParser\(|\bH4ArgumentParser\("
    rb"|\b(?:pyrallis|draccus|simple_parsing)\b|\bOmegaConf\.structured\(|\bConfigStore\.instance\("
)
_OF_READERS = (b"parse_", b"Parser", b"pyrallis", b"draccus", b"simple_parsing", b"OmegaConf", b"ConfigStore")
_BEGINS = re.compile(rb"(?<!\w)\w|\.")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_HOLDERS = re.compile(
    rb"(?:cfg|conf|config|configuration|opt|option|arg|hparam|hyper|param|setting|flag)s?|hp", re.I
)
_WORD = re.compile(rb"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+")


def read_settings(data: bytes) -> tuple[str, ...]:
    """``device:run.device`` of ``torch.device(cfg.run.device)``, ``backend:key``, ``accelerator:key`` of a
    trainer of Lightning, each once, and ``fields:files``."""
    found: dict[str, None] = {}
    if b"device" in data or b".to(" in data or b"map_location" in data:
        found.update(dict.fromkeys(f"device:{key}" for key in _keys(_DEVICE, data)))
    if b"backend" in data or b"init_process_group" in data:
        found.update(dict.fromkeys(f"backend:{key}" for key in _keys(_BACKEND, data)))
    if b"accelerator" in data and b"lightning" in data:
        found.update(dict.fromkeys(f"accelerator:{key}" for key in _keys(_ACCELERATOR, data)))
    if any(word in data for word in _OF_READERS) and _READS_FIELDS.search(data) is not None:
        found["fields:files"] = None
    return tuple(found)


def _keys(places: Sequence[tuple[bytes, re.Pattern[bytes]]], data: bytes) -> Iterator[str]:
    found = {match.start(1): match[1] for word, behind in places for match in _behind(word, behind, data)}
    for _, chain in sorted(found.items()):
        names = [name for name in _NAME.findall(chain) if name != b"get"]
        holder = next((at for at, name in enumerate(names[:-1]) if _is_holder(name)), None)
        if holder is not None:
            sections = (_section(name) for name in names[holder:-1])
            yield ".".join([*filter(None, sections), names[-1].decode("ascii", "replace")])


def _behind(word: bytes, pattern: re.Pattern[bytes], data: bytes) -> Iterator[re.Match[bytes]]:
    """What stands behind a word; the name of a function must be no part of another name."""
    at = data.find(word)
    while at >= 0:
        match = pattern.match(data, at + len(word))
        if match is not None and (pattern is _ARGUMENT or _BEGINS.match(data, at) is not None):
            yield match
        at = data.find(word, at + len(word))


def _section(name: bytes) -> str:
    """The key that a name stands for: ``run`` of ``run_cfg``; empty for one that only says what it holds."""
    if not _is_holder(name):
        return name.decode("ascii", "replace")
    words = [word for word in name.split(b"_") if word and not _HOLDERS.fullmatch(word)]
    is_one_word = not any(_is_holder(word) for word in words)
    return b"_".join(words).decode("ascii", "replace") if b"_" in name and is_one_word else ""


def _is_holder(name: bytes) -> bool:
    """Whether a name is one for what was read from a configuration or a command line."""
    return any(_HOLDERS.fullmatch(word) for word in _WORD.findall(name))
