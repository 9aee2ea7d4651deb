"""``gpu2ascend verify``: runs a migrated project on a simulated NPU. Executes code of the project."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import Version

from ....project.errors import InputError, writing
from ....project.paths import is_directory, resolved, shown
from ....texts.catalogue import Texts
from ....verify.environment.emulation import Choice
from ....verify.request import DEFAULT_SECONDS, DEFAULT_STEPS, VerifyRequest, version_for
from ....verify.showing.document import verify_json
from ....verify.showing.lines import verify_lines
from ....verify.verify import Listener, verify
from ...output.errors import UsageError
from ...parsing.parser import CommandParser
from ...selection import selected_options
from ...session import Session

_SYNOPSIS = "DIR [-v VERSION] [--nproc N] [--steps K] [--compare SOURCE] -- train.py [ARGUMENT ...]"

_FAKE = "fake"


def execute(arguments: Sequence[str], session: Session) -> int:
    """Run a project.

    Returns:
        0 if the steps were made that were asked for, else 1.

    Raises:
        UsageError: the command does not take the arguments.
        ProjectError: the project cannot be started.
    """
    own, command = _split(arguments)
    namespace = _parser(session.texts).take(own)
    if len(namespace.directories) != 1:
        raise UsageError("verify.one-directory")
    project = _directory(namespace.directories[0])
    options = selected_options(namespace, project, session)
    request = _request(namespace, project, options.version, command)
    listener = Listener(
        tell=lambda message: session.err.line(session.texts.of(message)),
        heard=lambda number, line: session.err.line(f"[{number}] {line}" if request.ranks else line),
        installing=session.err.line,
    )
    result = verify(request, options, listener)
    if namespace.json is not None:
        _write_document(namespace.json, verify_json(result, session.texts), session)
    session.out.lines(verify_lines(result, session.texts, session.out.style))
    return result.exit_code


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("verify", _SYNOPSIS, texts)
    parser.add_operands("directories", "DIR", "cli.verify.directory")
    parser.add_options("version", "hardware", help_ids={"version": "cli.verify.version"})
    parser.add_flag("--nproc", metavar="N", help_id="cli.verify.nproc")
    parser.add_flag("--steps", metavar="K", help_id="cli.verify.steps")
    parser.add_flag("--timeout", metavar="SECONDS", help_id="cli.verify.timeout")
    parser.add_flag("--seed", metavar="N", help_id="cli.verify.seed")
    parser.add_flag("--compare", metavar="SOURCE", help_id="cli.verify.compare")
    parser.add_flag("--data", metavar="fake", help_id="cli.verify.data")
    parser.add_flag("--no-original", action="store_true", help_id="cli.verify.no-original")
    parser.add_flag("--device", metavar="DEVICE", help_id="cli.verify.device")
    parser.add_flag("--python", metavar="PYTHON", help_id="cli.verify.python")
    parser.add_flag("--index-url", metavar="URL", help_id="cli.verify.index")
    parser.add_flag("--torch-index-url", metavar="URL", help_id="cli.verify.torch-index")
    parser.add_flag("--allow-project-sources", action="store_true", help_id="cli.verify.sources")
    parser.add_flag("--json", metavar="FILE", help_id="cli.verify.json")
    parser.add_language()
    return parser


def _split(arguments: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """What is for this command, and the project's own command behind ``--``."""
    if "--" not in arguments:
        return arguments, ()
    place = list(arguments).index("--")
    return arguments[:place], tuple(arguments[place + 1 :])


def _directory(text: str) -> Path:
    path = resolved(Path(text))
    if not is_directory(path):
        raise InputError(Message.of("verify.no-project", path=shown(text)))
    return path


def _request(
    namespace: argparse.Namespace, project: Path, version: Version | None, command: tuple[str, ...]
) -> VerifyRequest:
    given = version if namespace.version is not None else None
    return VerifyRequest(
        project=project,
        command=command,
        version=version_for(project, given, version),
        ranks=_number(namespace.nproc, "--nproc", 1) if namespace.nproc is not None else None,
        steps=_number(namespace.steps, "--steps", DEFAULT_STEPS),
        seconds=_number(namespace.timeout, "--timeout", DEFAULT_SECONDS),
        seed=_number(namespace.seed, "--seed", 0, lowest=0),
        python=Path(os.path.abspath(namespace.python)) if namespace.python is not None else None,  # noqa: PTH100
        device=_choice(namespace.device),
        index=namespace.index_url,
        torch_index=namespace.torch_index_url,
        allows_sources=namespace.allow_project_sources,
        source=_directory(namespace.compare) if namespace.compare is not None else None,
        fakes_data=_is_fake(namespace.data),
        runs_original=not namespace.no_original,
    )


def _number(text: str | None, flag: str, default: int, lowest: int = 1) -> int:
    if text is None:
        return default
    if not text.isdecimal() or int(text) < lowest:
        raise UsageError("verify.number", flag=flag, value=text, lowest=lowest)
    return int(text)


def _choice(text: str | None) -> Choice:
    try:
        return Choice(text or Choice.AUTO.value)
    except ValueError:
        raise UsageError(
            "verify.choice", flag="--device", value=text, known=", ".join(choice.value for choice in Choice)
        ) from None


def _is_fake(text: str | None) -> bool:
    if text not in (None, _FAKE):
        raise UsageError("verify.choice", flag="--data", value=text, known=_FAKE)
    return text == _FAKE


def _write_document(name: str, document: str, session: Session) -> None:
    if name == "-":
        session.out.document(document)
        return
    path = Path(name)
    with writing(path):
        path.write_text(document + "\n", encoding="utf-8", newline="\n")
