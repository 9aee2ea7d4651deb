"""Paths on ModelArts as a migration writes them (``--modelarts``): what becomes of one file."""

from __future__ import annotations

from ...edits.fix_edits import edits_of
from ...edits.offsets.apply import apply_edits
from ...engine.dispatch import is_chosen
from ...engine.suppressions import Suppressions
from ...model.finding import Applicability, Edit, Finding, Fix, Message, Plan, Requirement, Severity
from ...model.outcome import Done, FileChange
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from . import MANAGER
from .documentation import CODE, ModelArtsPaths
from .path_calls import path_arguments, words_of_calls


def may_have_paths(source: SourceFile, options: MigrationOptions) -> bool:
    """Whether the option concerns a file, by its words; the files of the package itself are not."""
    if not options.modelarts or f"/{options.route.paths_folder}/" in f"/{source.path}":
        return False
    return any(word in source.data for word in words_of_calls())


def modelarts_paths(source: SourceFile, options: MigrationOptions) -> FileChange | None:
    """What becomes of a file; ``None`` where no call is given a path."""
    if not may_have_paths(source, options) or not is_chosen(ModelArtsPaths(), (), options.ignore):
        return None
    title = Message.of(f"{CODE}.wrapped")
    found = [
        Finding(CODE, node.start_byte, node.end_byte, title, Severity.INFORMATION)
        for node in path_arguments(source)
    ]
    kept = Suppressions(source, with_file=options.project_settings).keep(found)
    if not kept:
        return None
    own = [edit for item in kept for edit in _wrapped(item)]
    needs = frozenset({Requirement(options.route.paths_package, name=MANAGER)})
    edits = edits_of(source, Fix(title, Applicability.SAFE, Plan(tuple(own), requires=needs)))
    brought = [Done(CODE, title, edit.start, edit.end, "INSERT") for edit in edits if edit not in own]
    done = [Done(CODE, title, item.start, item.end, "MODIFY") for item in kept]
    text = apply_edits(source.raw, edits).decode("utf-8", "surrogatepass")
    return FileChange(text, edits, (*brought, *done), ())


def _wrapped(item: Finding) -> tuple[Edit, Edit]:
    before = Edit(item.start, item.start, f"{MANAGER}().get_path(")
    return before, Edit(item.end, item.end, ")")
