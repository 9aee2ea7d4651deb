"""``gpu2ascend migrate``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ....project.in_place.in_place import Branch, migrate_in_place
from ....project.migrate.migrate import migrate
from ....project.report.merge import Deletions
from ....project.report.result import FileOutcome, MigrationRequest, MigrationResult, Phase, Progress
from ....texts.catalogue import Texts
from ...in_place import branch_lines, in_place_request
from ...output.diffs import show_diff
from ...output.errors import UsageError
from ...output.progress import ProgressBar
from ...pages.migrate_report import LeftOver, left_overs, migration_json, print_summary
from ...pages.verdict import LeftByRule, verdict_lines
from ...parsing.parser import ONLY_ANALYZE, CommandParser
from ...selection import job_count, selected_options
from ...session import Session
from ...updating import can_ask, may_delete, options_of_output, require_own_files, update_request

DISTRIBUTED = "distributed"


def execute(arguments: Sequence[str], session: Session) -> int:
    """Migrate a project, or show how it would be.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: the migration is impossible; nothing was written.
    """
    namespace = _parser(session.texts).take(with_modelarts(arguments))
    _take_words(namespace)
    request = _request(namespace, session)
    with ProgressBar(session.err, session.texts("cli.migrate.progress")) as bar:
        shows_diff = namespace.diff and not namespace.json
        run = _MigrationDisplay(session, bar, request, shows_diff=shows_diff, keeps_all=namespace.json)
        result, branch = _migrated(namespace, request, run, session)
    texts = session.texts.of_target(request.options.route)
    if namespace.json:
        session.out.line(migration_json(request, result, run.outcomes, texts, branch))
    else:
        out = session.out if request.write else session.err  # beside a diff, which can be piped
        for notice in result.notices:
            session.warn(texts.of(notice))
        print_summary(result, run.left, out, texts)
        out.lines(branch_lines(branch, texts) if branch is not None else ())
        out.lines(verdict_lines(request, result, run.by_rule, arguments, out, texts))
    return result.exit_code


def _migrated(
    namespace: argparse.Namespace, request: MigrationRequest, run: _MigrationDisplay, session: Session
) -> tuple[MigrationResult, Branch | None]:
    """Migrate into a directory, or as commits on a branch."""
    how = in_place_request(namespace)
    if how is not None:
        return migrate_in_place(request, how, run.on_progress, run.on_file, run.on_notice)
    asks = run.may_delete if can_ask(session) else None
    return migrate(request, run.on_progress, None, run.on_file, run.on_notice, asks), None


def with_modelarts(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--modelarts`` for a ``-m`` without a value, as in the vendor's tool.

    With a value, and after the word ``distributed``, it is that of the main file.
    """
    given = list(arguments)
    for at, argument in enumerate(given):
        if argument in (DISTRIBUTED, "--"):
            break
        following = given[at + 1 : at + 2]
        if argument == "-m" and (not following or following[0].startswith("-") or following == [DISTRIBUTED]):
            given[at] = "--modelarts"
    return given


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("migrate", "DIR OUT [-v VERSION] [OPTION ...] [distributed]", texts)
    parser.add_flag("-i", "--input", metavar="DIR", help_id="cli.migrate.input")
    parser.add_flag("-o", "--output", metavar="DIR", help_id="cli.migrate.output")
    parser.add_options(without=ONLY_ANALYZE)
    parser.add_flag("--diff", action="store_true", help_id="cli.migrate.diff")
    parser.add_flag("--force", action="store_true", help_id="cli.migrate.force")
    parser.add_flag(
        "--discard-changes", action="store_true", help_id="cli.migrate.discard_changes", is_rare=True
    )
    parser.add_flag("--update", action="store_true", help_id="cli.migrate.update")
    choices = "|".join(choice.value for choice in Deletions)
    parser.add_flag("--deletions", metavar=choices, help_id="cli.migrate.deletions", is_rare=True)
    parser.add_flag("--in-place", action="store_true", help_id="cli.migrate.in_place")
    parser.add_flag("--branch", metavar="NAME", help_id="cli.migrate.branch_name", is_rare=True)
    parser.add_flag("--one-commit", action="store_true", help_id="cli.migrate.one_commit", is_rare=True)
    parser.add_flag("--since", metavar="REF", help_id="cli.migrate.since", is_rare=True)
    parser.add_flag("--run-hooks", action="store_true", help_id="cli.migrate.run_hooks", is_rare=True)
    parser.add_flag("--no-base", action="store_true", help_id="cli.migrate.no_base", is_rare=True)
    parser.add_flag("--jobs", metavar="N", help_id="cli.help.jobs", is_rare=True)
    parser.add_flag("--json", action="store_true", help_id="cli.migrate.json")
    parser.add_language()
    parser.add_hidden_operands("words")
    return parser


