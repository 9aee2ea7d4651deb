"""``gpu2ascend --help``: the commands, and how to learn more of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .output.terminal import display_width, padded, wrapped
from .session import Session

_WIDTH = 80
"""Columns of the narrowest terminal that is usual."""


def print_help(session: Session, commands: Sequence[str]) -> None:
    """Print the overview."""
    texts, out = session.texts, session.out
    flags = [("-h, --help", texts("cli.help.help")), ("-V, --version", texts("cli.help.version"))]
    out.line(f"{texts('cli.help.usage')}gpu2ascend [--language en|zh] COMMAND ...")
    out.line(f"\n{texts('cli.description')}")
    out.line("\n" + texts("cli.help.heading", text=texts("cli.help.commands")))
    out.lines(_explained([(name, texts(f"cli.{name}.summary")) for name in commands]))
    out.line("\n" + texts("cli.help.heading", text=texts("cli.help.flags")))
    out.lines(_explained(flags))
    out.line(f"\n{texts('cli.help.more')}")


def _explained(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each name with what it does beside it, in lines that fit."""
    width = max(display_width(name) for name, _ in rows)
    for name, text in rows:
        first, *others = wrapped(text, _WIDTH - width - 4)
        yield f"  {padded(name, width)}  {first}"
        yield from (f"{' ' * (width + 4)}{line}" for line in others)
