"""What must change in a CUDA project on an Ascend NPU, and the engine that finds and rewrites it.

This package is pure: text goes in, findings and edits come out. It does no input or output but
reading its own data files, and it never imports or runs the code it looks at.

What is in :data:`__all__` is its public API, which ``docs/library.md`` describes. A name is imported when it
is first asked for.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine.registry import all_rules, rule_by_code
    from .engine.rule import Example, Family, Rule, on
    from .messages import render
    from .model.finding import Applicability, Edit, Finding, Fix, Message, Severity
    from .model.hardware import Hardware
    from .model.outcome import FixOutcome
    from .model.versions import SUPPORTED_VERSIONS, Version
    from .options.options import MigrationOptions as Options
    from .options.options import OptionError
    from .text.lines import LineIndex
    from .text.plain.text_file import TextFile

_OFFER = re.compile(r"^    from \.+([\w.]+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)

__all__ = [
    "SUPPORTED_VERSIONS", "Applicability", "Edit", "Example", "Family", "Finding", "Fix", "FixOutcome",
    "Hardware", "LineIndex", "Message", "OptionError", "Options", "Rule", "Severity", "Version",
    "all_rules", "check", "explain", "fix", "on", "render", "rule_by_code",
]  # fmt: skip


def check(text: str, options: Options, path: str = "") -> tuple[Finding, ...]:
    """Every finding in a file, by place.

    Args:
        text: The file; offsets of findings are those of its UTF-8 bytes.
        options: With the version of PyTorch that the project is for.
        path: Names the file, which shows its kind: Python without one. A file is examined by itself: what
            other files decide is held back, or unsafe.

    Raises:
        OptionError: the options choose no version.
        ValueError: the file is a notebook, which only the command line reads.
    """
    from .checking import check as found_in

    return found_in(_file(text, path), options)


def fix(text: str, options: Options, path: str = "") -> FixOutcome:
    """A file after every safe fix, and every unsafe one if the options ask for it; arguments as for check.

    Raises:
        OptionError: the options choose no version.
        ValueError: the file is a notebook, which only the command line reads.
    """
    from .fixing import apply_fixes

    return apply_fixes(_file(text, path), options)


def explain(rule: str, language: str = "en") -> dict[str, str]:
    """What a rule, by its code or name, does, why, and what to use instead, by the parts of its text.

    Raises:
        KeyError: there is no such rule.
        ValueError: there are no texts in that language.
    """
    from .engine.registry import rule_by_code
    from .explaining import documentation
    from .messages import render
    from .model.finding import Message

    found = rule_by_code(rule)
    if found is None:
        raise KeyError(rule)
    title = render(Message.of(f"{found.code}.title"), language)
    return {"code": found.code, "title": title, **documentation(found, language)}


def _file(text: str, path: str) -> TextFile:
    from .kinds.registry import text_file

    if path.lower().endswith(".ipynb"):
        raise ValueError(f"{path} is a notebook")
    return text_file(text, path)


def offered(package: str, file: str, name: str) -> object:
    """A name that a package offers, from the module that has it; imported now, not with the package.

    Args:
        file: The package's ``__init__``: what it imports for type checkers alone is what it offers.

    Raises:
        AttributeError: the package offers no such name.
    """
    home, inner = _offers(file).get(name, ("", ""))
    if not home:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(home, __name__), inner)


@cache
def _offers(file: str) -> dict[str, tuple[str, str]]:
    """The module that has each name, and the name there."""
    found = {}
    rest = Path(file).read_text(encoding="utf-8").partition("if TYPE_CHECKING:")[2]
    text = re.split(r"^(?=\S)", rest, maxsplit=1, flags=re.MULTILINE)[0]
    for home, several, one in _OFFER.findall(text):
        for item in re.findall(r"\w+(?: as \w+)?", several or one):
            inner, _, outer = item.partition(" as ")
            found[outer or inner] = (f".{home}", inner)
    return found


def __getattr__(name: str) -> object:
    return offered(__name__, __file__, name)
