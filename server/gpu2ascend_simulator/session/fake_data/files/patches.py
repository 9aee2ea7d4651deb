"""The functions of Python and of packages that read files, changed so that what is missing is made up."""

from __future__ import annotations

import builtins
import contextlib
import functools
import glob
import io
import os
import pathlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ...imports import after_import
from .. import Note
from ..weights import SUFFIXES, weights_called
from .callers import caller_in
from .overlay import Overlay, is_no_data

_OF_PACKAGES = (
    ("cv2", "imread", "image"),
    ("torchvision.io.image", "read_file", "image"),
    ("torchaudio", "load", "sound"),
    ("torchaudio", "info", "sound"),
    ("soundfile", "SoundFile.__init__", "sound"),
    ("h5py", "File.__init__", "hdf5"),
)
"""Functions that read in C, by the module that has them, with what they read."""


_CHANGES = ("mkdir", "rmdir", "remove", "unlink", "lstat", "chmod", "utime", "open")
"""Functions of ``os`` that are sent to what was made up, as is what they would change."""
_MOVES = ("rename", "replace")
_LSTAT = os.lstat
"""As it was, which knows only what is here."""


def make_up_files(root: str, folder: Path, begun: float, note: Note) -> None:
    """Change how Python reads files, for good.

    Args:
        root: The project, whose code alone is answered.
        folder: Of this run, in which what is made up is put. Others are never written to.
        begun: When the run began: an empty folder that is younger is not one of data.
    """
    overlay = Overlay(root, folder, begun, note)
    _change_open(overlay)
    _change_listings(overlay)
    _change_status(overlay)
    _change_changes(overlay)
    _change_patterns(overlay)
    after_import("torch", functools.partial(_change_load, root=overlay.root, note=note))
    after_import("torch", functools.partial(_change_save, overlay=overlay))
    for module, name, kind in _OF_PACKAGES:
        after_import(module, functools.partial(_change_reader, name=name, kind=kind, overlay=overlay))


def _put(name: str, changed: Callable[..., Any]) -> None:
    """Change a function of ``os``, with what else is known of it."""
    original = getattr(os, name)
    for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in known:
            known.add(changed)
    setattr(os, name, changed)
    _put_in_paths(name, original, changed)


def _put_in_paths(name: str, original: object, changed: Callable[..., Any]) -> None:
    """Python 3.10 keeps the functions that paths call."""
    accessor = getattr(pathlib, "_NormalAccessor", None)
    if accessor is not None and vars(accessor).get(name) is original:
        setattr(accessor, name, staticmethod(changed))


def _change_open(overlay: Overlay) -> None:
    original: Callable[..., Any] = builtins.open

    @functools.wraps(original)
    def open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        try:
            return original(file, mode, *args, **kwargs)
        except FileNotFoundError:
            is_read = "r" in mode and "+" not in mode
            other = overlay.to_read(file, is_text="b" not in mode) if is_read else overlay.to_write(file)
            if other is not None:
                with contextlib.suppress(FileNotFoundError):
                    return original(other, mode, *args, **kwargs)
            raise

    builtins.open = open
    io.open = open
    _put_in_paths("open", original, open)


def _change_listings(overlay: Overlay) -> None:
    entries = os.scandir
    for name in ("listdir", "scandir"):
        _put(name, _listing(getattr(os, name), entries, overlay))


def _listing(
    original: Callable[..., Any], entries: Callable[[Any], Any], overlay: Overlay
) -> Callable[..., Any]:
    @functools.wraps(original)
    def listing(path: Any = ".") -> Any:
        try:
            found = original(path)
        except (FileNotFoundError, NotADirectoryError):
            other = overlay.to_list(path) if _is_listing() else None
            if other is None:
                raise
            return _under(path, original(other))
        is_path = isinstance(path, str | os.PathLike)
        is_bare = is_path and (
            all(map(is_no_data, found)) if isinstance(found, list) else _is_bare(entries(path))
        )
        other = overlay.to_list(path) if is_bare and _is_listing() else None
        return found if other is None else _under(path, original(other))

    return listing


def _under(folder: Any, found: Any) -> Any:
    """Entries by the paths that were asked for, not by those of the private folder."""
    return found if isinstance(found, list) else _Entries(os.fsdecode(folder), found)


