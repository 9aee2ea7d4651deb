"""``gpu2ascend doctor``: whether this machine is ready, or what a log says went wrong."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Sequence
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import MigrationOptions

from ....doctor.diagnose import diagnose
from ....doctor.logs.failures import failures
from ....doctor.logs.places import place_of
from ....doctor.machine import Machine
from ....doctor.python_environment import environment_of
from ....doctor.result import Status
from ....project.errors import (
    InputError,
    OutputError,
    SettingsError,
    VersionNotFoundError,
    reason,
    write_error,
)
from ....project.options.version_detect import detect_version, version_to_read
from ....project.paths import is_directory, is_file, resolved, shown
from ....project.regular_files import open_regular
from ....texts.catalogue import Texts
from ....texts.shell import command_line
from ...output.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from ...pages.doctor_report import Reported, log_json, log_lines, machine_json, machine_lines
from ...parsing.parser import CommandParser
from ...selection import selected_options
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Check the machine, or read a log.

    Returns:
        0, or 1 if a check found an error or the log shows a failure.

    Raises:
        UsageError: the command does not take the arguments.
        ProjectError: the project or the log cannot be read.
    """
    namespace = _parser(session.texts).take(arguments)
    if namespace.words:
        raise UsageError("cli.error.unexpected", argument=namespace.words[0], command="gpu2ascend doctor")
    if namespace.write is not None:
        return _write(Path(namespace.write), session)
    project = _project(namespace.project)
    options = selected_options(namespace, project or Path(), session)
    if namespace.log is not None:
        return _read_log(Path(namespace.log), project, options, session, json=bool(namespace.json))
    return _examine(namespace, project, options, session)


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("doctor", "[--project P] [--nnodes N] [--log FILE] [--json]", texts)
    parser.add_flag("--project", metavar="P", help_id="cli.doctor.project")
    parser.add_flag("--python", metavar="PYTHON", help_id="cli.doctor.python")
    parser.add_flag("--nnodes", metavar="N", help_id="cli.doctor.nnodes")
    parser.add_flag("--log", metavar="FILE", help_id="cli.doctor.log")
    parser.add_flag("--write", metavar="FILE", help_id="cli.doctor.write")
    parser.add_options("version", "hardware", help_ids={"version": "cli.doctor.version"})
    parser.add_flag("--json", action="store_true", help_id="cli.doctor.json")
    parser.add_language()
    parser.add_hidden_operands("words")
    return parser


def _write(path: Path, session: Session) -> int:
    """Write the command as one file; one that is there stays."""
    from ....doctor.single_file import doctor_file

    content = doctor_file()
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise OutputError(Message.of("doctor.exists", path=shown(path))) from error
    except OSError as error:
        raise write_error(error, path) from error
    session.out.line(session.texts("cli.doctor.written", path=shown(path)))
    session.out.line("  " + command_line("python3", path.name))
    return EXIT_OK


def _project(text: str | None) -> Path | None:
    if text is None:
        return None
    path = resolved(Path(text))
    if not is_directory(path):
        raise InputError(Message.of("doctor.no-project", path=shown(text)))
    return path


def _examine(
    namespace: argparse.Namespace, project: Path | None, options: MigrationOptions, session: Session
) -> int:
    interpreter = Path(namespace.python) if namespace.python is not None else None
    if interpreter is not None and not is_file(interpreter):
        raise InputError(Message.of("doctor.no-python", path=shown(namespace.python)))
    python = environment_of(interpreter, project, os.environ)
    has_torch = python is not None and "torch" in python.versions
    machine = Machine(
        python=python,
        nodes=_count(namespace.nnodes),
        declared=namespace.version or _declared(project, options, session, has_torch=has_torch),
    )
    results = diagnose(machine)
    code = EXIT_FINDINGS if any(found.status is Status.ERROR for found in results) else EXIT_OK
    if namespace.json:
        session.out.document(machine_json(machine, results, code, session.texts))
    else:
        session.out.page(machine_lines(results, session.texts, session.out))
    return code


def _count(text: str | None) -> int:
    if text is not None and (not text.isdecimal() or int(text) < 1):
        raise UsageError("doctor.nnodes", value=text)
    return int(text or 1)


def _declared(
    project: Path | None, options: MigrationOptions, session: Session, *, has_torch: bool
) -> str | None:
    """The PyTorch version that the project names, which is shown; of a range the one that a migration takes,
    where none is installed that may be another of the range."""
    if project is None:
        return None
    try:
        found = detect_version(project, options.hardware)
    except (VersionNotFoundError, SettingsError):
        return None
    if not found.is_exact and has_torch:
        return None
    session.warn(session.texts.of(found.notice))
    return str(found.version)


def _read_log(
    path: Path, project: Path | None, options: MigrationOptions, session: Session, *, json: bool
) -> int:
    version = options.version or NEWEST
    if options.version is None and project is not None:
        detected = version_to_read(project, options.hardware)
        session.warn(session.texts.of(detected.notice))
        version = detected.version
    chosen = attrs.evolve(options, version=version)
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8", errors="replace") as log:
            found = failures(log)
    except OSError as error:
        raise InputError(Message.of("doctor.no-log", path=shown(path), reason=reason(error))) from error
    reported = [Reported(failure, place_of(failure, project, chosen)) for failure in found]
    code = EXIT_FINDINGS if reported else EXIT_OK
    if json:
        session.out.document(log_json(path, reported, code, session.texts))
    else:
        session.out.page(log_lines(path, reported, session.texts, session.out))
    return code
