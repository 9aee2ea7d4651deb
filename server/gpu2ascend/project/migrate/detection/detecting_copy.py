"""A copy of a project with the detector of dynamic shapes: whole or not at all, also in another process."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.hosting import DETECTING_PACKAGE as PACKAGE
from gpu2ascend_rules.hosting import watched
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.targets.target import Target
from gpu2ascend_rules.text.source_file import SourceFile

from .... import __version__
from ....texts.shell import shell_word
from ...adapters.dynamic_shapes import detector_files
from ...errors import InputError, writing
from ...files.content.encoding import NotTextError, decode, encode
from ...files.content.notebooks import is_notebook
from ...files.content.syntax import syntax_problem
from ...files.discover import NEVER_WRITTEN, Entry, EntryKind, walk
from ...files.excludes import Excludes
from ...files.links import is_copied
from ...files.places import MigrationDirectories, input_directory, migration_places
from ...files.writing.copying import UnreadableError, copy_file, copy_link, read_file, write_file
from ...files.writing.replacing import put_file
from ...kernels.model import SizedKernel
from ...kernels.sized import sized_kernels
from ...manifest.marker import Marker, write_marker
from ...paths import exists, join
from ...processes.cancellable import FolderWork, Reporter
from ...report.result import MigrationRequest, MigrationResult, WrittenFile
from ..output import OutputTree

_PLACE = Target(name="dynamic_shape", codes=(), suffix="_dynamic_shape")
"""How the copy is called; nothing is migrated to it."""


class DetectingCopy(NamedTuple):
    """What was written."""

    path: Path
    loops: tuple[tuple[str, int], ...]
    """The loops that are watched: path within the project, and line in the source."""

    def instructions(self) -> tuple[Message, ...]:
        """What to do with it."""
        start = Message.of("analysis.detect-run", path=shell_word(self.path), package=PACKAGE)
        if self.loops:
            return (start,)
        return (Message.of("analysis.detect-no-loop", package=PACKAGE), start)


def places_of_copy(source: Path, output: Path, *, force: bool) -> MigrationDirectories:
    """Where the copy is made of and where it is written.

    Raises:
        InputError: the project cannot be read, or has a package of the detector's name.
        OutputError: something of the copy's name is there and may not be replaced.
    """
    places = migration_places(source, output, force=force, route=_PLACE)
    if exists(places.root / PACKAGE) or exists(places.root / f"{PACKAGE}.py"):
        raise InputError(Message.of("analysis.detect-taken", package=PACKAGE))
    return places


def write_detecting_copy(
    source: Path, output: Path, options: MigrationOptions, *, force: bool, language: str
) -> DetectingCopy:
    """Copy a project into ``<name>_dynamic_shape`` below ``output``, and put the detector into it.

    Raises:
        InputError: the project cannot be read, or has a package of the detector's name.
        OutputError: something of that name is there and may not be replaced, or it cannot be written.
    """
    places = places_of_copy(source, output, force=force)
    mode = places.root.stat().st_mode
    tree = OutputTree(places.target, mode, force=force)
    try:
        tree.create()
        loops: list[tuple[str, int]] = []
        for entry in walk(places.root, Excludes(options.exclude, options.copy)):
            if entry.kind not in NEVER_WRITTEN:
                tree.plan(entry.path)
                loops += ((entry.path, line) for line in _put(entry, places.root, tree, options))
        names = _add_package(tree, language, options.route)
        digest = tree.finish(*names)
        with writing(tree.directory):
            write_marker(tree.directory, Marker(__version__, (), digest))
        tree.commit()
    finally:
        tree.discard()
    return DetectingCopy(places.target, tuple(loops))


def with_detecting_copy(request: MigrationRequest, result: MigrationResult) -> MigrationResult:
    """Write the copy beside what was migrated; its instructions are among the others.
    Raises OutputError: it cannot be written."""
    copy = write_detecting_copy(
        request.input, request.output, request.options, force=request.force, language=request.language
    )
    return attrs.evolve(result, notices=(*result.notices, *copy.instructions()))


def _put(entry: Entry, root: Path, tree: OutputTree, options: MigrationOptions) -> tuple[int, ...]:
    """Copy one entry; gives the lines of the loops that are watched in it."""
    source, target = join(str(root), entry.path), join(str(tree.directory), entry.path)
    if entry.kind is EntryKind.DIRECTORY:
        tree.add_directory(entry.path, entry.mode)
        return ()
    if entry.kind is EntryKind.LINK:
        excludes = Excludes(options.exclude, options.copy)
        copy_link(str(root), entry.path, target, partial(is_copied, root, excludes=excludes))
        tree.record_link(entry.path)
        return ()
    try:
        if entry.kind is EntryKind.PYTHON and not is_notebook(entry.path):
            done = _watched(entry.path, source, target, options)
            if done is not None:
                digest, lines = done
                tree.record_file(WrittenFile(entry.path, digest))
                return lines
        tree.record_file(WrittenFile(entry.path, copy_file(source, target)))
    except UnreadableError:
        return ()  # it runs without it, or says so itself
    return ()


def _watched(
    path: str, source: str, target: str, options: MigrationOptions
) -> tuple[str, tuple[int, ...]] | None:
    """Write a file with the detector; None where nothing of it is to be watched."""
    content = read_file(source, options.max_file_bytes)
    try:
        text = decode(content.data)
        file = SourceFile(text.text, path)
        with time_limit():
            done = watched(file)
        if done is None or syntax_problem(file) is not None:
            return None
        if syntax_problem(SourceFile(done.text, path)) is not None:
            return None
        data = encode(done.text, text, content.data)
    except (NotTextError, TimeLimitError):
        return None
    return write_file(target, data, content.stamp, new=True), done.lines


def _add_package(tree: OutputTree, language: str, target: Target) -> tuple[str, ...]:
    made = detector_files(language, target=target)
    names = (PACKAGE, *made)
    tree.plan(*names)
    with writing(tree.directory):
        (tree.directory / PACKAGE).mkdir()
        for name, text in made.items():
            put_file(tree.directory / name, text.encode("utf-8"))
    return names


class Additions(NamedTuple):
    """What was found and written."""

    kernels: tuple[SizedKernel, ...] = ()
    copy: DetectingCopy | None = None


@attrs.frozen(kw_only=True)
class AdditionsWork(FolderWork):
    """The work; nothing of it is reported."""

    output: Path | None = None
    """The directory for the copy; without one there is none."""
    force: bool = False
    language: str = "en"

    def __call__(self, reporter: Reporter) -> Additions:
        options, modes = self.options, self.options.analysis_modes
        root = input_directory(self.root)
        sizes = AnalysisMode.TORCH_APIS in modes
        kernels = sized_kernels(root, options.exclude, options.max_file_bytes) if sizes else ()
        if self.output is None or AnalysisMode.DYNAMIC_SHAPE not in modes:
            return Additions(kernels)
        force, language = self.force, self.language
        copy = write_detecting_copy(self.root, self.output, options, force=force, language=language)
        return Additions(kernels, copy)
