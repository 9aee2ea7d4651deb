"""Completion of commands and options in a shell, made from the parsers themselves."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from shlex import quote as quoted
from typing import NamedTuple

from ...texts.catalogue import Texts
from .parser import CommandParser

SHELLS = ("bash", "zsh", "fish")


class Flag(NamedTuple):
    """An option of a command, as a shell offers it."""

    spellings: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    """The values that it takes, if they are few."""
    takes_value: bool


def completion(
    shell: str, commands: Iterable[str], parser_of: Callable[[str], CommandParser], texts: Texts
) -> str:
    """The script that a shell reads to complete our command line.

    Args:
        shell: One of :data:`SHELLS`.
    """
    flags = {name: tuple(_flags(parser_of(name))) for name in commands}
    if shell == "fish":
        return "\n".join(_fish(flags, texts)) + "\n"
    return _posix(flags, is_zsh=shell == "zsh")


def _flags(parser: CommandParser) -> Iterator[Flag]:
    for action in parser._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            metavar = action.metavar if isinstance(action.metavar, str) else ""
            choices = tuple(metavar.split("|")) if "|" in metavar else ()
            yield Flag(tuple(action.option_strings), action.help or "", choices, action.nargs != 0)


def _posix(flags: Mapping[str, Sequence[Flag]], *, is_zsh: bool) -> str:
    """For bash; zsh reads the same after it has learned how."""
    cases = []
    for name, of_command in flags.items():
        for flag in of_command:
            if flag.choices:
                spelled = "|".join(f"{name}:{spelling}" for spelling in flag.spellings)
                cases.append(f"    {spelled}) offered={quoted(' '.join(flag.choices))} ;;")
        words = " ".join(spelling for flag in of_command for spelling in flag.spellings)
        cases.append(f"    {name}:*) [[ $cur == -* ]] && offered={quoted(words)} ;;")
    return (_ZSH if is_zsh else "") + _BASH.format(commands=quoted(" ".join(flags)), cases="\n".join(cases))


_ZSH = """\
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
"""
_BASH = """\
_gpu2ascend() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} offered=
  if ((COMP_CWORD == 1)); then
    offered={commands}
  else
    case "${{COMP_WORDS[1]}}:$before" in
{cases}
    esac
  fi
  if [[ $offered ]]; then
    COMPREPLY=($(compgen -W "$offered" -- "$cur"))
  else
    local IFS=$'\\n'  # a name of a file may have blanks
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _gpu2ascend gpu2ascend
"""


def _fish(flags: Mapping[str, Sequence[Flag]], texts: Texts) -> Iterator[str]:
    for name, of_command in flags.items():
        summary = quoted(_first_line(texts(f"cli.{name}.summary")))
        yield f"complete -c gpu2ascend -n __fish_use_subcommand -a {name} -d {summary}"
        for flag in of_command:
            parts = [f"complete -c gpu2ascend -n '__fish_seen_subcommand_from {name}'"]
            parts += [_fish_spelling(spelling) for spelling in flag.spellings]
            parts += [f"-x -a {quoted(' '.join(flag.choices))}"] if flag.choices else []
            parts += ["-r"] if flag.takes_value and not flag.choices else []
            yield f"{' '.join(parts)} -d {quoted(_first_line(flag.help))}"


def _fish_spelling(spelling: str) -> str:
    if spelling.startswith("--"):
        return f"-l {spelling[2:]}"
    return f"-s {spelling[1:]}" if len(spelling) == 2 else f"-o {spelling[1:]}"


def _first_line(text: str) -> str:
    return re.split(r"[;；(（\n]", text.replace("%%", "%"), maxsplit=1)[0].strip()
