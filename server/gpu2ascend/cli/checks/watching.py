"""``check --watch``: the check again whenever a file changes, until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from gpu2ascend_rules.options.options import MigrationOptions

from ...project.errors import ProjectError
from ...project.files.discover import walk
from ...project.files.excludes import Excludes
from ...project.paths import is_directory, join
from ..output.errors import UsageError
from ..session import Session

_SECONDS = 1.0
_SHARE = 10
"""A look at the files may take this part of the time: of a large tree the looks are less frequent."""
_CLEAR = "\x1b[2J\x1b[H"

Stamp = tuple[int, int]
"""The time of the last change in nanoseconds, and the size."""


def watch(
    paths: Iterable[str], options: MigrationOptions, check: Callable[[], object], session: Session
) -> NoReturn:
    """Check, and check again after each change below the paths.

    What makes a later check impossible, such as half-written settings, is said, and the next change awaited.

    Raises:
        UsageError: the first check is impossible, as it was asked for.
        ProjectError: it is, for the project.
        KeyboardInterrupt: the user ended it.
    """
    places = [Path(path) for path in paths]
    excludes = Excludes(options.exclude, options.copy)
    is_first = True
    while True:
        before = _stamps(places, excludes)
        if session.out.is_terminal:
            session.out.stream.write(_CLEAR)
        try:
            check()
        except (UsageError, ProjectError) as error:
            if is_first:
                raise
            session.fail(session.texts.of(error.message))
        is_first = False
        session.err.line(session.texts("cli.check.watching"), "dim")
        _wait(lambda: _stamps(places, excludes), before)


def _wait(look: Callable[[], Mapping[str, Stamp]], before: Mapping[str, Stamp]) -> None:
    """Wait until a look at the files differs from the one before."""
    took = 0.0
    while True:
        time.sleep(max(_SECONDS, _SHARE * took))
        start = time.monotonic()
        if look() != before:
            return
        took = time.monotonic() - start


def _stamps(places: Iterable[Path], excludes: Excludes) -> dict[str, Stamp]:
    """Each file that is there, with what changes when it is written."""
    found: dict[str, Stamp] = {}
    for path in _files(places, excludes):
        with suppress(OSError):  # it went meanwhile, which is a change as well
            status = Path(path).stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _files(places: Iterable[Path], excludes: Excludes) -> Iterator[str]:
    for place in places:
        if not is_directory(place):
            yield str(place)
            continue
        with suppress(OSError):
            yield from (join(str(place), entry.path) for entry in walk(place, excludes))
