"""``gpu2ascend analyze``: all that a migration would report, without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import attrs

from gpu2ascend_rules.options.options import MigrationOptions

from ...project.index.kernels import kernels_below
from ...project.inspect.check import check_paths
from ...project.migrate.migrate import migrate
from ...project.paths import is_directory, resolved, shown
from ...project.report.result import MigrationRequest, PageRequest
from ...texts.catalogue import Texts
from ..output.errors import EXIT_ERROR, EXIT_FINDINGS, EXIT_OK, UsageError
from ..output.progress import ProgressBar
from ..pages.analysis_report import AnalysisReport, analysis_json, analysis_lines, analysis_of
from ..parser import ONLY_MIGRATE, CommandParser
from ..selection import job_count
from ..session import Session
from .check import shown_on, tell_left_out, with_version


def execute(arguments: Sequence[str], session: Session) -> int:
    """Analyze a project, or a file as a part of its project.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: the path cannot be examined, or the version is not known.
    """
    namespace = _parser(session.texts).read(arguments)
    jobs = job_count(namespace.jobs)
    path = _path(namespace.paths)
    options = attrs.evolve(with_version(namespace, path, session), unknown_apis=True)
    wanted = attrs.evolve(options, restricted_apis=True)  # counted, and listed when asked for
    left_out: list[str] = []
    found = check_paths([path], wanted, proves=True, jobs=jobs, on_left_out=left_out.append)
    with closing(found), ProgressBar(session.err, session.texts("cli.analyze.progress")) as bar:
        limit = options.max_file_bytes
        kernels = kernels_below(path, options.exclude, limit) if is_directory(resolved(path)) else ()
        analysis = analysis_of(shown_on(bar, found), kernels, options, session.texts)
    if namespace.html:
        _write_page(path, Path(namespace.html), options, analysis, jobs, session)
    tell_left_out(left_out, session)
    for problem in analysis.problems:
        session.fail(f"{shown(problem.path)}: {problem.reason}")
    code = _exit_code(analysis)
    if namespace.json:
        session.out.document(analysis_json(analysis, path, options, code, namespace.html))
        return code
    session.out.lines(analysis_lines(analysis, options, session.texts, session.out))
    if namespace.html:
        session.out.line(session.texts("cli.analyze.page", path=shown(namespace.html)))
    return code


def _write_page(
    path: Path,
    target: Path,
    options: MigrationOptions,
    analysis: AnalysisReport,
    jobs: int,
    session: Session,
) -> None:
    """Write the page that a migration would leave, with the counts of the analysis."""
    if not is_directory(resolved(path)):
        raise UsageError("cli.analyze.page-of-file", path=shown(path))
    request = MigrationRequest(
        input=path,
        output=Path(),
        options=options,
        jobs=jobs,
        write=False,
        page=PageRequest(target, analysis.summary),
        language=session.texts.language,
    )
    with ProgressBar(session.err, session.texts("cli.analyze.page-progress")) as bar:
        migrate(request, progress=lambda done: bar.update(done.done, done.total, done.path))


def _exit_code(analysis: AnalysisReport) -> int:
    if analysis.problems:
        return EXIT_ERROR
    return EXIT_FINDINGS if analysis.diagnostics or analysis.kernels else EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("analyze", "[PATH] [-v VERSION] [OPTION ...]", texts)
    parser.add_operands("paths", "PATH", "cli.analyze.path")
    parser.add_options(without=ONLY_MIGRATE)
    parser.add_flag("--html", metavar="FILE", help_id="cli.analyze.html")
    parser.add_flag("--json", action="store_true", help_id="cli.analyze.json")
    parser.add_flag("--jobs", metavar="N", help_id="cli.help.jobs")
    parser.add_language()
    return parser


def _path(paths: Sequence[str]) -> Path:
    if len(paths) > 1:
        raise UsageError("cli.error.unexpected", argument=paths[1], command="gpu2ascend analyze")
    return Path(paths[0] if paths else ".")
