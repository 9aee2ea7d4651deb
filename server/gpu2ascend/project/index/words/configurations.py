"""The words of subjects that the configurations of a project hold."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.hosting import SettingWord
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit

from ...files.content.encoding import NotTextError, decode
from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from ...files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ...paths import join

_WORDS = (b"cuda", b"nccl", b"NCCL")
_SUFFIXES = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".gin")
_TARGETS = frozenset({"_target_", "class_path"})
"""The keys of Hydra and of jsonargparse for what is called with the values beside them."""
_TARGET_SIGNS = (*_TARGETS, "!new:", "!apply:", "!name:")
"""Of which a text has one that has anything called, by a key or by a tag."""
_ARGUMENTS = "init_args"
"""The key of jsonargparse below which those values are."""
_SETTLED = 3_000_000_000
"""Nanoseconds: more than the steps of any file system's clock."""
_MOST = 2_000
"""Configurations with words beyond which a project's are data."""


class Configurations(NamedTuple):
    """The values of settings that are words of a subject, in all configurations below a directory."""

    words: tuple[SettingWord, ...]
    opened: frozenset[tuple[str, str]]
    """The texts that count in place of configurations, with their paths."""
    changed: Mapping[str, int]
    """When each directory and configuration was changed last; empty where that may be too short ago for the
    clock of the file system to show another change."""

    def are_those_of_now(self, root: Path, texts: Mapping[str, str]) -> bool:
        """Whether they are as they were found."""
        return (
            bool(self.changed)
            and self.opened == _opened(texts)
            and all(_changed(root, path) == at for path, at in self.changed.items())
        )


def configurations(root: Path, texts: Mapping[str, str], max_bytes: int = MAX_BYTES) -> Configurations:
    """Those below a directory.

    Args:
        texts: Texts that count in place of files, by path relative to the directory.
    """
    found: list[SettingWord] = []
    looked_at = time.time_ns()
    changed = {"": _changed(root, "")}
    with suppress(OSError):
        for entry in walk(root, Excludes(())):
            is_one = entry.kind is EntryKind.TEXT and entry.path.lower().endswith(_SUFFIXES)
            if is_one or entry.kind is EntryKind.DIRECTORY:
                changed[entry.path] = _changed(root, entry.path)
            if is_one and len(found) <= _MOST:
                text = texts.get(entry.path)
                text = text if text is not None else _text_with_words(join(str(root), entry.path), max_bytes)
                found += _words_in(entry.path, text) if text else ()
    is_settled = max(changed.values()) < looked_at - _SETTLED
    words = tuple(found) if len(found) <= _MOST else ()
    return Configurations(words, _opened(texts), changed if is_settled else {})


def _opened(texts: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((path, text) for path, text in texts.items() if path.lower().endswith(_SUFFIXES))


def _changed(root: Path, path: str) -> int:
    try:
        return os.stat(join(str(root), path)).st_mtime_ns  # noqa: PTH116 - asked for each at each edit
    except OSError:
        return 0


def _text_with_words(path: str, max_bytes: int) -> str | None:
    try:
        data = read_file(path, max_bytes).data
        return decode(data).text if any(word in data for word in _WORDS) else None
    except (UnreadableError, NotTextError):
        return None


def _words_in(path: str, text: str) -> Iterator[SettingWord]:
    try:
        with time_limit():
            file = kind_file(path, text)
            targets = _targets_in(file, text)
            for place in file.places_about((b"cuda", b"nccl")) if file is not None else ():
                if isinstance(place, Setting) and place.value.partition(":")[0].encode() in _WORDS:
                    keys = _without_lists(place.keys)
                    called = _called_by_gin(path, keys) or _called_with(keys, targets)
                    yield SettingWord(path, place.start, keys, place.value, *called)
    except TimeLimitError:
        return


def _targets_in(file: KindFile | None, text: str) -> Mapping[tuple[str, ...], str]:
    """The functions and classes that a configuration names to be called, by the keys that they are below."""
    if file is None or not any(sign in text for sign in _TARGET_SIGNS):
        return {}
    settings = (place for place in file.places() if isinstance(place, Setting))
    return {_without_lists(place.keys[:-1]): place.value for place in settings if place.key in _TARGETS}


def _called_with(
    keys: tuple[str, ...], targets: Mapping[tuple[str, ...], str]
) -> tuple[str, tuple[str, ...]]:
    """What the innermost table around a value has called, and the way to the value from there."""
    for end in range(len(keys) - 1, -1, -1):
        if keys[:end] in targets:
            below = keys[end:]
            return targets[keys[:end]], below[1:] if below[0] == _ARGUMENTS else below
    return "", ()


def _called_by_gin(path: str, keys: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """The function or class of gin's ``scope/module.Trainer.device``, and its parameter."""
    called, dot, parameter = keys[-1].rpartition("/")[2].rpartition(".") if keys else ("", "", "")
    return (called, (parameter,)) if dot and path.lower().endswith(".gin") else None


def _without_lists(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if key != "[]")
