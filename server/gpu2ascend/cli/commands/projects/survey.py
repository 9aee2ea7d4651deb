"""``gpu2ascend survey``: a look at many projects."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from .... import __version__
from ....project.errors import InputError, writing
from ....project.paths import exists, resolved, shown
from ....survey.journal import Journal
from ....survey.look import Looked, Task
from ....survey.model import Ranked, State, Survey
from ....survey.page import reasons_of, survey_page
from ....survey.projects import projects_of
from ....survey.run import BACKENDS, Place, survey
from ....texts.catalogue import Texts
from ....texts.escaping import json_text, numbered
from ....texts.plain_data import plain_data
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from ...output.progress import ProgressBar
from ...output.terminal import Terminal, table
from ...parsing.parser import CommandParser
from ...selection import flag_options, job_count
from ...session import Session

_OPTIONS = (
    "target", "version", "hardware", "unsafe_fixes", "replace_unsupported", "select", "ignore", "exclude",
    "max_file_size",
)  # fmt: skip
_ROWS = 10
_COLOURS = {
    State.FAILED: "red",
    State.BLOCKED: "red",
    State.OPEN: "yellow",
    State.READY: "green",
    State.UNTOUCHED: "dim",
}


def execute(arguments: Sequence[str], session: Session) -> int:
    """Look at projects.

    Returns:
        0 if all can move, 1 if one cannot, or could not be looked at.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: no project is named, or the cluster cannot be had.
    """
    namespace = _parser(session.texts).take(arguments)
    options = flag_options(namespace, session)
    language = session.texts.language
    place = _place(namespace)
    page = Path(namespace.html) if namespace.html else None
    projects = projects_of([Path(path) for path in namespace.paths])
    _require_outside(page, projects)
    journal = Journal(Path(namespace.resume), options, language) if namespace.resume else None
    tasks = [Task(root=root, options=options, language=language) for root in projects]
    with ProgressBar(session.err, session.texts("cli.survey.progress")) as bar:

        def on_project(done: int, looked: Looked) -> None:
            bar.update(done, len(tasks), looked.project.path)

        found = survey(tasks, place, journal, on_project)
    if page is not None:
        with writing(page):
            page.write_text(survey_page(found, session.texts), encoding="utf-8", newline="\n")
    if namespace.json:
        session.out.document(survey_json(found))
    else:
        session.out.lines(survey_lines(found, session.out, session.texts))
        if page is not None:
            session.out.line(session.texts("cli.survey.page", path=shown(page)))
    return EXIT_OK if found.moving == len(found.projects) else EXIT_FINDINGS


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser(
        "survey", "LIST|DIR ... [--html FILE] [--json] [--resume FILE] [OPTION ...]", texts
    )
    parser.add_operands("paths", "LIST|DIR", "cli.survey.paths")
    parser.add_flag("--html", metavar="FILE", help_id="cli.survey.html")
    parser.add_flag("--json", action="store_true", help_id="cli.survey.json")
    parser.add_flag("--resume", metavar="FILE", help_id="cli.survey.resume")
    parser.add_flag("--backend", metavar="|".join(BACKENDS), help_id="cli.survey.backend")
    parser.add_flag("--scheduler", metavar="ADDRESS", help_id="cli.survey.scheduler")
    parser.add_options(*_OPTIONS)
    parser.add_flag("--jobs", metavar="N", help_id="cli.survey.jobs")
    parser.add_language()
    return parser


def _place(namespace: argparse.Namespace) -> Place:
    if not namespace.paths:
        raise UsageError("cli.survey.no_paths")
    backend = namespace.backend
    if backend is not None and backend not in BACKENDS:
        choices = ", ".join(BACKENDS)
        raise UsageError("cli.error.bad_choice", flag="--backend", value=backend, choices=choices)
    if namespace.scheduler is not None and backend not in ("dask", "ray"):
        raise UsageError("survey.needs-backend")
    return Place(backend, namespace.scheduler, job_count(namespace.jobs))


def _require_outside(page: Path | None, projects: Sequence[Path]) -> None:
    """A page in a project would be part of it, and of its content that a later survey compares."""
    if page is None:
        return
    inside = any(resolved(page).is_relative_to(project) for project in projects)
    if inside or (exists(page) and not page.is_file()):
        raise InputError(Message.of("cli.analyze.output-inside", path=shown(page)))


def survey_json(survey: Survey) -> str:
    """The document of ``--json``; docs/survey.md describes it."""
    states = {state.value: survey.in_state(state) for state in State}
    document = {
        "gpu2ascend": __version__,
        "summary": {"projects": len(survey.projects), "moving": survey.moving, **states},
        "projects": [project.document() for project in survey.projects],
        "blockers": plain_data(survey.blockers()),
        "apis": plain_data(survey.apis()),
    }
    return json_text(numbered(document))


def survey_lines(survey: Survey, out: Terminal, texts: Texts) -> Iterator[str]:
    """What people read on a terminal."""
    order = list(State)
    projects = sorted(survey.projects, key=lambda item: (order.index(item.state), item.path))
    for project in projects:
        state = out.style(texts(f"survey.state-{project.state.value}"), _COLOURS[project.state])
        counts = {name: project.counts.get(name, 0) for name in ("errors", "warnings", "information")}
        said = texts("cli.survey.counts", version=project.version, **counts) if project.counts else ""
        first = reasons_of(project)[:1] if project.state in (State.FAILED, State.BLOCKED) else []
        yield f"{out.style(project.path, 'bold')}: {state}{'; ' if said else ''}{said}"
        yield from (f"    {reason}" for reason in (*filter(None, [project.chosen]), *first))
    states = {state.value: survey.in_state(state) for state in State}
    yield texts("cli.survey.headline", total=len(projects), moving=survey.moving, **states)
    yield from _ranking("blockers", survey.blockers(), texts)
    yield from _ranking("apis", survey.apis(), texts)


def _ranking(name: str, ranked: Sequence[Ranked], texts: Texts) -> Iterator[str]:
    if not ranked:
        return
    yield texts(f"cli.survey.{name}")
    rows = [
        (item.name, item.about, texts("cli.survey.ranked", projects=item.projects, places=item.places))
        for item in ranked[:_ROWS]
    ]
    yield from (f"  {line}" for line in table(rows))
    if len(ranked) > _ROWS:
        yield "  " + texts("cli.survey.more", count=len(ranked) - _ROWS)
