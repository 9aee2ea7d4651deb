"""Reading the user's rule file, and reporting which of its rules matched nothing."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import attrs

from gpu2ascend_rules.model.custom_rule import CustomRule, UnsupportedApiRule
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import RuleFileProblem, reason
from ..paths import shown
from ..regular_files import NotRegularError, TooLargeError, read_regular

_MEGABYTE = 1024 * 1024
_MOST_TOLD = 20
"""Mistakes of one file that are reported at once."""


def with_custom_rules(options: MigrationOptions) -> MigrationOptions:
    """The options with what the files of ``custom_rule`` and ``api_files`` say, which are read each time.
    Raises RuleFileProblem: the file cannot be used; the message has every mistake with its place."""
    if options.custom_rule is None and not options.api_files:
        return options
    rules = _own_rules(Path(options.custom_rule)) if options.custom_rule is not None else ()
    affected = [rule for path in options.api_files for rule in _affected(Path(path))]
    return attrs.evolve(options, custom=(*rules, *affected))


def _affected(path: Path) -> tuple[CustomRule, ...]:
    """What an analysis of a library found, as rules."""
    from gpu2ascend_rules.hosting import AffectedFileError, read_affected

    try:
        return read_affected(_text(path))
    except AffectedFileError as error:
        raise _problem("affected.at", path, reason=error.reason) from error


def _own_rules(path: Path) -> tuple[CustomRule, ...]:
    from gpu2ascend_rules.hosting import RuleFileError, read_rules

    try:
        return read_rules(_text(path))
    except RuleFileError as error:
        raise RuleFileProblem(
            [_at(path, place.line, place.column, message) for place, message in error.mistakes[:_MOST_TOLD]]
        ) from error


def _text(path: Path) -> str:
    from gpu2ascend_rules.hosting import MAX_RULE_FILE_BYTES as MAX_BYTES

    try:
        return read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except TooLargeError as error:
        raise _problem("custom.too-large", path, limit=MAX_BYTES // _MEGABYTE) from error
    except NotRegularError as error:
        raise _problem("custom.not-regular", path) from error
    except OSError as error:
        raise _problem("custom.unreadable", path, reason=reason(error)) from error
    except UnicodeDecodeError as error:
        raise _problem("custom.not-utf8", path, offset=error.start) from error


def _problem(message_id: str, path: Path, **arguments: object) -> RuleFileProblem:
    return RuleFileProblem([Message.of(message_id, path=shown(path), **arguments)])


def require_matches(options: MigrationOptions, matched: Collection[int]) -> None:
    """Stop when some rule matched nothing anywhere.

    Args:
        matched: The indexes of the rules that matched something.

    Raises:
        RuleFileProblem: there is such a rule; the message has the place of each.
    """
    places = _unmatched(options, matched)
    if places:
        path = Path(options.custom_rule or "")
        reason_ = Message.of("custom.unmatched")
        raise RuleFileProblem([_at(path, line, column, reason_) for line, column in places[:_MOST_TOLD]])


def unmatched_notice(options: MigrationOptions, matched: Collection[int]) -> Message | None:
    """What to report, where only some files were looked at, about rules that matched nothing in them."""
    places = _unmatched(options, matched)
    if not places:
        return None
    path = shown(options.custom_rule or "")
    listed = ", ".join(f"{path}:{line}:{column}" for line, column in places[:_MOST_TOLD])
    return Message.of("custom.unmatched-notice", places=listed)


def _unmatched(options: MigrationOptions, matched: Collection[int]) -> list[tuple[int, int]]:
    rules = enumerate(options.custom)
    expected = ((index, rule) for index, rule in rules if not isinstance(rule, UnsupportedApiRule))
    return sorted((rule.place.line, rule.place.column) for index, rule in expected if index not in matched)


def _at(path: Path, line: int, column: int, message: Message) -> Message:
    return Message.of("custom.at", path=shown(path), line=line, column=column, reason=message)
