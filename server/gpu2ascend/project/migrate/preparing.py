"""The first look at a project: its version, its files and programs, and what is refused."""

from __future__ import annotations

from pathlib import Path

import attrs

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.hosting import selected_together
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.project.decisions import ProjectDecisions
from gpu2ascend_rules.options.contradictions import refuse_contradictions
from gpu2ascend_rules.options.options import MigrationOptions, OptionError

from ..adapters.modelarts import refuse_foreign_paths_package
from ..choosing import FixesOfChange
from ..entries.chosen import chosen_entries
from ..entries.facts.collected import ProgramFactsBuilder
from ..entries.programs import Programs
from ..errors import InputError, reason
from ..files.excludes import Editable, Excludes
from ..files.writing.equivalents import refuse_foreign_package
from ..fixing import Transform
from ..index.foreign import refuse_foreign_project
from ..index.survey import Survey, survey_project
from ..index.view import ProjectFiles
from ..index.words.documents import documented_options
from ..options.custom_rules import with_custom_rules
from ..options.version_detect import reports_version, version_for
from ..paths import shown
from ..report.result import MigrationRequest, Phase, Progress
from ..report.tally import Tally
from .codemods import planned_codemods
from .readiness import Readiness
from .run import Run, Sinks


def prepared(request: MigrationRequest, root: Path, sinks: Sinks) -> tuple[Run, tuple[Message, ...]]:
    """Settle the version and take a first look; what the user should know comes beside."""
    options, notices = _with_version(request.options, root)
    try:
        refuse_contradictions(options)  # the version may have been found only now
    except OptionError as error:
        message = Message.of("project.setting", name=error.option, reason=error.reason)
        raise InputError(message) from error
    options = with_custom_rules(options)
    options = attrs.evolve(
        options, select=selected_together(options), unknown_apis=True, restricted_apis=True
    )  # for separate reports
    excludes = Excludes(options.exclude, options.copy)
    refuse_foreign_project(root, options, excludes)
    refuse_foreign_package(root, options)
    refuse_foreign_paths_package(root, options)
    chosen = chosen_entries(root, options.chosen_entries)
    programs = ProgramFactsBuilder()
    survey = _survey(root, excludes, sinks, options.max_file_bytes, programs)
    if survey.python_files == 0:
        raise InputError(Message.of("project.input-no-python", path=shown(request.input)))
    limit, editable = options.max_file_bytes, Editable(excludes)
    project = ProjectFiles(root, survey.facts, max_bytes=limit, editable=editable)
    decided = project.program.decided(options)
    notices += _notices_of_documents(root, decided)
    transform: Transform = apply_fixes
    if request.touched is not None:
        transform, project = FixesOfChange.of(request.touched, project, options)
    started = Programs(root, programs.result(), chosen)
    run = Run(
        root=root,
        options=options,
        excludes=excludes,
        survey=survey,
        jobs=request.jobs,
        sinks=sinks,
        codemods=planned_codemods(root, options, project),
        project=project,
        programs=started,
        tally=Tally(
            tuple(map(shown, started.on_the_way_of)),
            open_units=decided.open_units,
            left_out=tuple(map(shown, started.unread)),
        ),
        transform=transform,
        readiness=Readiness(options.require_version(), options.route.device_module),
    )
    return run, notices


def _notices_of_documents(root: Path, decided: ProjectDecisions) -> tuple[Message, ...]:
    """One notice for each option of which documents show the old value."""
    return tuple(
        Message.of(
            "project.documented-option",
            option=item.flag,
            value=item.word,
            place=shown(item.places[0]),
            count=len(item.places),
        )
        for item in documented_options(root, decided.options)
    )


def _with_version(options: MigrationOptions, root: Path) -> tuple[MigrationOptions, tuple[Message, ...]]:
    if options.version is not None:
        return options, ()
    detected = version_for(options.target, root, options.hardware)
    notices = (detected.notice,) if reports_version(options.target) else ()
    return attrs.evolve(options, version=detected.version), notices


def _survey(
    root: Path, excludes: Excludes, sinks: Sinks, max_bytes: int, programs: ProgramFactsBuilder
) -> Survey:
    def on_file(done: int, path: str) -> None:
        sinks.progress(Progress(Phase.SURVEY, done, None, shown(path)))

    try:
        return survey_project(root, excludes, on_file, sinks.cancelled, max_bytes, listener=programs)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
        ) from error
