"""``gpu2ascend analyze``: all that a migration would report, without writing anything."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.options import MigrationOptions

from ....project.errors import OutputError
from ....project.examination import Examination
from ....project.files.silenced import SilencedByProject
from ....project.index.kernels import KernelFile, kernels_below
from ....project.index.resolve_members import unasked_notice
from ....project.inspect.check import check_paths
from ....project.inspect.modes import Collector
from ....project.inspect.tables import SUFFIX, AnalysisTables
from ....project.kernels.model import SizedKernel
from ....project.kernels.sized import sized_kernels
from ....project.migrate.detection.detecting_copy import write_detecting_copy
from ....project.migrate.migrate import migrate
from ....project.paths import is_directory, resolved, shown
from ....project.report.result import MigrationRequest, PageRequest
from ....texts.catalogue import Texts
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from ...output.progress import ProgressBar
from ...pages.analysis_report import AnalysisReport, analysis_json, analysis_lines, analysis_of
from ...pages.third_party_report import package_texts
from ...parsing.parser import ONLY_MIGRATE, CommandParser
from ...selection import job_count, require_effects_of_flags, with_version
from ...session import Session
from .check import report_left_out, report_problems, shown_on


def execute(arguments: Sequence[str], session: Session) -> int:
    """Analyze a project, or a file as a part of its project.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: the path cannot be examined, or the version is not known.
    """
    namespace = _parser(session.texts).take(arguments)
    if namespace.dynamic_analysis:
        namespace.modes = [*(namespace.modes or ()), AnalysisMode.DYNAMIC_SHAPE.value]
    jobs = job_count(namespace.jobs)
    path = _path([*namespace.paths, *([namespace.input] if namespace.input else [])])
    options = attrs.evolve(with_version(namespace, path, session), unknown_apis=True)
    target = _target(namespace, path)
    wanted = attrs.evolve(options, restricted_apis=True)  # counted, and listed when asked for
    left_out: list[str] = []
    silenced = SilencedByProject(wanted)
    found = check_paths(
        [path], wanted, proves=True, jobs=jobs, on_left_out=left_out.append, silenced=silenced
    )
    collector = Collector(path, options)
    tables = AnalysisTables(options.analysis_modes, session.texts.language, collector.relative)
    with closing(found), ProgressBar(session.err, session.texts("cli.analyze.progress")) as bar:
        codes: set[str] = set()
        seen = _into(tables, _entered(codes, collector.watch(shown_on(bar, found))))
        analysis = analysis_of(seen, _kernels(path, options), options, session.texts)
    if is_directory(resolved(path)):
        require_effects_of_flags(namespace, options, codes)
    analysis = analysis.with_third_party(collector.third_party(jobs))
    analysis = analysis._replace(sized=_sized(path, options)).with_silenced(silenced, session.texts)
    if target is not None:
        _write_tables(tables, analysis, target, namespace.force, session)
    copied = _detecting_copy(namespace, path, options, session)
    if namespace.html:
        _write_page(path, Path(namespace.html), options, analysis, jobs, session)
    notice = unasked_notice(item.member for item in analysis.unresolved)
    if notice is not None:
        session.warn(session.texts.of(notice))
    report_left_out(left_out, session)
    report_problems(analysis.problems, session)
    code = _exit_code(analysis)
    if namespace.json:
        session.out.document(analysis_json(analysis, path, options, code, session.texts, namespace.html))
        return code
    session.out.lines(analysis_lines(analysis, options, session.texts, session.out))
    session.out.lines(analysis.silenced)
    session.out.lines(copied)
    if namespace.html:
        session.out.line(session.texts("cli.analyze.page", path=shown(namespace.html)))
    if target is not None:
        session.out.line(session.texts("cli.analyze.tables", path=shown(target)))
    return code


def _kernels(path: Path, options: MigrationOptions) -> tuple[KernelFile, ...]:
    if AnalysisMode.TORCH_APIS not in options.analysis_modes or not is_directory(resolved(path)):
        return ()
    return kernels_below(path, options.exclude, options.max_file_bytes)


def _sized(path: Path, options: MigrationOptions) -> tuple[SizedKernel, ...]:
    if AnalysisMode.TORCH_APIS not in options.analysis_modes or not is_directory(resolved(path)):
        return ()
    return sized_kernels(path, options.exclude, options.max_file_bytes)


def _entered(codes: set[str], files: Iterable[Examination]) -> Iterator[Examination]:
    """The same files, with the codes of what is found in each."""
    for file in files:
        codes.update(finding.code for finding in file.findings)
        yield file


def _into(tables: AnalysisTables, files: Iterable[Examination]) -> Iterator[Examination]:
    """The same files, each entered into the tables."""
    for file in files:
        tables.add(file)
        yield file


def _target(namespace: argparse.Namespace, path: Path) -> Path | None:
    """The directory for the tables: outside the project, so that no later analysis finds it in there."""
    if not namespace.output:
        return None
    given = resolved(path)
    directory = resolved(Path(namespace.output)) / f"{given.name}{SUFFIX}"
    if directory.is_relative_to(given):
        raise UsageError("cli.analyze.output-inside", path=shown(namespace.output))
    if directory.exists() and not namespace.force:
        raise OutputError(Message.of("project.analysis-exists", path=shown(directory)))
    return directory


def _write_tables(
    tables: AnalysisTables, analysis: AnalysisReport, target: Path, force: bool, session: Session
) -> None:
    for kernels in analysis.kernels:
        tables.add_kernels(kernels.path, kernels.names)
    tables.add_sizes(analysis.sized, lambda way: session.texts(f"kernel.way.{way}"))
    tables.add_third_party(analysis.third_party, lambda use: package_texts(use, session.texts))
    tables.write(target, force=force)


def _detecting_copy(
    namespace: argparse.Namespace, path: Path, options: MigrationOptions, session: Session
) -> list[str]:
    """Write the copy that finds changing shapes when it runs, if it is asked for; gives what to say of it."""
    if AnalysisMode.DYNAMIC_SHAPE not in options.analysis_modes or not namespace.output:
        return []
    texts = session.texts
    if not is_directory(resolved(path)):
        raise UsageError("cli.analyze.copy-of-project", path=shown(path))
    output, language = Path(namespace.output), texts.language
    done = write_detecting_copy(path, output, options, force=namespace.force, language=language)
    for message in done.instructions():
        session.warn(texts.of(message))
    watched = [texts("cli.analyze.watched", place=f"{shown(name)}:{line}") for name, line in done.loops]
    return [*watched, texts("cli.analyze.copied", path=shown(done.path))]


def _write_page(
    path: Path, target: Path, options: MigrationOptions, analysis: AnalysisReport, jobs: int, session: Session
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
        page=PageRequest(target, analysis.summary, analysis.work),
        language=session.texts.language,
    )
    with ProgressBar(session.err, session.texts("cli.analyze.page-progress")) as bar:
        migrate(request, progress=lambda done: bar.update(done.done, done.total, done.path))


def _exit_code(analysis: AnalysisReport) -> int:
    found = analysis.third_party
    left = (
        analysis.problems,
        analysis.diagnostics,
        analysis.kernels,
        analysis.sized,
        found.affected,
        analysis.summary["silenced"],
    )
    is_clean = not any(left) and not any(use.fails for use in found.packages)
    return EXIT_OK if is_clean else EXIT_FINDINGS


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("analyze", "[PATH] [-v VERSION] [OPTION ...]", texts)
    parser.add_operands("paths", "PATH", "cli.analyze.path")
    parser.add_options(without=ONLY_MIGRATE)
    parser.add_flag("-i", "--input", metavar="PATH", help_id="cli.analyze.input")
    parser.add_flag("-o", "--output", metavar="DIR", help_id="cli.analyze.output")
    parser.add_flag("--force", action="store_true", help_id="cli.analyze.force")
    parser.add_flag("--html", metavar="FILE", help_id="cli.analyze.html")
    parser.add_flag("--json", action="store_true", help_id="cli.analyze.json")
    parser.add_flag("--jobs", metavar="N", help_id="cli.help.jobs")
    parser.add_language()
    return parser


def _path(paths: Sequence[str]) -> Path:
    if len(paths) > 1:
        raise UsageError("cli.error.unexpected", argument=paths[1], command="gpu2ascend analyze")
    return Path(paths[0] if paths else ".")
