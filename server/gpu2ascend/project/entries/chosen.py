"""The entries that a user has named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import option_name

from ..errors import InputError
from ..files.content.notebooks import is_notebook
from ..files.discover import is_python_on_disk
from ..paths import is_file, shown
from .main_files import main_file_candidates


def chosen_entries(root: Path, named: Iterable[str]) -> tuple[str, ...]:
    """The paths within the project of the entries that a user has named, each once.
    Raises InputError: there is no such file, it lies outside the project or is no Python."""
    found = [_entry(root, given) for given in named]
    for path in found:
        if not is_notebook(path) and not is_python_on_disk(root, path):
            raise InputError(Message.of("project.main-not-python", path=shown(path)))
    return tuple(dict.fromkeys(found))


def entry_script(root: Path, main_file: str | None) -> str:
    """The path within the project of the script that ``--main`` names, with ``/``.

    It may be given from the project's directory, from the current one, or as a whole.

    Raises:
        InputError: none was given, there is no such file, it lies outside the project or is no Python.
    """
    if not main_file:
        found, flag = main_file_candidates(root), option_name("main_file")
        known = Message.of("project.main-found", scripts=", ".join(map(shown, found))) if found else ""
        raise InputError(Message.of("project.main-not-given", main=flag, found=known))
    entry = _entry(root, main_file)
    if not is_python_on_disk(root, entry):
        raise InputError(Message.of("project.main-not-python", path=shown(main_file)))
    return entry


def _entry(root: Path, main_file: str) -> str:
    given = Path(main_file)
    places = [place for place in (root / given, Path.cwd() / given) if is_file(place)]
    if not places:
        raise InputError(Message.of("project.main-missing", path=shown(main_file)))
    inside = [place.resolve() for place in places if place.resolve().is_relative_to(root)]
    if not inside:
        raise InputError(Message.of("project.main-outside", path=shown(main_file), input=shown(root)))
    return inside[0].relative_to(root).as_posix()
