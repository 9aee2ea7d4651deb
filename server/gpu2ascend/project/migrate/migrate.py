"""Migrate a project: read a tree, apply every safe fix, write the tree and its reports.

What a front end needs::

    request = MigrationRequest(input=Path("proj"), output=Path("out"), options=options)
    result = migrate(request, progress=show, cancelled=lambda: False, on_file=print_diff)
    result.output_path, result.summary, result.notices, result.exit_code

``ProjectError`` (``.message`` is a ``Message`` to render) means that nothing was written: exit with 2.
``KeyboardInterrupt`` may be raised at any moment; the workers are ended and nothing is left behind by the
time it reaches the caller. The same holds for whatever a front end's handler of SIGTERM raises.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

from ... import __version__
from ...texts.catalogue import Texts
from ..adapters.modelarts import mapping_instruction
from ..entries.main_files import training_script
from ..errors import CancelledError, writing
from ..files.places import input_directory, migration_places
from ..files.writing.equivalents import add_package, package_outcomes, package_paths, path_instruction
from ..handover.document import handover_of
from ..handover.earlier import NOTHING, earlier_of
from ..handover.orders import Causes
from ..handover.written import write_handover
from ..held import Held
from ..index.survey import data_notices
from ..manifest.base import BASE_NAME
from ..manifest.marker import FOLDER_NAME, ORDERS_NAME, Marker, taken_names, write_marker
from ..manifest.report_names import ORDERS, renamed_reports, report_names
from ..options.effects import require_effects
from ..options.made_for import base_options, kept_options
from ..paths import shown, way_between
from ..processes.workers import never
from ..report.added import added_outcome
from ..report.merge import Merge
from ..report.reports import Reports
from ..report.result import FileOutcome, MigrationRequest, MigrationResult, Phase, Progress, Summary
from ..update.update import Update, begun_update
from .added_files import AddedFiles, added_files, environment_for, limits_of, needs_of, write_added_files
from .detection.detecting_copy import places_of_copy, with_detecting_copy
from .merging.merged import results_of_merge
from .output import OutputTree
from .pages.page_of_run import PageOfRun
from .preparing import prepared
from .run import Result, Run, Sinks


def migrate(
    request: MigrationRequest,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    on_file: Callable[[FileOutcome], None] | None = None,
    on_notice: Callable[[Message], None] | None = None,
    may_delete: Callable[[tuple[str, ...]], bool] | None = None,
) -> MigrationResult:
    """Carry out a request.

    Args:
        progress: Called after every file.
        cancelled: Asked between files; once it is true the migration ends and leaves nothing behind.
        on_file: Called, in the order of the files' names, for each file that was changed, that has
            findings left or kernels, or that could not be examined. With ``request.write`` false its
            outcome carries the diff.
        on_notice: Called with what the user should know before anything is written; without it, that
            stands among the notices of the result.
        may_delete: Asked whether an update may remove the files with these paths.

    Raises:
        ProjectError: the request cannot be carried out, or was cancelled; nothing was written.
    """
    sinks = Sinks(
        progress=progress or (lambda _: None),
        cancelled=cancelled or never,
        on_file=on_file or (lambda _: None),
        on_notice=on_notice,
        may_delete=may_delete,
    )
    try:
        return _migrated(request, sinks) if request.write else _previewed(request, sinks)
    except OSError:
        input_directory(request.input)  # what goes away meanwhile is reported as absent
        raise


def _migrated(request: MigrationRequest, sinks: Sinks) -> MigrationResult:
    """Migrate into a directory of its own, with its reports."""
    if request.update is not None:
        begun = begun_update(request.update.target)
        run, notices = prepared(request, input_directory(request.input), sinks)
        return _written(request, run, begun.target, notices, begun)
    places = migration_places(
        request.input,
        request.output,
        force=request.force,
        discard_changes=request.discard_changes,
        distributed=request.options.distributed,
        route=request.options.route,
    )
    run, notices = prepared(request, places.root, sinks)
    if run.options.dynamic_analysis:
        places_of_copy(request.input, request.output, force=request.force)
    result = _written(request, run, places.target, notices)
    return with_detecting_copy(request, result) if run.options.dynamic_analysis else result


def _previewed(request: MigrationRequest, sinks: Sinks) -> MigrationResult:
    """Migrate and write nothing, but perhaps the page that says what would be done."""
    root = input_directory(request.input)
    run, notices = prepared(request, root, sinks)
    page = PageOfRun(run, request.language) if request.page is not None else None
    try:
        shown_by = _Shown()
        noted = run if page is None else page.run
        with closing(shown_by.noting(noted.results(None))) as results:
            summary = noted.recorded(results, None)
        require_effects(run.options, shown_by.codes)
        input_directory(root)  # what follows looks at the project once more
        notices += run.notices
        if page is not None and request.page is not None:
            page.put(request.page, summary, notices)
    finally:
        if page is not None:
            page.close()
    used = frozenset(shown_by.equivalents)
    for outcome in package_outcomes(root, used, request.language) if used else ():
        sinks.on_file(outcome)
    for outcome in _added_outcomes(run, shown_by, request.language):
        sinks.on_file(outcome)
    return MigrationResult(
        output_path=None,
        version=run.version,
        summary=summary,
        notices=notices,
        verdict=run.tally.verdict(summary),
        work=run.tally.work,
    )


def _added_outcomes(run: Run, shown_by: _Shown, language: str) -> Iterator[FileOutcome]:
    """What the migrated files need beside them: the code that they import, and the scripts that start them.

    The script that sets the environment is needed by the latter alone.
    """
    starts = run.options.distributed and run.options.route.sets_environment
    environment = environment_for(run.root, needs_of(shown_by.codes, run.options)) if starts else None
    for file in added_files(run.root, run.options, environment, language):
        if not os.path.lexists(run.root / file.name):
            yield added_outcome(file.name, None, file.text, file.mode)


def _data_notices(run: Run) -> tuple[Message, ...]:
    """Say how much data there is and what becomes of it; what nobody listens to is a notice."""
    notices = tuple(data_notices(run.survey, run.options))
    if run.sinks.on_notice is None:
        return notices
    for notice in notices:
        run.sinks.on_notice(notice)
    return ()


def _written(
    request: MigrationRequest,
    run: Run,
    target: Path,
    notices: tuple[Message, ...],
    update: Update | None = None,
) -> MigrationResult:
    """Build the output aside and put it into its place."""
    notices += _data_notices(run)
    place = request.place or target
    names = report_names(_taken(run, update), run.options.route)
    notices += tuple(
        Message.of("project.report-renamed", usual=usual, name=name)
        for usual, name in renamed_reports(names, run.options.route)
    )
    mode = run.root.stat().st_mode
    tree = OutputTree(target, mode, force=request.force, discard_changes=request.discard_changes)
    reports: Reports | None = None
    page: PageOfRun | None = None
    try:
        tree.create()
        notices += tree.notices
        tree.plan(FOLDER_NAME, ORDERS_NAME, BASE_NAME)
        page = PageOfRun(run, request.language, tree.directory)
        reports = Reports(tree.directory, names, request.language)
        _log_start(reports, run, notices)
        causes = Causes(tree.directory)
        noted = attrs.evolve(page.run, sinks=page.run.sinks.after(causes.add_outcome))
        done = _done(request, noted, tree, reports, update)
        summary, added = done.summary, done.added
        input_directory(run.root)  # what follows looks at the project once more
        script = _script(run)
        notices += _noted_at_end(run, reports, added, request.language)
        _log_end(reports, summary)
        made = page.write(tree.directory, names, summary, notices, target=place, added=added, script=script)
        page.close()  # an open file would keep Windows from renaming the directory
        texts = Texts(request.language, run.options.route)
        source = way_between(target, run.root) if request.place is None else None
        earlier = earlier_of(target) if update is not None else NOTHING
        handover = handover_of(causes, run.options, texts, source, earlier)
        orders, *beside = write_handover(tree.directory, names[ORDERS], handover, texts)
        written = (orders, *made, *reports.close())
        digest = tree.finish(*(() if request.keeps_base else added.names), *written, *beside)
        with writing(tree.directory):
            write_marker(tree.directory, _marker(run, source, written, digest))
        _finish(run, summary)
        tree.commit(update.is_as_begun if update is not None else None)
    finally:
        if reports is not None:
            reports.abandon()
        if page is not None:
            page.close()
        tree.discard()
    return MigrationResult(
        output_path=target,
        version=run.version,
        summary=summary,
        reports=written,
        notices=notices,
        environment=added.environment,
        base_size=done.base_size,
        merge=done.merge,
        script=script,
        verdict=run.tally.verdict(summary),
        work=run.tally.work,
    )


def _taken(run: Run, update: Update | None) -> Callable[[str], bool]:
    """Whether a file of the project, or of people, has a name that a report could get."""
    places = (run.root,) if update is None else (run.root, update.target)
    taken = [taken_names(place) for place in places]
    return lambda name: any(is_taken(name) for is_taken in taken)


class _Done(NamedTuple):
    """All files are in the tree, and what a migration adds."""

    summary: Summary
    added: AddedFiles
    base_size: int | None
    merge: Merge | None = None


def _done(
    request: MigrationRequest, run: Run, tree: OutputTree, reports: Reports, update: Update | None
) -> _Done:
    """Fill the tree; if an earlier output is to be updated, bring what people changed into it."""
    shown_by = _Shown()
    results = shown_by.noting(run.results(tree))
    if update is None or request.update is None:
        with closing(results):
            summary = run.recorded(results, reports)
        return _Done(summary, *_beside(request, run, tree, shown_by))
    with closing(results), closing(Held(results, tree.directory)) as held:
        beside = _beside(request, run, tree, shown_by)
        input_directory(run.root)
        merging = update.merged_into(tree.directory, request.update.deletions, run.sinks.may_delete)
        now = results_of_merge(run, held, merging, tree.directory)
        return _Done(run.recorded(now, reports), *beside, merging.merge)


def _beside(
    request: MigrationRequest, run: Run, tree: OutputTree, shown_by: _Shown
) -> tuple[AddedFiles, int | None]:
    """What the project has not, and the base, which is kept before anything is merged."""
    require_effects(run.options, shown_by.codes)  # before anything is put in its place
    added = _added(request, run, tree, shown_by)
    if not request.keeps_base:
        return added, None
    return added, tree.keep_base(base_options(run.options, tree.target), *added.names)


def _noted_at_end(run: Run, reports: Reports, added: AddedFiles, language: str) -> tuple[Message, ...]:
    """What the reports say when all files are known; gives the notices among it."""
    notices = (*run.notices, *added.notices)
    for notice in notices:
        reports.note(notice)
    for line in run.unexamined.lines(language):
        reports.note(line)
    reports.log_findings()
    return notices


def _script(run: Run) -> str | None:
    """What starts the training; None where a target cannot be run on a simulated device."""
    options = run.options
    if "smoke" not in options.route.steps:
        return None
    return training_script(run.programs, options.main_script)


def _marker(run: Run, source: str | None, reports: tuple[str, ...], digest: str) -> Marker:
    name = run.options.route.name
    # APIs with restrictions are rows of a table, and no findings of a migration.
    options = kept_options(attrs.evolve(run.options, restricted_apis=False))
    return Marker(
        __version__, reports, digest, torch=str(run.version), target=name, options=options, source=source
    )


@attrs.define
class _Shown:
    """What the files of a project show together."""

    equivalents: set[str] = attrs.field(factory=set)
    """The parts of the package of equivalents that they use now."""
    codes: set[str] = attrs.field(factory=set)
    """Of the rules that found something."""

    def noting(self, results: Generator[Result, None, None]) -> Generator[Result, None, None]:
        """The results, each of which is noted as it comes."""
        with closing(results):
            for result in results:
                if isinstance(result, FileOutcome):
                    self.equivalents.update(result.equivalents)
                    self.codes.update(item.code for item in result.applied)
                    self.codes.update(item.finding.code for item in result.remaining)
                yield result


def _added(request: MigrationRequest, run: Run, tree: OutputTree, shown_by: _Shown) -> AddedFiles:
    """Put into the output what the project has not: the paths, and what the user should know of them."""
    used = frozenset(shown_by.equivalents)
    package: tuple[str, ...] = ()
    notices: tuple[Message, ...] = ()
    if used:
        package = package_paths(used, request.language)
        tree.plan(*package)
        add_package(tree.directory, used, request.language)
        notices = (path_instruction(request.place or tree.target, used),)
    if run.options.modelarts:
        target = run.options.route
        package += (target.paths_folder,)
        notices += (mapping_instruction(request.place or tree.target, target),)
        tree.plan(target.paths_folder)
    notices += tuple(limits_of(run.options)) if shown_by.codes else ()
    wanted = run.options.route.sets_environment and (run.readiness.uses_torch or run.options.distributed)
    environment = environment_for(run.root, needs_of(shown_by.codes, run.options)) if wanted else None
    tree.plan(*(file.name for file in added_files(run.root, run.options, environment)))
    files = write_added_files(run.root, tree.directory, run.options, environment, request.language)
    return files._replace(names=(*package, *files.names), notices=(*notices, *files.notices))


def _finish(run: Run, summary: Summary) -> None:
    """The last moment at which nothing is there yet."""
    input_directory(run.root)  # of a project that vanished meanwhile, nothing more than a ruin was copied
    if run.sinks.cancelled():
        raise CancelledError
    run.sinks.progress(Progress(Phase.FINISH, summary.files, summary.files, ""))


def _log_start(reports: Reports, run: Run, notices: tuple[Message, ...]) -> None:
    reports.note(
        Message.of(
            run.options.route.text_id("project.log-start"),
            tool=__version__,
            input=shown(run.root),
            version=run.version,
            hardware=run.options.hardware.value,
            api_style=run.options.api_style.value,
        )
    )
    for notice in notices:
        reports.note(notice)


def _log_end(reports: Reports, summary: Summary) -> None:
    counts = attrs.asdict(summary)
    reports.note(Message.of("project.log-end", left=summary.left_to_you, **counts))