class _Entries:
    """What ``os.scandir`` gives."""

    def __init__(self, folder: str, found: Any) -> None:
        self._folder, self._found = folder, found

    def __iter__(self) -> _Entries:
        return self

    def __next__(self) -> _Entry:
        return _Entry(self._folder, next(self._found))

    def __enter__(self) -> _Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it early."""
        self._found.close()


class _Entry:
    """An entry of a folder that was made up."""

    def __init__(self, folder: str, entry: os.DirEntry[str]) -> None:
        self.path = os.path.join(folder, entry.name)  # noqa: PTH118
        self._entry = entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __fspath__(self) -> str:
        return self.path


def _is_bare(entries: Any) -> bool:
    """Whether a folder has no data, of which only the beginning is read."""
    with entries:
        return all(is_no_data(entry.name) for entry in entries)


def _is_listing() -> bool:
    """Whether what is listed is not what a pattern finds."""
    caller = sys._getframe(2)
    module, function = str(caller.f_globals.get("__name__", "")), caller.f_code.co_name
    return module != "glob" and (not module.startswith("pathlib") or function == "iterdir")


def _change_status(overlay: Overlay) -> None:
    original = os.stat

    @functools.wraps(original)
    def status(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
        try:
            return original(path, *args, **kwargs)
        except FileNotFoundError:
            if kwargs.get("dir_fd") is not None:
                raise
            found = overlay.status(path, is_folder=_asks_for_folder())
            if found is None:
                raise
            return found

    _put("stat", status)


def _change_changes(overlay: Overlay) -> None:
    for name in _CHANGES:
        if hasattr(os, name):
            _put(name, _change(getattr(os, name), overlay))
    for name in _MOVES:
        _put(name, _move(getattr(os, name), overlay))


def _change(original: Callable[..., Any], overlay: Overlay) -> Callable[..., Any]:
    @functools.wraps(original)
    def change(path: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(path, *args, **kwargs)
        except FileNotFoundError:
            other = overlay.to_write(path) if kwargs.get("dir_fd") is None else None
            if other is not None:
                with contextlib.suppress(FileNotFoundError):
                    return original(other, *args, **kwargs)
            raise

    return change


def _move(original: Callable[..., Any], overlay: Overlay) -> Callable[..., Any]:
    @functools.wraps(original)
    def move(src: Any, dst: Any, **kwargs: Any) -> None:
        try:
            original(src, dst, **kwargs)
        except FileNotFoundError:
            # Both, so that nothing that is here goes away, and nothing that was made up gets out.
            before, after = overlay.to_write(src), overlay.to_write(dst)
            if kwargs or before is None or after is None or not before.exists():
                raise
            original(before, after)

    return move


def _asks_for_folder() -> bool:
    """Whether the status of something is wanted to know whether it is a folder."""
    names = {sys._getframe(number).f_code.co_name for number in (2, 3)}
    return bool(names & {"isdir", "is_dir"})


def _change_patterns(overlay: Overlay) -> None:
    original = glob.iglob

    @functools.wraps(original)
    def iglob(pathname: Any, **kwargs: Any) -> Any:
        is_plain = isinstance(pathname, str) and not kwargs.get("root_dir")
        return _or_else(original(pathname, **kwargs), lambda: (is_plain and overlay.to_find(pathname)) or ())

    @functools.wraps(glob.glob)
    def glob_(pathname: Any, **kwargs: Any) -> list[Any]:
        return list(iglob(pathname, **kwargs))

    glob.glob, glob.iglob = glob_, iglob
    for name, before in (("glob", ""), ("rglob", "**")):
        setattr(pathlib.Path, name, _pattern(getattr(pathlib.Path, name), before, overlay))


def _pattern(original: Callable[..., Any], before: str, overlay: Overlay) -> Callable[..., Any]:
    @functools.wraps(original)
    def matching(self: Path, pattern: str, **kwargs: Any) -> Any:
        name = os.path.join(str(self), before, pattern)  # noqa: PTH118
        return _or_else(
            original(self, pattern, **kwargs), lambda: map(type(self), overlay.to_find(name) or ())
        )

    return matching


def _or_else(found: Iterator[Any], made_up: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """What is found, one after the other, or else what is made up."""
    is_empty = True
    for one in found:
        is_empty = False
        yield one
    if is_empty:
        yield from made_up()


def _change_reader(module: Any, *, name: str, kind: str, overlay: Overlay) -> None:
    owner, _, short = name.rpartition(".")
    holder = getattr(module, owner, None) if owner else module
    original = getattr(holder, short, None)
    if original is None:
        return
    at = 1 if owner else 0

    @functools.wraps(original)
    def read(*args: Any, **kwargs: Any) -> Any:
        given = list(args)
        path = given[at] if len(given) > at else None
        mode = kwargs.get("mode", given[at + 1] if len(given) > at + 1 else "r")
        is_read = not isinstance(mode, str) or mode in ("r", "rb")
        if is_read and isinstance(path, str | os.PathLike) and not _is_here(path):
            other = overlay.to_read(path, kind=kind)
            given[at] = path if other is None else str(other)
        return original(*given, **kwargs)

    setattr(holder, short, read)


def _is_here(path: Any) -> bool:
    with contextlib.suppress(OSError, ValueError):
        _LSTAT(path)
        return True
    return False


def _change_load(torch: Any, *, root: str, note: Note) -> None:
    """Weights that a project needs to begin with are those that its modules were made with."""
    original = torch.load

    @functools.wraps(original)
    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(f, *args, **kwargs)
        except FileNotFoundError:
            caller = caller_in(root)
            name = os.fsdecode(f) if isinstance(f, str | os.PathLike) else ""
            if caller is None or caller.can_do_without or not name.endswith(SUFFIXES):
                raise
            return weights_called(name, note, caller.where(root))

    torch.load = load


def _change_save(torch: Any, *, overlay: Overlay) -> None:
    """It writes in C, which knows no folder that was made up."""
    original = torch.save

    @functools.wraps(original)
    def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> None:
        try:
            original(obj, f, *args, **kwargs)
        except RuntimeError:
            other = overlay.to_write(f)
            if other is None:
                raise
            original(obj, other, *args, **kwargs)

    torch.save = save
