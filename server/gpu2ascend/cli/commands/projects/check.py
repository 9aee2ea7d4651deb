"""``gpu2ascend check``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from itertools import count
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.restricted_uses import split_advice

from ....project.examination import Examination
from ....project.files.silenced import SilencedByProject
from ....project.files.writing.replacing import READ_ONLY_FLAG
from ....project.inspect.check import check_paths
from ....project.options.custom_rules import unmatched_notice
from ....project.paths import is_directory, listed, shown
from ....project.report.reports import in_cell
from ....texts.catalogue import Texts
from ...checks.transforms import transform_of
from ...formats import OUTPUT_FORMATS, write_report
from ...formats.report import CheckReport, FileProblem, MadeFix, Trouble
from ...output.diagnostics import Diagnostic, diagnose
from ...output.errors import EXIT_ERROR, EXIT_FINDINGS, EXIT_OK, UsageError
from ...output.progress import ProgressBar
from ...parsing.parser import ONLY_ANALYZE, ONLY_MIGRATE, CommandParser
from ...selection import (
    awaits_effects,
    job_count,
    output_format_of,
    require_effects_of_flags,
    typed_options,
    with_version,
)
from ...session import Session
from ...standard_input import STDIN, check_standard_input

_NAMED = 20
"""Paths that a warning lists."""


def execute(arguments: Sequence[str], session: Session) -> int:
    """Check files, and fix them if asked to.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: a path cannot be checked, or the version is not known.
    """
    namespace = _parser(session.texts).take(arguments)
    output_format = output_format_of(namespace.output_format, OUTPUT_FORMATS)
    jobs = job_count(namespace.jobs)
    paths = namespace.paths or ["."]
    _refuse_impossible(namespace, paths, output_format)
    transform_of(namespace, paths)  # refused before anything is read
    if namespace.watch:
        once = [word for word in arguments if word != "--watch"]
        options = with_version(namespace, Path(paths[0]), session)
        from ...checks.watching import watch

        watch(paths, options, lambda: execute(once, session), session)
    if namespace.diff:
        return _show_fixes(paths, namespace, jobs, session)
    if namespace.add_ignore:
        return _add_comments(paths, namespace, jobs, session)
    if _reads_standard_input(namespace, paths):
        checked = _standard_input(namespace, session)
    else:
        checked = _at_paths(paths, namespace, jobs, session)
    checked = _of_change(checked, namespace.since, paths, session)
    is_unmatched = _report_unmatched(checked.options, checked.report, session)
    _tell(checked, namespace, arguments, output_format, session)
    if is_unmatched and checked.options.require_rule_matches:
        return EXIT_ERROR
    is_found = bool(checked.report.diagnostics) and not namespace.exit_zero
    is_left = is_found or checked.report.has(Trouble.KEPT, Trouble.FAILED) or checked.hides_files
    return EXIT_FINDINGS if is_left else EXIT_OK


def _tell(
    checked: _Checked,
    namespace: argparse.Namespace,
    arguments: Sequence[str],
    output_format: str,
    session: Session,
) -> None:
    """Write what a check came to; the report of a fixed standard input goes beside the text."""
    report, texts = checked.report, session.texts
    out = session.err if namespace.fix and checked.is_standard_input else session.out
    report_problems(report.problems, session)
    for traceback in report.tracebacks:
        session.trace(traceback)
    if output_format == "json":
        report_silenced(report.silenced, session)
    if namespace.statistics:
        from ...formats.statistics import write_statistics

        write_statistics(report, out, texts, as_json=output_format == "json")
        return
    write_report(report, output_format, out, texts)
    if checked.directory is not None and output_format == OUTPUT_FORMATS[0] and out.is_terminal:
        from ...pages.check_verdict import TypedCheck, check_verdict_lines

        typed = TypedCheck(checked.directory, arguments, typed_options(namespace))
        out.lines(check_verdict_lines(report, typed, out, texts))


def _of_change(checked: _Checked, ref: str | None, paths: Sequence[str], session: Session) -> _Checked:
    """What a check has of the change since a commit, if one was named; how much else there is, is said."""
    if ref is None:
        return checked
    from ...since import of_change

    done = of_change(checked.report, ref, paths, checked.options.max_file_bytes)
    if done.findings or done.files:
        given = {"findings": done.findings, "files": done.files, "ref": shown(ref)}
        session.warn(session.texts("cli.check.not-of-change", **given))
    return checked._replace(report=done.report, directory=None)


def _show_fixes(paths: Sequence[str], namespace: argparse.Namespace, jobs: int, session: Session) -> int:
    """Show what ``--fix`` would change; 1 where it would change something.
    Raises ProjectError: a path cannot be checked, or the version is not known."""
    from ....project.report.diff import file_diff
    from ...output.diffs import show_diff

    options = with_version(namespace, Path(paths[0]), session)
    look = _Look(namespace, options, jobs, session)
    changed, problems, left_out = 0, list[FileProblem](), list[str]()
    with closing(look.files(paths, left_out, SilencedByProject(options), fix=True)) as found:
        for file in found:
            problems += _problems(file, session.texts)
            if file.before is not None and file.text is not None:
                changed += 1
                show_diff(file_diff(shown(file.path).lstrip("/"), file.before, file.text), None, session.out)
    report_left_out(left_out, session)
    report_problems(problems, session)
    is_found = changed and not namespace.exit_zero
    return EXIT_FINDINGS if is_found or problems else EXIT_OK


def _add_comments(paths: Sequence[str], namespace: argparse.Namespace, jobs: int, session: Session) -> int:
    """Silence each finding by a comment; 1 where one remains.
    Raises ProjectError: a path cannot be checked, or the version is not known."""
    from ...checks.ignoring import report_comments

    options = with_version(namespace, Path(paths[0]), session)
    look = _Look(namespace, options, jobs, session)
    left_out = list[str]()
    with closing(look.files(paths, left_out, SilencedByProject(options), fix=True)) as found:
        code = report_comments(found, session)
    report_left_out(left_out, session)
    return code


class _Checked(NamedTuple):
    """What a check came to."""

    options: MigrationOptions
    report: CheckReport
    hides_files: bool
    """Whether the project keeps files from being examined."""
    directory: str | None = None
    """The first of the paths that is a directory."""
    is_standard_input: bool = False


def _checked(
    report: CheckReport,
    silenced: SilencedByProject,
    options: MigrationOptions,
    texts: Texts,
    directory: str | None = None,
) -> _Checked:
    report = report._replace(silenced=tuple(map(texts.of, silenced.messages())))
    return _Checked(options, report, bool(silenced.sources), directory)


def _standard_input(namespace: argparse.Namespace, session: Session) -> _Checked:
    name = namespace.stdin_filename
    options = with_version(namespace, Path(name) if name else Path(), session, is_there=False)
    found = check_standard_input(name, options, fix=namespace.fix)
    silenced = SilencedByProject(options)
    silenced.add_file(shown(found.path), found.silenced)
    if found.equivalents:
        session.warn(session.texts("cli.equivalents-missing"))
    report = _report([found], options, session.texts)
    return _checked(report, silenced, options, session.texts)._replace(is_standard_input=True)


def _at_paths(paths: Sequence[str], namespace: argparse.Namespace, jobs: int, session: Session) -> _Checked:
    options = with_version(namespace, Path(paths[0]), session)
    directory = next((path for path in paths if is_directory(Path(path))), None)
    awaits = directory is not None and awaits_effects(namespace)
    left_out: list[str] = []
    look = _Look(namespace, options, jobs, session)
    silenced = SilencedByProject(options)
    with _reports(paths, namespace, options, jobs, session):
        report = look.at(paths, left_out, silenced, fix=namespace.fix and not awaits)
        if awaits:
            require_effects_of_flags(namespace, options, {item.code for item in report.everything})
            if namespace.fix:  # now that no flag is refused
                silenced = SilencedByProject(options)
                report = look.at(paths, [], silenced, fix=True)
    if namespace.report and report.has(Trouble.KEPT):
        session.warn(session.texts("cli.check.report-kept"))
    report_left_out(left_out, session)
    return _checked(report, silenced, options, session.texts, directory)


def _reports(
    paths: Sequence[str],
    namespace: argparse.Namespace,
    options: MigrationOptions,
    jobs: int,
    session: Session,
) -> AbstractContextManager[None]:
    """While files are fixed, what makes the reports about that, if they are asked for."""
    if not namespace.report:
        return nullcontext()
    from ...checks.reporting import reports_beside

    return reports_beside(Path(paths[0]), options, jobs, session)


def _report_unmatched(options: MigrationOptions, report: CheckReport, session: Session) -> bool:
    """Whether rules of the user match nothing, which is said."""
    unmatched = unmatched_notice(options, report.matched)
    if unmatched is not None:
        say = session.fail if options.require_rule_matches else session.warn
        say(session.texts.of(unmatched))
    return unmatched is not None


class _Look(NamedTuple):
    """A check of paths."""

    namespace: argparse.Namespace
    options: MigrationOptions
    jobs: int
    session: Session

    def at(
        self, paths: Sequence[str], left_out: list[str], silenced: SilencedByProject, *, fix: bool
    ) -> CheckReport:
        """Check paths, and fix what is below them if asked to; adds what was not looked at to the others."""
        texts, counted = self.session.texts, count(1)
        with ProgressBar(self.session.err, texts("cli.check.progress")) as bar, ExitStack() as stack:
            found = self.files(
                paths, left_out, silenced, lambda path: bar.update(next(counted), None, path), fix=fix
            )
            stack.enter_context(closing(found))
            return _report(shown_on(bar, found), self.options, texts)

    def files(
        self,
        paths: Sequence[str],
        left_out: list[str],
        silenced: SilencedByProject,
        on_examined: Callable[[str], None] = lambda path: None,
        *,
        fix: bool,
    ) -> Generator[Examination, None, None]:
        """Each file as it was checked."""
        return check_paths(
            [Path(path) for path in paths],
            self.options,
            fix=fix,
            read_only=bool(self.namespace.fix_read_only),
            previews=bool(self.namespace.diff),
            forces_exclude=bool(self.namespace.force_exclude),
            jobs=self.jobs,
            language=self.session.texts.language,
            on_left_out=left_out.append,
            on_examined=on_examined,
            silenced=silenced,
            transform=transform_of(self.namespace, paths),
        )


def report_left_out(paths: Sequence[str], session: Session) -> None:
    """Say what was not looked at although it may hold sources."""
    if paths:
        session.warn(session.texts("cli.left-out", count=len(paths), names=listed(paths, _NAMED)))


def report_silenced(lines: Iterable[str], session: Session) -> None:
    """Say what the project itself keeps from being examined or reported."""
    for line in lines:
        session.warn(line)


def report_problems(problems: Iterable[FileProblem], session: Session) -> None:
    """Say what is wrong with files as a whole; of a defect of ours also where, if that was asked for."""
    for problem in problems:
        say = session.warn if problem.trouble is Trouble.LOST else session.fail
        say(f"{shown(problem.path)}: {problem.reason}")
        session.trace(problem.traceback)


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("check", "[PATH ...] [-v VERSION] [OPTION ...]", texts)
    parser.add_operands("paths", "PATH", "cli.check.paths")
    parser.add_options(without=ONLY_MIGRATE | ONLY_ANALYZE)
    parser.add_flag("--fix", action="store_true", help_id="cli.check.fix")
    parser.add_flag("--diff", action="store_true", help_id="cli.check.diff")
    parser.add_flag("--report", action="store_true", help_id="cli.check.report")
    parser.add_flag("--add-ignore", action="store_true", help_id="cli.check.add_ignore")
    parser.add_flag("--watch", action="store_true", help_id="cli.check.watch")
    parser.add_flag("--lines", metavar="N[-M]", help_id="cli.check.lines", is_rare=True)
    parser.add_flag("--order", metavar="ID", help_id="cli.check.order", is_rare=True)
    parser.add_flag("--since", metavar="REF", help_id="cli.check.since")
    parser.add_flag(READ_ONLY_FLAG, action="store_true", help_id="cli.check.fix_read_only", is_rare=True)
    parser.add_flag("--force-exclude", action="store_true", help_id="cli.check.force_exclude", is_rare=True)
    parser.add_flag("--output-format", metavar="|".join(OUTPUT_FORMATS), help_id="cli.check.output_format")
    parser.add_flag("--statistics", action="store_true", help_id="cli.check.statistics")
    parser.add_flag("--exit-zero", action="store_true", help_id="cli.check.exit_zero")
    parser.add_flag("--stdin-filename", metavar="NAME", help_id="cli.check.stdin_filename", is_rare=True)
    parser.add_flag("--jobs", metavar="N", help_id="cli.help.jobs")
    parser.add_language()
    return parser


_OF_FILES = {"diff": "--diff", "add_ignore": "--add-ignore", "watch": "--watch"}
"""What is done with files, and not with the text of the standard input."""


def _refuse_impossible(namespace: argparse.Namespace, paths: Sequence[str], output_format: str) -> None:
    """Refuse flags that do not go with a path or with the output format. Raises UsageError: there is one."""
    for name, flag in _OF_FILES.items():
        if STDIN in paths and getattr(namespace, name):
            raise UsageError("cli.error.excludes", flag=flag, other=STDIN)
    if namespace.report and (len(paths) != 1 or not is_directory(Path(paths[0]))):
        raise UsageError("cli.check.report-directory")
    if namespace.statistics and output_format not in ("text", "json"):
        raise UsageError("cli.error.excludes", flag="--statistics", other=f"--output-format {output_format}")


def _reads_standard_input(namespace: argparse.Namespace, paths: Sequence[str]) -> bool:
    if STDIN not in paths:
        if namespace.stdin_filename is not None:
            raise UsageError("cli.error.stdin_filename")
        return False
    if len(paths) > 1:
        raise UsageError("cli.error.stdin_with_paths")
    if namespace.since is not None:
        raise UsageError("cli.error.excludes", flag="--since", other=STDIN)
    return True


def shown_on(bar: ProgressBar, checked: Iterable[Examination]) -> Iterator[Examination]:
    """The same files, each shown on the progress bar as it comes; how many there are is not known."""
    for number, file in enumerate(checked, 1):
        bar.update(number, None, shown(file.path))
        yield file


def _report(checked: Iterable[Examination], options: MigrationOptions, texts: Texts) -> CheckReport:
    diagnostics: list[Diagnostic] = []
    problems: list[FileProblem] = []
    fixed: list[MadeFix] = []
    tracebacks: list[str] = []
    matched: set[int] = set()
    for file in checked:
        path = file.path
        problems += _problems(file, texts)
        if file.problem is None and file.traceback:
            tracebacks.append(file.traceback)
        diagnostics += diagnose(file, texts)
        matched |= file.matched
        fixed += [
            MadeFix(
                path, edit.start_line, edit.code, in_cell(texts.of(edit.message), edit.cell, texts.language)
            )
            for edit in file.applied
        ]
    found, advice = split_advice(diagnostics, lambda item: item)
    return CheckReport(
        found,
        tuple(problems),
        tuple(fixed),
        options.unsafe_fixes,
        frozenset(matched),
        tuple(tracebacks),
        advice,
    )


def _problems(file: Examination, texts: Texts) -> Iterator[FileProblem]:
    said = ((file.problem, Trouble.FAILED), (file.kept, Trouble.KEPT), (file.lost, Trouble.LOST))
    for message, trouble in said:
        if message is not None:
            traceback = file.traceback if trouble is Trouble.FAILED else ""
            yield FileProblem(file.path, texts.of(message), traceback, trouble)
