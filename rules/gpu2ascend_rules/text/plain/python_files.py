"""Whether a file is Python: the one answer, of its name, or of its first line if its name says nothing."""

from __future__ import annotations

import re

MODULE_SUFFIXES = (".py", ".pyw")
"""Of modules and scripts; in lower case."""
HEAD_BYTES = 128
"""Bytes of a file that hold the first line which the system itself looks at."""
_TEST_FILE = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
_BENCHMARK = re.compile(r"(?:^|/)bench(?:marks?)?(?:/|_[^/]*\.py$)|(?:^|[/_])bench(?:mark)?\.py$")
_OF_OPERATOR = re.compile(r"(?:^|/)ops/test\.py$")
"""What tries an operator beside its build; elsewhere a program of that name evaluates a model."""
_INTERPRETER = re.compile(r"(?:i?python|pypy)w?[\d.]*")
_SETTING = re.compile(r"\w+=\S*")
_RUNNERS = {"uv": "run", "pdm": "run", "poetry": "run", "hatch": "run", "rye": "run", "pipx": "run"}
"""Programs that start Python, with the word behind them by which they do."""

TEMPLATE = re.compile(r"[-.](?:template|tmpl|tpl|j2|jinja2?)$", re.I)
"""What the name of a file ends in of which a program makes another one."""


def is_test_path(path: str) -> bool:
    """Whether a file of a project is one of its tests, by its path."""
    return _TEST_FILE.search(path) is not None


def is_trial_path(path: str) -> bool:
    """Whether a file tests or measures the code of a project, by its path: no training imports it."""
    trials = (_TEST_FILE, _BENCHMARK, _OF_OPERATOR)
    return any(pattern.search(path) is not None for pattern in trials)


def module_word(path: str) -> str:
    """The last part of the name of the module that a file is; of a package its own."""
    parts = path.rpartition(".")[0].split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def may_have_head(path: str) -> bool:
    """Whether a name says so little that the first line decides: it has no suffix."""
    return "." not in TEMPLATE.sub("", path.rpartition("/")[2]).lstrip(".")


def is_python(path: str, head: str | bytes) -> bool:
    """Whether a file is a module or script of Python; a notebook is not.

    Args:
        path: Its name, with ``/``.
        head: Its text, or the beginning of it; not asked for where the name has a suffix.
    """
    if path.lower().endswith(MODULE_SUFFIXES):
        return True
    return may_have_head(path) and names_python(head)


def names_python(head: str | bytes) -> bool:
    """Whether the first line of a text makes Python run it: ``#!/usr/bin/env python3``."""
    if isinstance(head, bytes):
        head = head[:HEAD_BYTES].decode("utf-8", "replace")
    if not head.startswith("#!"):
        return False
    words = re.split(r"[\r\n]", head[2:HEAD_BYTES], maxsplit=1)[0].split()
    if words and _name_of(words[0]) == "env":
        words = words[1:]
        while words and (words[0].startswith("-") or _SETTING.fullmatch(words[0])):
            words = words[1:]
    if not words:
        return False
    name = _name_of(words[0])
    return _INTERPRETER.fullmatch(name) is not None or (name in _RUNNERS and words[1:2] == [_RUNNERS[name]])


def _name_of(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2]
