"""``gpu2ascend record``: writes the file by which a user makes a trace of a training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ....project.errors import OutputError, write_error
from ....project.files.writing.replacing import put_document
from ....project.paths import shown
from ....texts.catalogue import Texts
from ....texts.shell import command_line
from ....verify.traces.written import recording_file
from ...output.errors import EXIT_OK, UsageError
from ...parsing.parser import CommandParser
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Write the file; nothing is run.

    Raises:
        UsageError: the command does not take the arguments.
        OutputError: there is a file already, or it cannot be written.
    """
    namespace = _parser(session.texts).take(arguments)
    if namespace.words:
        raise UsageError("cli.error.unexpected", argument=namespace.words[0], command="gpu2ascend record")
    if namespace.write is None:
        raise UsageError("cli.record.no-file")
    path = Path(namespace.write)
    _write(path, recording_file(), force=bool(namespace.force))
    texts, out = session.texts, session.out
    out.line(texts("cli.record.written", path=shown(path)))
    out.line("  " + command_line("python", path, "--out", "gpu.json", "train.py"))
    out.line("  " + command_line("python", path, "--out", "npu.json", "train.py"))
    out.line("  " + command_line("gpu2ascend", "compare", "gpu.json", "npu.json"))
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("record", "--write FILE [--force]", texts)
    parser.add_flag("--write", metavar="FILE", help_id="cli.record.write")
    parser.add_flag("--force", action="store_true", help_id="cli.record.force")
    parser.add_language()
    parser.add_hidden_operands("words")
    return parser


def _write(path: Path, text: str, *, force: bool) -> None:
    try:
        put_document(path, text, force=force)
    except FileExistsError as error:
        raise OutputError(Message.of("cli.record.exists", path=shown(path))) from error
    except OSError as error:
        raise write_error(error, path) from error
