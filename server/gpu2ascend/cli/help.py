"""``gpu2ascend --help``: the commands, and how to learn more of each."""

from __future__ import annotations

from collections.abc import Sequence

from .output.terminal import table
from .session import Session


def print_help(session: Session, commands: Sequence[str]) -> None:
    """Print the overview."""
    texts, out = session.texts, session.out
    flags = [("-h, --help", texts("cli.help.help")), ("-V, --version", texts("cli.help.version"))]
    out.line(f"{texts('cli.help.usage')}gpu2ascend [--language en|zh] COMMAND ...")
    out.line(f"\n{texts('cli.description')}")
    out.line("\n" + texts("cli.help.heading", text=texts("cli.help.commands")))
    for line in table([(name, texts(f"cli.{name}.summary")) for name in commands]):
        out.line(f"  {line}")
    out.line("\n" + texts("cli.help.heading", text=texts("cli.help.flags")))
    for line in table(flags):
        out.line(f"  {line}")
    out.line(f"\n{texts('cli.help.more')}")
