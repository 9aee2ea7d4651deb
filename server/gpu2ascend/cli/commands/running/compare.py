"""``gpu2ascend compare``: two traces of a training against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....texts.catalogue import Texts
from ....texts.escaping import json_text, numbered
from ....verify.traces.differing import compare_traces
from ....verify.traces.showing import difference_document, difference_lines
from ....verify.traces.trace import read_trace
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from ...parsing.parser import CommandParser
from ...selection import output_format_of
from ...session import Session

_FORMATS = ("text", "json")


def execute(arguments: Sequence[str], session: Session) -> int:
    """Compare two traces.

    Returns:
        0 where both have the same tensors but for rounding, 1 else.

    Raises:
        UsageError: the command does not take the arguments.
        InputError: a file cannot be read or is no trace.
    """
    namespace = _parser(session.texts).take(arguments)
    output_format = output_format_of(namespace.output_format, _FORMATS)
    if len(namespace.traces) != 2:
        raise UsageError("cli.compare.two-traces")
    first, second = (read_trace(Path(name)) for name in namespace.traces)
    compared = compare_traces(first, second)
    if output_format == "json":
        session.out.document(json_text(numbered(difference_document(compared))))
    else:
        session.out.lines(difference_lines(compared, session.texts))
    return EXIT_OK if compared.is_same else EXIT_FINDINGS


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("compare", "A B [--output-format text|json]", texts)
    parser.add_operands("traces", "TRACE", "cli.compare.traces")
    parser.add_flag("--output-format", metavar="|".join(_FORMATS), help_id="cli.compare.format")
    parser.add_language()
    return parser
