"""``migrate --update`` on the command line: which output, with which options, and the question."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_infos

from ..project.errors import InputError
from ..project.manifest.base import DamagedBaseError, read_base
from ..project.options.made_for import MadeFor, made_again, own_files
from ..project.paths import exists, shown
from ..project.report.merge import Deletions, UpdateRequest
from ..project.update.places import update_target
from .output.errors import UsageError
from .session import Session

_SHOWN = 20
"""Files that a question names."""
_YES = frozenset({"y", "yes", "是"})


def update_request(namespace: argparse.Namespace) -> UpdateRequest | None:
    """What is to be updated; None where that was not asked for.

    Raises:
        UsageError: the flag has another value.
        ProjectError: there is no such output.
    """
    if not namespace.update:
        return None
    return UpdateRequest(update_target(Path(namespace.input), Path(namespace.output)), _deletions(namespace))


def options_of_output(update: UpdateRequest | None) -> MadeFor | None:
    """What an output was made with, so that the update does the same; a base that is damaged has no say."""
    if update is not None:
        with suppress(FileNotFoundError, DamagedBaseError):
            return made_again(update.target, read_base(update.target).options)
    return None


def require_own_files(again: MadeFor | None, options: MigrationOptions, session: Session) -> None:
    """Say which files of rules the last run used and the update uses again.
    Raises InputError: one of them is gone."""
    for name, value in own_files(again.values) if again is not None else ():
        chosen, paths = getattr(options, name), [value] if isinstance(value, str) else value
        if chosen not in (value, tuple(paths)):
            continue  # a flag names another one
        flag = option_infos()[name].name
        for path in paths:
            if not exists(Path(path)):
                raise InputError(Message.of("update.rules-gone", path=shown(path), flag=flag))
            session.warn(session.texts("cli.migrate.same_rules", path=shown(path), flag=flag))


def can_ask(session: Session) -> bool:
    """Whether a person reads what is asked, and can answer."""
    return session.err.is_terminal and sys.stdin is not None and sys.stdin.isatty()


def may_delete(paths: tuple[str, ...], session: Session) -> bool:
    """Ask whether files that the new version has no more may go."""
    texts = session.texts
    session.err.lines(f"  {path}" for path in paths[:_SHOWN])
    if len(paths) > _SHOWN:
        session.err.line(f"  {texts('cli.migrate.more_files', count=len(paths) - _SHOWN)}")
    session.err.line(texts("cli.migrate.may_delete", count=len(paths)))
    return sys.stdin.readline().strip().casefold() in _YES


def _deletions(namespace: argparse.Namespace) -> Deletions:
    value = namespace.deletions or Deletions.ASK.value
    try:
        return Deletions(value)
    except ValueError as error:
        choices = ", ".join(choice.value for choice in Deletions)
        raise UsageError("cli.error.bad_choice", flag="--deletions", value=value, choices=choices) from error
