"""Lock files: which package is installed in which release, written by a program."""

from __future__ import annotations

from ..kind import Kind
from ..packages.places import Locked
from .lock_file import LockFile

KIND = Kind(
    name="lock",
    file=LockFile,
    places=(Locked,),
    patterns=(
        *("poetry.lock", "uv.lock", "pdm.lock", "pixi.lock", "pipfile.lock", "pylock.toml", "pylock.*.toml"),
        *("conda-lock.yml", "*.conda-lock.yml"),
    ),
)
