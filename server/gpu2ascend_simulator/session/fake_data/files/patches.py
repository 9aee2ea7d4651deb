"""The functions of Python and of packages that read files, changed so that what is missing is made up."""

from __future__ import annotations

import builtins
import functools
import glob
import io
import os
import pathlib
import sys
from collections.abc import Callable
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
)
"""Functions that read in C, by the module that has them, with what they read."""


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
    _change_patterns(overlay)
    after_import("torch", functools.partial(_change_load, root=overlay.root, note=note))
    for module, name, kind in _OF_PACKAGES:
        after_import(module, functools.partial(_change_reader, name=name, kind=kind, overlay=overlay))


def _change_open(overlay: Overlay) -> None:
    original: Callable[..., Any] = builtins.open

    @functools.wraps(original)
    def open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        try:
            return original(file, mode, *args, **kwargs)
        except FileNotFoundError:
            is_read = "r" in mode and "+" not in mode
            other = overlay.to_read(file, is_text="b" not in mode) if is_read else overlay.to_write(file)
            if other is None:
                raise
        return original(other, mode, *args, **kwargs)

    builtins.open = open
    io.open = open


def _change_listings(overlay: Overlay) -> None:
    names = os.listdir
    for name in ("listdir", "scandir"):
        setattr(os, name, _listing(getattr(os, name), names, overlay))


def _listing(
    original: Callable[..., Any], names: Callable[[Any], list[Any]], overlay: Overlay
) -> Callable[..., Any]:
    @functools.wraps(original)
    def listing(path: Any = ".") -> Any:
        try:
            found = original(path)
        except (FileNotFoundError, NotADirectoryError):
            other = overlay.to_list(path) if _is_listing() else None
            if other is None:
                raise
            return original(other)
        is_bare = isinstance(path, str | os.PathLike) and all(map(is_no_data, names(path)))
        other = overlay.to_list(path) if is_bare and _is_listing() else None
        return found if other is None else original(other)

    return listing


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
            found = overlay.status(path, is_folder=_asks_for_folder())
            if found is None:
                raise
            return found

    os.stat = status


def _asks_for_folder() -> bool:
    """Whether the status of something is wanted to know whether it is a folder."""
    names = {sys._getframe(number).f_code.co_name for number in (2, 3)}
    return bool(names & {"isdir", "is_dir"})


def _change_patterns(overlay: Overlay) -> None:
    original = glob.iglob

    @functools.wraps(glob.glob)
    def glob_(pathname: Any, **kwargs: Any) -> list[Any]:
        found = list(original(pathname, **kwargs))
        is_plain = isinstance(pathname, str) and not kwargs.get("root_dir")
        return found or (overlay.to_find(pathname) if is_plain else None) or found

    @functools.wraps(original)
    def iglob(pathname: Any, **kwargs: Any) -> Any:
        return iter(glob_(pathname, **kwargs))

    glob.glob, glob.iglob = glob_, iglob
    for name, before in (("glob", ""), ("rglob", "**")):
        setattr(pathlib.Path, name, _pattern(getattr(pathlib.Path, name), before, overlay))


def _pattern(original: Callable[..., Any], before: str, overlay: Overlay) -> Callable[..., Any]:
    @functools.wraps(original)
    def matching(self: Path, pattern: str, **kwargs: Any) -> Any:
        found = list(original(self, pattern, **kwargs))
        if found:
            return iter(found)
        made_up = overlay.to_find(os.path.join(str(self), before, pattern))  # noqa: PTH118
        return map(type(self), made_up or ())

    return matching


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
        if isinstance(path, str | os.PathLike) and not os.path.lexists(path):  # which is not answered
            other = overlay.to_read(path, kind=kind)
            given[at] = path if other is None else str(other)
        return original(*given, **kwargs)

    setattr(holder, short, read)


def _change_load(torch: Any, *, root: str, note: Note) -> None:
    """Weights that a project needs to begin with are those that its modules were made with."""
    original = torch.load

    @functools.wraps(original)
    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(f, *args, **kwargs)
        except FileNotFoundError:
            caller = caller_in(root)
            name = os.fsdecode(f)
            if caller is None or caller.can_do_without or not name.endswith(SUFFIXES):
                raise
            return weights_called(name, note)

    torch.load = load
