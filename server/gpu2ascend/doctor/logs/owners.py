"""Whose code it is: the owner of a module, of a frame of a traceback, and of the words of a line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from gpu2ascend_rules.facts.packages.third_party import canonical, verdict_of_module

from ..tables import rows
from .frames import Frame

_STANDARD = sys.stdlib_module_names | {"distutils", "imp", "asynchat", "asyncore", "smtpd"}
_IN_PYTHON = re.compile(r"(?:^|/)lib/python\d\.\d+/(?!(?:site|dist)-packages/)|^<frozen ")
_IN_CANN = re.compile(r"/Ascend/(?!driver/)|/ascend-toolkit/|/cann(?:-[\d.]+)?/")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_NOT_LETTERS = re.compile(r"[^a-z0-9]")
_BUILT = re.compile(
    r"/pip-(?:install|wheel|build|req-build)-\w+/(?P<name>[A-Za-z][\w.-]*?)(?:_[0-9a-f]{8,})?/"
)
"""The folder in which pip builds a package from its source."""
_RAISED = re.compile(r"(?:^|[\s(])(?P<root>[a-z_]\w*)\.(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Failure)\b")
"""An exception with its module."""
_COPIED = ("megatron", "mindspeed", "mindspeed_llm", "mindspeed_mm", "mindspeed_rl", "vllm_ascend")
"""Packages that projects copy into their own folder, as the guides of MindSpeed tell them to; Ray copies all
of a checkout into a folder ``_ray_pkg_...``."""
_WITHOUT_NPU = ("no", "replaced", "other")


class Owner(NamedTuple):
    """Who has written a piece of code."""

    module: str
    """Its first word; empty for a project's own code."""
    role: str
    """``own``, ``library``, ``host``, ``plugin``, ``torch``, ``npu``, ``cann``, ``cuda`` or ``python``."""
    partner: str = ""
    """The package whose release must fit; of ``cuda`` the one that takes its place."""
    index_name: str = ""
    """As the index of packages names it, where that is not the module's name."""

    @property
    def package(self) -> str:
        """As pip names it."""
        verdict = verdict_of_module(self.module)
        return (
            self.index_name
            or (verdict.package if verdict is not None else "")
            or canonical(self.module.lstrip("_"))
        )


OWN = Owner("", "own")
_CANN = Owner("cann", "cann")


@cache
def owner_of_module(name: str) -> Owner | None:
    """The owner of a module; None for one that no table has."""
    root = name.partition(".")[0]
    inside = ".".join(name.split(".")[:2])  # Some packages are modules of another one's namespace.
    listed = _listed().get(inside) or _listed().get(root) or _listed().get(canonical(root).replace("-", "_"))
    if listed is not None:
        return listed
    if root in _STANDARD:
        return Owner(root, "python")
    verdict = verdict_of_module(name) or verdict_of_module(name.lower())
    if verdict is None:
        return None
    is_of_cuda = verdict.status in _WITHOUT_NPU
    return Owner(root, "cuda", verdict.replacement) if is_of_cuda else Owner(root, "library")


def owner_of_exception(line: str) -> Owner | None:
    """The library that defines the exception of a line; None for Python's own, and for those of role base."""
    raised = _RAISED.search(line)
    root = raised["root"] if raised is not None else "builtins"
    if root in _STANDARD or root.startswith("__"):
        return None
    owner = owner_of_module(root) or Owner(root, "library")
    return owner if owner.role != "base" else None


def built_package(frames: Sequence[Frame]) -> str:
    """The package that pip builds from its source where the frames are of that; else empty."""
    paths = (_BUILT.search(frame.path) for frame in frames)
    return next((path["name"] for path in paths if path is not None), "")


def owner_of_words(line: str) -> Owner | None:
    """The owner of the first class, logger or exception of a known library in a line."""
    found = ((words.search(line), owner) for words, owner in _by_words())
    at = [(match.start(), owner) for match, owner in found if match is not None]
    return min(at, key=lambda item: item[0])[1] if at else None


def owned_frames(frames: Sequence[Frame]) -> Iterator[tuple[Frame, Owner]]:
    """Frames with their owners, the innermost first; without Python's own library."""
    for frame in reversed(frames):
        path = frame.path.replace("\\", "/")
        if _IN_PYTHON.search(path) is None and not path.startswith("<"):
            yield frame, _of_frame(frame, path)


def _of_frame(frame: Frame, path: str) -> Owner:
    if _NAME.fullmatch(frame.package):
        return owner_of_module(frame.package) or Owner(frame.package, "library")
    *folders, file = PurePosixPath(path).parts
    if folders[-1:] == ["bin"]:
        return owner_of_module(file) or Owner(file, "library")
    if _IN_CANN.search(path) is not None:
        return _CANN
    return _of_folders(folders)


def _of_folders(folders: Sequence[str]) -> Owner:
    """The library whose checkout or copy the innermost folders are of; else the project."""
    plain = [_NOT_LETTERS.sub("", folder.lower()) for folder in folders]
    inner = range(len(folders) - 1, 0, -1)
    checkouts = (
        i for i in inner if any(_NOT_LETTERS.sub("", folders[i].lower()) in one for one in plain[:i])
    )
    copies = (i for i in inner if folders[i] in _COPIED or folders[i - 1].startswith("_ray_pkg_"))
    owners = (owner_of_module(folders[i]) for i in (*checkouts, *copies))
    return next((owner for owner in owners if owner is not None and owner.role != "python"), OWN)


@cache
def _listed() -> dict[str, Owner]:
    columns = ("module", "role", "partner", "package")
    listed = (Owner(*(row[column] or "" for column in columns)) for row in rows("libraries"))
    return {owner.module: owner for owner in listed}


@cache
def _by_words() -> tuple[tuple[re.Pattern[str], Owner], ...]:
    listed = _listed()
    return tuple(
        (re.compile(row["words"]), listed[row["module"]]) for row in rows("libraries") if row["words"]
    )
