"""The output appears whole or not at all: built in a private directory beside its place, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..errors import OutputError, writing
from ..files.places import DISCARD_CHANGES, refuse_existing
from ..files.writing.copying import make_directory
from ..files.writing.exchange import exchanged
from ..leftovers import remove_tree
from ..manifest.base import BASE_NAME, write_base
from ..manifest.ledger import Ledger, fingerprint_of
from ..manifest.marker import aside_prefix, read_marker
from ..paths import exists, join, shown
from ..processes.interrupts import interrupts_deferred
from ..report.result import WrittenFile
from .staging import Staging, left_behind, new_staging, remove_abandoned

_FILLABLE = 0o700


class OutputTree:
    """A directory that is being built. Nothing is at its final place before :meth:`commit`.

    Used with ``try`` and ``finally`` rather than ``with``: an interrupt just after ``__enter__`` would
    leave its work behind.
    """

    def __init__(self, target: Path, mode: int, *, force: bool, discard_changes: bool = False) -> None:
        self.target = target
        self._mode = mode
        self._force = force
        self._discard_changes = discard_changes
        self._ledger: Ledger | None = None
        self._made_parents: list[Path] = []
        self._staging: Staging | None = None
        self._closed_directories: list[tuple[str, int]] = []
        self._ended = False

    @property
    def notices(self) -> tuple[Message, ...]:
        """What the user should know of earlier runs that were killed, once the tree is created."""
        left = [path for path in left_behind(self.target) if path != self.directory]
        arguments = {"path": shown(self.target), "names": ", ".join(map(shown, left))}
        if left:
            return (Message.of("project.left-behind", **arguments),)
        return (Message.of("project.ended-before", path=shown(self.target)),) if self._ended else ()

    @property
    def directory(self) -> Path:
        """Where to write as long as it is being built. Exists from :meth:`create` on."""
        if self._staging is None:
            raise RuntimeError("the output is not being built")
        return self._staging.path

    def create(self) -> None:
        """Make the directory to build in. From here on :meth:`discard` must follow, in a ``finally``.
        Raises OutputError: the output's directory cannot be made or written to."""
        parent = self.target.parent
        with interrupts_deferred(), writing(parent):
            # Of a path that is too long a thousand directories could be made before the one that cannot be.
            with suppress(FileNotFoundError):
                self.target.lstat()
            for missing in reversed([place for place in (parent, *parent.parents) if not exists(place)]):
                missing.mkdir()
                self._made_parents.append(missing)
            self._ended = remove_abandoned(self.target)
            self._staging = new_staging(self.target)
            self._ledger = Ledger(self._staging.path)

    def discard(self) -> None:
        """Leave nothing behind, unless the tree was committed."""
        with interrupts_deferred():
            if self._ledger is not None:
                self._ledger.close()
            if self._staging is not None:
                remove_tree(self._staging.path)
                self._done()
            for made in reversed(self._made_parents):
                with suppress(OSError):
                    made.rmdir()
            self._made_parents.clear()

    def add_directory(self, relative: str, mode: int) -> None:
        """Make a directory of the tree; one that its owner may not fill is closed at the end.
        Raises OutputError: it cannot be made."""
        path = join(str(self.directory), relative)
        make_directory(path, mode)
        with writing(path):
            self._record.directory(relative)
        if mode & _FILLABLE != _FILLABLE:
            self._closed_directories.append((relative, mode & 0o777))

    def plan(self, *paths: str) -> None:
        """Say what is going to be written, by paths relative to the tree with ``/``.
        Raises OutputError: the plan cannot be written."""
        with writing(self.directory):
            self._record.plan(*paths)

    def record_file(self, written: WrittenFile) -> None:
        """A file of the tree was written. Raises OutputError: the list cannot be written."""
        with writing(self.directory):
            self._record.file(*written)

    def record_link(self, relative: str) -> None:
        """A link of the tree was made. Raises OutputError: the list cannot be written."""
        with writing(self.directory):
            self._record.link(relative)

    def keep_base(self, options: Mapping[str, object], *paths: str) -> int:
        """Keep what was written so far, at last what has these paths, for later updates; gives the size.
        Raises OutputError: it cannot be written."""
        with writing(self.directory):
            self._record.present(*paths)
            size = write_base(self.directory, self._record.entries(), options)
            self._record.present(BASE_NAME)
            return size

    def finish(self, *paths: str) -> str:
        """Everything is written, at last what has these paths; gives the digest of the list.
        Raises OutputError: the list cannot be written."""
        with writing(self.directory):
            self._record.present(*paths)
            return self._record.finish()

    @property
    def _record(self) -> Ledger:
        if self._ledger is None:
            raise RuntimeError("the output is not being built")
        return self._ledger

    def commit(self, is_as_merged: Callable[[Path], bool] | None = None) -> None:
        """Put the finished tree into its place; an earlier one goes once the new one is there.

        Args:
            is_as_merged: Whether a directory is the earlier output that the tree was merged with. Without it,
                an earlier one is replaced only as far as that loses nothing.

        Raises:
            OutputError: something has come into its place meanwhile, what is there is not as the earlier
                migration left it, or the system refuses.
        """
        staging = self.directory
        options = {"force": self._force, "discard_changes": self._discard_changes}
        if is_as_merged is None:
            checked = refuse_existing(self.target, **options)  # which may take long, and can be interrupted
            is_as_merged = partial(self._is_replaceable, checked)
        with interrupts_deferred(), writing(self.target):
            for relative, mode in reversed(self._closed_directories):
                with suppress(FileNotFoundError):  # an update may have removed it
                    Path(join(str(staging), relative)).chmod(mode)
            staging.chmod(self._mode & 0o777 | _FILLABLE)
            if os.path.lexists(self.target):
                self._replace(staging, is_as_merged)
            else:
                staging.rename(self.target)
            self._done()
            self._made_parents.clear()

    def _is_replaceable(self, checked: bytes | None, old: Path) -> bool:
        if self._discard_changes:
            return read_marker(old) is not None
        return fingerprint_of(old) == checked

    def _done(self) -> None:
        if self._staging is not None:
            self._staging.release()
            self._staging = None

    def _replace(self, staging: Path, is_replaceable: Callable[[Path], bool]) -> None:
        """Swap, in one step where the system can, since a rename takes the place of no directory with files.

        What was found to be ours alone is looked at once more where it can no longer be reached by its path:
        another program may have written there in between.
        """
        if exchanged(staging, self.target):
            if not is_replaceable(staging):
                exchanged(staging, self.target)
                raise self._touched()
            remove_tree(staging)
            return
        aside = Path(tempfile.mkdtemp(prefix=aside_prefix(self.target.name), dir=self.target.parent))
        old = aside / self.target.name
        try:
            self.target.rename(old)
            try:
                if not is_replaceable(old):
                    raise self._touched()
                staging.rename(self.target)
            except (OSError, OutputError):
                old.rename(self.target)
                raise
        except (OSError, OutputError):
            # Only if it is empty: if even the way back failed, the earlier output is still in there.
            with suppress(OSError):
                aside.rmdir()
            raise
        remove_tree(aside)

    def _touched(self) -> OutputError:
        path, option = shown(self.target), DISCARD_CHANGES.name
        return OutputError(Message.of("project.output-touched", path=path, discard=option))
