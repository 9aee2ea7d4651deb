"""The argument parser of a command: flags from the definition of the options, errors as one line."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.option_info import OptionGroup, OptionInfo
from gpu2ascend_rules.options.options import MigrationOptions, option_infos

from ...texts.catalogue import Texts
from ..output.errors import UsageError
from .combinations import is_always_done, refuse_without_effect
from .help_text import USUAL, HelpAction, HelpFormatter

_MISSING_FLAGS = {"cli.missing.analysis": ("--analysis",)}
_FEATURES = {flag: feature for feature, flags in _MISSING_FLAGS.items() for flag in flags}
ONLY_MIGRATE = frozenset({OptionGroup.DISTRIBUTED, OptionGroup.AMP})
"""The options that nothing but a migration acts on: no other command takes their flags."""
ONLY_ANALYZE = frozenset({OptionGroup.ANALYSIS})
"""Likewise, of an analysis."""
_ALIASES = {"entries": option_infos()["main_file"].flags}
"""Flags of options that only a migration acts on, and that mean the same as another to the others."""


def refuse_missing_flags(arguments: Iterable[str]) -> None:
    """Stop at a flag whose feature this release lacks. Raises UsageError: there is one."""
    for argument in arguments:
        flag = argument.partition("=")[0]
        if flag in _FEATURES:
            raise UsageError(_FEATURES[flag], name=flag)


class CommandParser(argparse.ArgumentParser):
    """An argument parser that speaks the user's language and raises instead of leaving the process."""

    def __init__(self, command: str, synopsis: str, texts: Texts) -> None:
        super().__init__(
            prog=f"gpu2ascend {command}",
            usage=f"gpu2ascend {command} {synopsis}",
            description=texts(f"cli.{command}.description"),
            allow_abbrev=False,
            exit_on_error=False,
            add_help=False,
            formatter_class=lambda prog: HelpFormatter(prog, texts),
        )
        self._command = command
        self._texts = texts
        self._flags = self.add_argument_group(texts("cli.help.flags"))
        self._groups: dict[OptionGroup, argparse._ArgumentGroup] = {}
        self.add_flag("-h", "--help", action=HelpAction, everything=False, help_id="cli.help.help")
        self._help_all = self.add_flag(
            "--help-all", action=HelpAction, everything=True, help_id="cli.help.help_all"
        )
        self._help_all_text, self._help_all.help = self._help_all.help, argparse.SUPPRESS

    def add_flag(
        self,
        *spellings: str,
        help_id: str,
        guide: str | None = None,
        group: argparse._ArgumentGroup | None = None,
        is_rare: bool = False,
        **settings: Any,
    ) -> argparse.Action:
        """Add a flag whose explanation is a message, and perhaps a guide that says more.

        A rare one is explained by ``--help-all`` only.
        """
        settings.setdefault("default", argparse.SUPPRESS if settings.get("action") is HelpAction else None)
        text = self._texts(help_id)
        if settings.get("action") == "append":
            text = self._texts("cli.help.list", text=text)
        if guide is not None:
            text = self._texts("cli.help.guide", text=text, guide=guide)
        text = text.replace("%", "%%")
        action = (group or self._flags).add_argument(*spellings, help=text, **settings)
        action.is_rare = is_rare  # type: ignore[attr-defined]
        return action

    def add_operands(self, dest: str, metavar: str, help_id: str) -> None:
        """Add the arguments that are no flags, any number of them."""
        self._operands = dest
        self.add_argument_group(self._texts("cli.help.operands")).add_argument(
            dest, metavar=metavar, nargs="*", help=self._texts(help_id).replace("%", "%%")
        )

    def add_hidden_operands(self, dest: str) -> None:
        """Take arguments that are no flags without showing that they can be given: to refuse them."""
        self._operands = dest
        self.add_argument(dest, nargs="*", help=argparse.SUPPRESS)

    def add_options(
        self, *names: str, without: Container[OptionGroup] = (), help_ids: Mapping[str, str] | None = None
    ) -> None:
        """Add the flags of migration options: of those named, or of all but those of some groups.

        Args:
            help_ids: Of options that mean something else to this command, the message that says what.
        """
        for group in () if names else OptionGroup:  # in the order of the form
            self._groups[group] = self.add_argument_group(self._texts(f"option.group.{group.value}"))
        for name, info in option_infos().items():
            is_chosen = info.group not in without and (not names or name in names)
            if is_chosen and (not info.commands or self._command in info.commands):
                aliases = _ALIASES.get(name, ()) if OptionGroup.DISTRIBUTED in without else ()
                action = self._add_option(name, info, (help_ids or {}).get(name, info.help_id), aliases)
                action.is_rare = not names and name not in USUAL  # type: ignore[attr-defined]
        if not names:
            self._help_all.help = self._help_all_text

    def _add_option(
        self, name: str, info: OptionInfo, help_id: str, aliases: tuple[str, ...]
    ) -> argparse.Action:
        """The flag of one option, by the kind of its value."""
        default, group = getattr(MigrationOptions(), name), self._groups.get(info.group)
        if isinstance(default, bool):
            return self._add_switch(name, info, group)
        described: dict[str, Any] = {"dest": name, "help_id": help_id, "guide": info.guide, "group": group}
        if isinstance(default, tuple) and not isinstance(default, Version):
            flags = (*info.flags, *aliases)
            return self.add_flag(*flags, **described, action="append", metavar=_metavar(info.flags))
        return self.add_flag(*info.flags, **described, metavar=_metavar(info.flags, info.choices))

    def _add_switch(
        self, name: str, info: OptionInfo, group: argparse._ArgumentGroup | None
    ) -> argparse.Action:
        """A flag without a value, and its ``--no-`` form: the settings may have switched it on."""
        action = self.add_flag(*info.flags, dest=name, help_id=info.help_id, group=group, action="store_true")
        if is_always_done(self._command, info.flags):
            action.help = argparse.SUPPRESS
        elif getattr(MigrationOptions(), name):
            action.help = self._texts("cli.help.on", text=action.help, flag=opposites(info)[0])
        self.add_argument(
            *opposites(info), dest=name, action="store_false", default=None, help=argparse.SUPPRESS
        )
        return action

    def add_language(self) -> None:
        """Add ``--language``."""
        self.add_flag("--language", metavar="|".join(LANGUAGES), help_id="cli.help.language")

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments. Raises UsageError: they are no proper arguments of this command."""
        flags, operands = _split_at_dashes(arguments)
        refuse_missing_flags(flags)
        self._refuse_those_of_migrate(flags)
        try:
            namespace, extra = self.parse_known_intermixed_args(flags)
        except argparse.ArgumentError as error:
            raise _usage_error(error) from error
        if extra:
            raise self._unknown(extra[0])
        getattr(namespace, self._operands).extend(operands)
        return namespace

    def take(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments of a command that is carried out.
        Raises UsageError: they are no proper arguments of this command, or one has no effect."""
        namespace = self.read(arguments)
        spellings = {flag: action.dest for action in self._actions for flag in action.option_strings}
        refuse_without_effect(self._command, namespace, spellings)
        return namespace

    def _refuse_those_of_migrate(self, flags: Sequence[str]) -> None:
        """Of ``-a``, argparse would make ``-api`` where there is no such flag."""
        known = {spelling for action in self._actions for spelling in action.option_strings}
        others = _flags_of_migrate() - known
        for flag in flags:
            if flag.partition("=")[0] in others:
                raise self._unknown(flag)

    def error(self, message: str) -> NoReturn:
        """What argparse finds wrong, as an error of ours."""
        raise UsageError("cli.error.usage", reason=message)

    def _unknown(self, argument: str) -> UsageError:
        if not argument.startswith("-"):
            return UsageError("cli.error.unexpected", argument=argument, command=self.prog)
        flag = argument.partition("=")[0]
        known = [spelling for action in self._actions for spelling in action.option_strings]
        from .synonyms import ASSENT, FLAGS

        ours = FLAGS.get(flag)
        if ours is not None and (ours in known or not ours.startswith("-")):
            return UsageError("cli.error.synonym_flag", name=flag, ours=ours, command=self.prog)
        if flag in ASSENT:
            return UsageError("cli.error.asks_nothing", name=flag, command=self.prog)
        if flag in _flags_of_migrate():
            return UsageError("cli.error.only_migrate", flag=flag, command=self.prog)
        similar = known if len(flag) > len("-i") else ()  # every flag is close to one of a single letter
        return unknown_name("cli.error.unknown_flag", flag, similar, command=self.prog)