def _take_words(namespace: argparse.Namespace) -> None:
    """Words between the flags: ``distributed``, as in the vendor's tool, the project and its output.
    Raises UsageError: an unknown word."""
    for word in namespace.words:
        if word == DISTRIBUTED:
            namespace.distributed = True
        elif not namespace.input:
            namespace.input = word
        elif not (namespace.output or namespace.diff or namespace.in_place):
            namespace.output = word
        else:
            raise UsageError("cli.error.unexpected", argument=word, command="gpu2ascend migrate")


def _request(namespace: argparse.Namespace, session: Session) -> MigrationRequest:
    if not namespace.input:
        raise UsageError("cli.error.no_input")
    if not namespace.output and not (namespace.diff or namespace.in_place):
        raise UsageError("cli.error.no_output")
    jobs = job_count(namespace.jobs)
    source = Path(namespace.input)
    update = update_request(namespace)
    again = options_of_output(update)
    options = selected_options(namespace, source, session, again)
    require_own_files(again, options, session)
    if not options.distributed:
        _refuse_flags_of_distributed(namespace)
    elif namespace.nnodes and options.launcher is None:
        raise UsageError("cli.error.needs_launcher", flag="--nnodes", launcher="--launcher")
    return MigrationRequest(
        input=source,
        output=Path(namespace.output or "."),
        options=options,
        force=namespace.force,
        discard_changes=namespace.discard_changes,
        update=update,
        keeps_base=not namespace.no_base,
        jobs=jobs,
        write=not namespace.diff,
        language=session.texts.language,
    )


def _refuse_flags_of_distributed(namespace: argparse.Namespace) -> None:
    given = {"-t": namespace.target_model, "--launcher": namespace.launcher, "--nnodes": namespace.nnodes}
    for flag, value in given.items():
        if value:
            raise UsageError("cli.error.needs_distributed", flag=flag)


class _MigrationDisplay:
    """What is shown and kept while files are migrated."""

    def __init__(
        self,
        session: Session,
        bar: ProgressBar,
        request: MigrationRequest,
        *,
        shows_diff: bool,
        keeps_all: bool,
    ) -> None:
        self._session = session
        self._bar = bar
        self._project = request.input
        self._output = request.update.target if request.update is not None else None
        self._shows_diff = shows_diff
        self._keeps_all = keeps_all
        self.outcomes: list[FileOutcome] = []
        self.left: list[LeftOver] = []
        self.by_rule = LeftByRule()

    def on_progress(self, progress: Progress) -> None:
        looks_up = progress.phase is Phase.TYPES
        label = self._session.texts("cli.migrate.types_progress") if looks_up else None
        self._bar.update(progress.done, progress.total, progress.path, label)

    def may_delete(self, paths: tuple[str, ...]) -> bool:
        self._bar.close()
        return may_delete(paths, self._session)

    def on_notice(self, notice: Message) -> None:
        self._session.warn(self._session.texts.of(notice))

    def on_file(self, outcome: FileOutcome) -> None:
        if outcome.traceback:
            self._bar.close()
            self._session.trace(outcome.traceback)
        if self._keeps_all:
            self.outcomes.append(outcome)
            return
        self.by_rule.add(outcome)
        place = self._output if outcome.is_of_output and self._output is not None else self._project
        self.left.extend(left_overs(outcome, place, self._session.texts))
        if self._shows_diff and outcome.diff:
            self._bar.close()
            show_diff(outcome.diff, outcome.patch, self._session.out)
