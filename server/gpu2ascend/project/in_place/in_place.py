"""``migrate --in-place``: a migration of the user's own work tree, as commits on a branch."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import AppliedFix

from ...texts.catalogue import Texts
from ..errors import InputError
from ..leftovers import scratch_folder
from ..manifest.marker import FOLDER_NAME, RESERVED_NAMES
from ..manifest.report_names import ORDERS
from ..migrate.migrate import migrate
from ..paths import join, listed, shown
from ..regular_files import read_regular
from ..report.result import FileOutcome, MigrationRequest, MigrationResult, Progress
from .branch import Made, Written, commit, require_free
from .causes import Edited, Step, one_step, steps, subject_of
from .git import GitFailedError, failed
from .work_tree import NAMED, WorkTree, changed_since, clean_work_tree, filtered


class InPlace(NamedTuple):
    """How a work tree is migrated."""

    branch: str | None = None
    one_commit: bool = False
    since: str | None = None
    """A commit: only what changed since the last one that it and HEAD have in common is edited."""
    hooks: bool = False


class Branch(NamedTuple):
    """What was made."""

    name: str
    commits: tuple[Made, ...]
    files: int
    left_alone: tuple[str, ...] = ()
    """Files that git ignores, which were not edited."""


class _Found(NamedTuple):
    """What a migration makes of the work tree."""

    edited: list[Edited]
    added: list[Written]
    orders: Written | None
    """The document that says what is left."""
    ignored: list[str]


def migrate_in_place(
    request: MigrationRequest,
    how: InPlace,
    progress: Callable[[Progress], None] | None = None,
    on_file: Callable[[FileOutcome], None] | None = None,
    on_notice: Callable[[Message], None] | None = None,
) -> tuple[MigrationResult, Branch]:
    """Migrate a project in a git work tree.
    Raises ProjectError: the work tree cannot be migrated; it is as it was."""
    tree = clean_work_tree(request.input)
    if how.since is not None:
        limit = request.options.max_file_bytes
        request = attrs.evolve(request, touched=changed_since(tree, request.input, how.since, limit))
    if how.branch is not None:
        require_free(tree, how.branch)
    applied: dict[str, tuple[AppliedFix, ...]] = {}

    def note(outcome: FileOutcome) -> None:
        applied[outcome.path] = outcome.applied
        if on_file is not None:
            on_file(outcome)

    with scratch_folder() as folder:
        aside = attrs.evolve(request, output=folder, keeps_base=False, place=tree.top / tree.prefix)
        result = migrate(aside, progress=progress, on_file=note, on_notice=on_notice)
        name = how.branch or f"ascend/torch-{result.version}"
        require_free(tree, name)
        found = _found(tree, result, applied)
        made = _committed(tree, name, found, how, Texts(request.language, request.options.route))
    orders = found.orders.path.removeprefix(tree.prefix) if found.orders is not None else None
    branch = Branch(name, made, len(_files(found)) if made else 0, tuple(map(shown, found.ignored)))
    return _in_place(result, tree.top / tree.prefix, orders if made else None), branch


def _committed(tree: WorkTree, name: str, found: _Found, how: InPlace, texts: Texts) -> tuple[Made, ...]:
    is_empty = not found.edited and (how.since is not None or not found.added)
    if is_empty:
        return ()
    return commit(tree, name, list(_steps(found, how, texts)), _files(found), hooks=how.hooks)


def _files(found: _Found) -> list[Written]:
    """Every file that is written."""
    orders = [found.orders] if found.orders is not None else []
    edited = [Written(item.path, item.before, item.after) for item in found.edited]
    return [*edited, *found.added, *orders]


def _steps(found: _Found, how: InPlace, texts: Texts) -> Iterator[Step]:
    added = {file.path: file.after for file in found.added}
    orders = {found.orders.path: found.orders.after} if found.orders is not None else {}
    if how.one_commit:
        step = one_step(found.edited, texts("in-place.one-commit"), texts)
        yield step._replace(files={**step.files, **added, **orders})
        return
    yield from steps(found.edited, texts)
    for subject, files in (("in-place.added", added), ("in-place.left", orders)):
        if files:
            lines = [subject_of(texts(subject), ""), "", *sorted(map(shown, files))]
            yield Step("\n".join(lines) + "\n", files)


def _found(tree: WorkTree, result: MigrationResult, applied: dict[str, tuple[AppliedFix, ...]]) -> _Found:
    output = result.output_path or Path()
    orders = next((name for name in result.reports if name.startswith(ORDERS)), None)
    found = _Found([], [], None, [])
    foreign: list[str] = []
    for name in _names(output):
        path, after = f"{tree.prefix}{name}", read_regular(join(str(output), name))
        before = _present(tree, path)
        if name == orders:
            found = found._replace(orders=_orders(tree, after, name))
        elif before == after or name in result.reports:
            continue
        elif before is None:
            mode = stat.S_IMODE(os.stat(join(str(output), name)).st_mode)  # noqa: PTH116
            found.added.append(Written(path, None, after, mode & 0o755))
        elif path.startswith(tree.in_submodules):
            foreign.append(path)
        elif path not in tree.tracked:
            found.ignored.append(path)
        else:
            found.edited.append(Edited(path, before, after, applied.get(shown(name), ())))
    _refuse("in-place.submodule", foreign)
    try:
        governed = filtered(tree.git, [file.path for file in _files(found)])
    except GitFailedError as error:
        raise failed(error) from error
    _refuse("in-place.filtered", sorted(governed))
    return found


def _orders(tree: WorkTree, after: bytes, name: str) -> Written:
    """The document; one of ours that is there already is written anew."""
    usual = f"{tree.prefix}{ORDERS}.md"
    before = _present(tree, usual) if usual in tree.tracked else None
    if before is not None and before.split(b"\n")[0] == after.split(b"\n")[0]:
        return Written(usual, before, after)
    return Written(f"{tree.prefix}{name}", None, after)


def _present(tree: WorkTree, path: str) -> bytes | None:
    try:
        return read_regular(join(str(tree.top), path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(Message.of("in-place.in-the-way", path=shown(path))) from error


def _names(output: Path) -> Iterator[str]:
    """The regular files of an output, without what is about it."""
    for folder, directories, names in os.walk(output):
        directories[:] = sorted(name for name in directories if name != FOLDER_NAME)
        relative = Path(folder).relative_to(output).as_posix()
        for name in sorted(names):
            path = name if relative == "." else f"{relative}/{name}"
            if path not in RESERVED_NAMES and not os.path.islink(join(str(output), path)):  # noqa: PTH114
                yield path


def _refuse(message: str, paths: list[str]) -> None:
    if paths:
        names = listed(list(map(shown, paths)), NAMED)
        raise InputError(Message.of(message, count=len(paths), names=names))


def _in_place(result: MigrationResult, root: Path, orders: str | None) -> MigrationResult:
    """The result as it is where it was made in its place."""
    reports = (orders,) if orders is not None else ()
    return attrs.evolve(result, output_path=root, reports=reports)
