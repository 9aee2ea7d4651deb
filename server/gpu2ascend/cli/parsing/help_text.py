"""``--help`` of a command: its usual options in groups; ``--help-all`` has the others, too."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Any

from ...texts.catalogue import Texts
from ..output.terminal import display_width, wrapped

USUAL = frozenset(
    {
        *("target", "auto", "version", "hardware", "custom_rule", "unsafe_fixes", "replace_unsupported"),
        *("distributed", "main_file", "target_model", "launcher", "enable_amp", "from_cpu", "modes"),
        *("select", "ignore", "exclude", "entries"),
    }
)
"""The options of a migration that ``--help`` explains; those of the commands themselves it explains all."""


_DETAIL = re.compile(r"[;:] | \(|[；：（]")
"""What begins the part of an explanation that ``--help-all`` adds."""


_HEADING = re.compile(r"^(\S.*):$", re.MULTILINE)
"""A heading, as argparse writes it."""


class HelpAction(argparse.Action):
    """Print the help and leave; without ``everything``, the usual options only."""

    def __init__(self, *, everything: bool, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)
        self._everything = everything

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it."""
        has_more = any(map(is_rare, parser._actions))
        for action in parser._actions if has_more and not self._everything else ():
            shown = action.help if action.help is not None and not is_rare(action) else argparse.SUPPRESS
            action.help = shown if shown == argparse.SUPPRESS else _DETAIL.split(shown, maxsplit=1)[0]
        parser.print_help()
        parser.exit()


def is_rare(action: argparse.Action) -> bool:
    """Whether an option is explained by ``--help-all`` only."""
    return getattr(action, "is_rare", False)


class HelpFormatter(argparse.HelpFormatter):
    """Help with its headings in the user's language, wrapped by the cells of a terminal."""

    def __init__(self, prog: str, texts: Texts) -> None:
        super().__init__(prog, max_help_position=28)
        self._texts = texts

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """The usage, after the word for it; what does not fit on a line goes on below its beginning."""
        word = prefix or self._texts("cli.help.usage")
        indent = display_width(word)
        lines = wrapped(usage or "", self._width - indent)
        super().add_usage(("\n" + " " * indent).join(lines), actions, groups, word)

    def format_help(self) -> str:
        """The whole text, with a colon of the user's language after each heading."""
        return _HEADING.sub(
            lambda found: self._texts("cli.help.heading", text=found[1]), super().format_help()
        )

    def _split_lines(self, text: str, width: int) -> list[str]:
        return list(wrapped(" ".join(text.split()), width - 2))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = wrapped(" ".join(text.split()), width - len(indent) - 2)
        return "\n".join(indent + line for line in lines)
