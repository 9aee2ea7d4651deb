"""``gpu2ascend handover``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....project.handover.document import check_lines, markdown_lines, work_orders
from ....project.handover.naming import is_order_name
from ....project.inspect.handover import handover_in, migrated_directory
from ....project.paths import shown
from ....texts.catalogue import Texts
from ....texts.escaping import json_text
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from ...output.progress import ProgressBar
from ...parsing.parser import CommandParser
from ...selection import job_count, output_format_of, with_version
from ...session import Session

_FORMATS = ("md", "json")


def execute(arguments: Sequence[str], session: Session) -> int:
    """List what is left of a migrated project.

    Returns:
        0 where nothing is left, or nothing of the one order that is checked; 1 else.

    Raises:
        UsageError: the arguments do not say what to do.
        ProjectError: the directory cannot be looked at, or nobody knows of the order.
    """
    namespace = _parser(session.texts).take(arguments)
    if len(namespace.directories) != 1:
        raise UsageError("cli.handover.one-directory")
    output_format = output_format_of(namespace.output_format, _FORMATS)
    order = namespace.check
    if order is not None and not is_order_name(order):
        raise UsageError("cli.handover.no-id", name=order)
    jobs = job_count(namespace.jobs)
    directory = migrated_directory(Path(namespace.directories[0]))
    options = with_version(namespace, directory, session)
    texts = session.texts.of_target(options.route)
    with ProgressBar(session.err, texts("cli.check.progress")) as bar:
        count = 0

        def on_file(path: str) -> None:
            nonlocal count
            count += 1
            bar.update(count, None, shown(path))

        handover = handover_in(directory, options, texts, order=order, jobs=jobs, on_file=on_file)
    if output_format == "json":
        session.out.document(json_text(work_orders(handover, texts)))
    elif order is not None:
        session.out.lines(check_lines(handover, order, texts))
    else:
        session.out.lines(markdown_lines(handover, texts))
    return EXIT_OK if handover.is_empty else EXIT_FINDINGS


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("handover", "OUT [--check ID] [--output-format md|json] [OPTION ...]", texts)
    parser.add_operands("directories", "OUT", "cli.handover.operand")
    parser.add_options("target", "version", "hardware", "project_settings")
    parser.add_flag("--output-format", metavar="|".join(_FORMATS), help_id="cli.handover.format")
    parser.add_flag("--check", metavar="ID", help_id="cli.handover.check")
    parser.add_flag("--jobs", metavar="N", help_id="cli.help.jobs")
    parser.add_language()
    return parser