def unknown_name(message_id: str, name: str, candidates: Iterable[str], /, **arguments: object) -> UsageError:
    """An error about a name that nothing has, with the names that are close to it.

    The message of the id with ``_close`` appended is used when there are any.
    """
    import difflib

    close = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.6)
    if not close:
        return UsageError(message_id, name=name, **arguments)
    return UsageError(f"{message_id}_close", name=name, close=", ".join(close), **arguments)


def opposites(info: OptionInfo) -> list[str]:
    return [f"--no-{flag[2:]}" for flag in info.flags if flag.startswith("--")]


def _flags_of_migrate() -> set[str]:
    """The flags that only ``migrate`` takes."""
    defaults = MigrationOptions()
    flags: set[str] = set()
    for name, info in option_infos().items():
        if info.group in ONLY_MIGRATE or info.commands:
            flags.update(info.flags)
            flags.update(opposites(info) if isinstance(getattr(defaults, name), bool) else ())
    return flags


def _split_at_dashes(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What comes before ``--``, and what follows it: no flags, whatever they look like.

    argparse reads them twice when flags and operands are mixed, the second time as flags.
    """
    if "--" not in arguments:
        return arguments, ()
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _usage_error(error: argparse.ArgumentError) -> UsageError:
    flag = error.argument_name or ""
    if error.message.startswith("expected"):
        return UsageError("cli.error.needs_value", flag=flag)
    if error.message.startswith("ignored explicit argument"):
        return UsageError("cli.error.takes_no_value", flag=flag)
    return UsageError("cli.error.usage", reason=str(error))


def _metavar(flags: Sequence[str], choices: Sequence[str] = ()) -> str:
    if choices and len(choices) <= 3:
        return "|".join(choices)
    return flags[-1].lstrip("-").replace("-", "_").upper()
