"""The words of subjects that the configurations of a project hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.hosting import SettingWord
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings.places import Setting
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit

from ...files.content.encoding import NotTextError, decode
from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from ...files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ...paths import join

_WORDS = (b"cuda", b"nccl", b"NCCL")
_SUFFIXES = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf")
_MOST = 2_000
"""Configurations with words beyond which a project's are data."""


def setting_words(
    root: Path, texts: Mapping[str, str], max_bytes: int = MAX_BYTES
) -> tuple[SettingWord, ...]:
    """The values of settings that are words of a subject, in all configurations below a directory.

    Args:
        texts: Texts that count in place of files, by path relative to the directory.
    """
    found: list[SettingWord] = []
    with suppress(OSError):
        for entry in walk(root, Excludes(())):
            if entry.kind is EntryKind.TEXT and entry.path.lower().endswith(_SUFFIXES):
                text = texts.get(entry.path)
                text = text if text is not None else _text_with_words(join(str(root), entry.path), max_bytes)
                found += _words_in(entry.path, text) if text else ()
            if len(found) > _MOST:
                return ()
    return tuple(found)


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
            for place in file.places_about((b"cuda", b"nccl")) if file is not None else ():
                if isinstance(place, Setting) and place.value.partition(":")[0].encode() in _WORDS:
                    keys = tuple(key for key in place.keys if key != "[]")
                    yield SettingWord(path, place.start, keys, place.value)
    except TimeLimitError:
        return
