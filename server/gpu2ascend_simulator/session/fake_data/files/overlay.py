"""The private folder that stands for what is not here."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import glob
import itertools
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Concatenate, ParamSpec, TypeVar

from .. import Note, rows
from .arrays import Assumed
from .callers import Caller, caller_in, kind_of_reader
from .contents import COUNT, SIDE, content_of, tabled
from .structures import KINDS, place_of, structured
from .written import IMAGES, SOUNDS, is_mask, parts_for, suffix_for, takes_apart, with_reader

_TEXTS = (".txt", ".lst", ".list", ".names", ".flist", ".tsv", "")
_KINDS = {
    **dict.fromkeys(IMAGES, "image"),
    **dict.fromkeys(SOUNDS, "sound"),
    **dict.fromkeys(_TEXTS, "lines"),
    ".csv": "table",
    ".xml": "annotation",
    **KINDS,
}
"""By suffix. Of others, such as weights, the structure cannot be known."""
_STRUCTURED = frozenset(KINDS.values())
_SAID = {
    "image": f"{SIDE} x {SIDE}",
    "mask": f"{SIDE} x {SIDE} with two classes",
    "sound": "tones",
    "annotation": "one object each",
    "lines": f"{COUNT} numbers",
}
_OF_SAMPLES = ("npy", "image", "mask", "sound", "annotation")
"""Kinds of files of which a folder has many, which are said once."""
_P = ParamSpec("_P")
_T = TypeVar("_T")
_FEW = 4
"""Folders in a folder, where only some of its entries are folders."""
_DEEPEST = 3
"""Folders in folders that are made up."""
_MAGIC = re.compile(r"[*?\[]")
_NO_DATA = re.compile(r"\.|readme|license|__pycache__", re.IGNORECASE)


def _alone(
    answer: Callable[Concatenate[Overlay, _P], _T | None],
) -> Callable[Concatenate[Overlay, _P], _T | None]:
    """Answer nothing while the same thread is being answered: what reads then is this module."""

    @functools.wraps(answer)
    def call(self: Overlay, /, *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        if getattr(self.thread, "is_busy", False):
            return None
        self.thread.is_busy = True
        try:
            return answer(self, *args, **kwargs)
        except Exception:  # there is no room, another process was quicker, a code is nested too deeply ...
            return None
        finally:
            self.thread.is_busy = False

    return call


class Overlay:
    """Makes up what a project reads below a private folder, by the paths that it asks for."""

    def __init__(self, root: str, folder: Path, begun: float, note: Note) -> None:
        self.root = os.path.realpath(root)
        self.folder = folder
        self.thread = threading.local()
        self._note = note
        self._begun = begun
        self._known = {row[0] for row in rows("files.tsv")}
        folder.mkdir(exist_ok=True)

    def place(self, path: object) -> Path | None:
        """Where a path is in the private folder; None of what is no path, or in the folder itself."""
        try:
            text = os.fsdecode(path)  # type: ignore[arg-type]
        except TypeError:
            return None
        absolute = PurePath(os.path.abspath(text))  # noqa: PTH100
        if absolute.is_relative_to(self.folder):
            return None
        return self.folder.joinpath(*absolute.parts[1:])

    @_alone
    def to_read(self, path: object, kind: str = "", is_text: bool = True) -> Path | None:
        """The file in place of one that is not here; None where none is made up.

        Args:
            kind: what it is read as, where that is known.
            is_text: whether it may be read as lines.
        """
        return self._to_read(path, kind=kind, is_text=is_text)

    def _to_read(
        self, path: object, is_needed: bool = False, kind: str = "", is_text: bool = True
    ) -> Path | None:
        place = self.place(path)
        if place is None:
            return None
        if place.is_file() and place.stat().st_size:
            return place
        caller = caller_in(self.root)
        if caller is None or not caller.reads(os.path.abspath(_shown(path))):  # noqa: PTH100
            return None
        if not (is_needed or place.exists()) and caller.can_do_without:
            return None
        caller = with_reader(caller)
        kind = self._kind(place, caller, kind)
        if not kind or place.name in self._known or (kind == "lines" and not is_text):
            return None
        made = self._content(kind, place, caller)
        if made is None:
            return None
        is_of_many = place.exists() or self._has_many(place.parent)
        self._write(place, made[0])
        self._say_file(_shown(path), kind, made[1], is_of_many, caller)
        return place

    def _content(self, kind: str, place: Path, caller: Caller) -> tuple[bytes, str] | None:
        """The bytes of a file and what is in it, for people."""
        if kind in _STRUCTURED:
            return structured(kind, caller, Assumed(place_of(self.folder)), self.root)
        if kind == "table":
            return tabled(_number(place.name), caller, Assumed(place_of(self.folder)), self.root)
        return content_of(kind, _number(place.name), caller, self.root), _SAID[kind]

    @_alone
    def to_write(self, path: object) -> Path | None:
        """The file or folder in place of one that a project changes in a folder that was made up."""
        place = self.place(path)
        if place is None:
            return None
        above = place.parent.parent
        if above.is_dir() and not Path(_shown(path)).parent.parent.exists():  # all of it is made up
            place.parent.mkdir(exist_ok=True)
        return place if place.parent.is_dir() else None

    @_alone
    def to_list(self, path: object) -> Path | None:
        """The folder in place of one that is not here or has no data; None where none is made up."""
        return self._to_list(path)

    def _to_list(self, path: object) -> Path | None:
        place = self.place(path)
        if place is None:
            return None
        if place.is_dir() and any(place.iterdir()):
            return place
        caller = caller_in(self.root)
        if caller is None or not self._is_empty(path):
            return None
        if not place.exists() and (
            caller.can_do_without or (caller.can_be_empty and Path(_shown(path)).exists())
        ):
            return None
        folders = _FEW if "is_dir" in caller.function else 0
        parts = parts_for(caller)
        names = (divmod(number, len(parts)) for number in range(COUNT))
        suffix = suffix_for(caller)
        self._fill(place, [f"{number:05}{_joined(parts[at])}{suffix}" for number, at in names], folders)
        self._say(f"folder {_shown(path)}", f"{COUNT} x {suffix_for(caller)}", caller)
        return place

    @_alone
    def to_find(self, pattern: str) -> list[str] | None:
        """The names that match a pattern, where nothing does that is here."""
        place = self.place(pattern)
        caller = caller_in(self.root) if place is not None and _MAGIC.search(pattern) else None
        if place is None or caller is None:
            return None
        fixed, _ = _split(pattern)
        found = list(self._matching(place))
        is_wanted = not found and not caller.can_be_empty and self._is_empty(fixed or ".")
        if is_wanted and self._makes(pattern, place, caller):
            found = list(self._matching(place))
            self._say(f"files in {fixed or '.'}", "names by a pattern", caller)
        top = self.place(fixed or ".")
        assert top is not None
        return sorted(os.path.join(fixed, str(one.relative_to(top))) for one in found)  # noqa: PTH118

    @_alone
    def status(self, path: object, is_folder: bool) -> os.stat_result | None:
        """The status of what stands for a path; None where nothing does, so that it stays missing.

        Args:
            is_folder: whether it is asked whether it is a folder.
        """
        place = self.place(path)
        if place is None:
            return None
        if place.exists():
            return (self._as_folder(place) if is_folder else place).stat()
        caller = caller_in(self.root)
        if caller is None:
            return None
        is_reader = bool(caller.reader)
        is_sample = place.parent.is_dir() and _KINDS.get(place.suffix.lower()) not in (None, "lines")
        if not (is_reader or is_sample or caller.needs_to_exist):
            return None
        if not is_reader and (is_folder or not place.suffix):
            made = self._to_list(path)
        else:
            made = self._to_read(path, is_needed=True)
        return made.stat() if made is not None else None

    def _say_file(self, path: str, kind: str, said: str, is_of_many: bool, caller: Caller) -> None:
        folder = os.path.dirname(path) or "."  # noqa: PTH120
        what = f"{kind} of {f'each file in {folder}' if is_of_many else path}"
        self._say(f"each {kind} in {folder}" if kind in _OF_SAMPLES else what, said, caller)

    def _has_many(self, folder: Path) -> bool:
        return folder.is_dir() and next(itertools.islice(folder.iterdir(), _FEW, None), None) is not None

    def _kind(self, place: Path, caller: Caller, wanted: str) -> str:
        wanted = wanted or (kind_of_reader(caller.reader) if caller.reader else "")
        of_suffix = _KINDS.get(place.suffix.lower(), "")
        kind = of_suffix if wanted in ("", "any") else wanted
        if of_suffix in _STRUCTURED and wanted != "image":
            return of_suffix
        if wanted == "table" and not ({"delimiter", "sep"} & caller.given.keys()):
            kind = ""  # an array, whose shape is not known
        if not caller.reader and (kind == "table" or (not kind and takes_apart(caller))):
            kind = "lines"
        return "mask" if kind == "image" and is_mask(str(place), caller) else kind

    def _is_empty(self, path: object) -> bool:
        """Whether a folder is not here, or came without data."""
        folder = Path(os.fsdecode(path))  # type: ignore[arg-type]
        if not folder.exists():
            return True
        is_old = folder.is_dir() and folder.stat().st_mtime < self._begun
        return is_old and all(is_no_data(entry.name) for entry in folder.iterdir())

    def _as_folder(self, place: Path) -> Path:
        """An entry of a folder becomes what it is first asked for to be."""
        is_open = place.is_file() and not place.stat().st_size
        depth = sum(parent.is_dir() for parent in place.parents if parent.is_relative_to(self.folder))
        if is_open and _number(place.name) < _FEW and depth <= _DEEPEST + len(self.folder.parts):
            with contextlib.suppress(OSError):
                place.unlink()
                place.mkdir()
        return place

    def _makes(self, pattern: str, place: Path, caller: Caller) -> bool:
        """Make names that match; whether any could be made."""
        fixed, rest = _split(pattern)
        suffix = PurePath(rest).suffix.lower()
        if not (_MAGIC.search(suffix) or suffix in ("", *_KINDS)):
            return False
        top = self.place(fixed or ".")
        assert top is not None
        parts = [part for part in PurePath(rest).parts if part != "**"]
        folders = [top]
        for part in parts[:-1]:
            folders = [folder / name for folder in folders for name in _names(part, "", _FEW)]
        for folder in folders:
            self._fill(folder, list(_names(parts[-1] if parts else "*", suffix_for(caller), COUNT)), 0)
        return True

    def _matching(self, place: Path) -> Iterator[Path]:
        fixed, rest = _split(str(place.relative_to(self.folder)))
        top = self.folder / fixed
        for name in glob.glob(rest, root_dir=top, recursive=True):  # noqa: PTH207
            yield top / name

    def _fill(self, folder: Path, names: list[str], folders: int) -> None:
        if folder.is_file():
            folder.unlink()
        folder.mkdir(parents=True, exist_ok=True)
        for number, name in enumerate(names):
            if number < folders:
                (folder / PurePath(name).stem).mkdir(exist_ok=True)
            else:
                (folder / name).touch()

    def _write(self, place: Path, content: bytes) -> None:
        """Whole, as another process may read it."""
        if place.is_dir():
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = place.with_name(f".{place.name}.{os.getpid()}.{threading.get_ident()}")
        temporary.write_bytes(content)
        temporary.replace(place)

    def _say(self, what: str, how: str, caller: Caller) -> None:
        self._note(f"{what} ({how}; read at {caller.where(self.root)})")


def is_no_data(name: str) -> bool:
    """Whether a file only keeps or explains its folder."""
    return _NO_DATA.match(name) is not None


def _shown(path: object) -> str:
    return os.fsdecode(path)  # type: ignore[arg-type]


def _number(name: str) -> int:
    found = re.search(r"\d+", name)
    return int(found[0]) if found is not None else 0


def _joined(part: str) -> str:
    return f"_{part}" if part[:1].isalnum() else part


def _split(pattern: str) -> tuple[str, str]:
    """The folder before the first part with a wildcard, and the rest."""
    found = _MAGIC.search(pattern)
    end = pattern.rfind(os.sep, 0, found.start() if found is not None else None) + 1
    return pattern[:end], pattern[end:]


def _names(part: str, suffix: str, count: int) -> Iterator[str]:
    """Names that match one part of a pattern."""
    if not _MAGIC.search(part):
        yield part
        return
    with_suffix = re.sub(r"\.\*$", suffix, part) if part != "*" else f"*{suffix}"
    for number in range(count):
        text = re.sub(r"\[!?(.)[^\]]*\]", r"\1", with_suffix.replace("*", f"{number:05}"))
        name = text.replace("?", str(number % 10))
        if fnmatch.fnmatch(name, part):
            yield name
        if not _MAGIC.search(re.sub(r"\.\*$", "", part)):
            return
