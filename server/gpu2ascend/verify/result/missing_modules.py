"""Where a module is that a run did not find: it decides what has to be done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ...project.paths import shown
from .coverage import files_without
from .model import Failure

_MISSING = re.compile(r"No module named '(?P<module>(?P<root>[\w-]+)[\w.-]*)'")
_WITHOUT = re.compile(
    r"cannot import name '(?P<name>\w+)' from '(?P<module>(?P<root>(?!torch(?:_npu)?\b)\w+)[\w.]*)'"
    r" \(\S*[/\\](?:site|dist)-packages[/\\]"
)
"""A name that an installed package does not have."""


def missing_module(failure: Failure, project: Path) -> tuple[Message, Message] | None:
    """Why a module is not found that is not simply not installed, and what to do."""
    without = _WITHOUT.search(failure.text)
    if without is not None:
        return _messages("part", without["root"], f"{without['module']}.{without['name']}")
    found = _MISSING.search(failure.text)
    if found is None:
        return None
    files = files_without(project, ())
    module, root = found["module"], found["root"]
    folder = _folder_of(module, files)
    if folder is not None:
        kind = "of-project"
    elif module == root:
        return None
    else:  # Python imports what is before the last dot first
        kind = "part" if _folder_of(root, files) is None else "absent"
    return _messages(kind, root, module, folder or "")


def _messages(kind: str, root: str, module: str, folder: str = "") -> tuple[Message, Message]:
    given = {"module": shown(module), "root": shown(root), "folder": shown(folder)}
    key = f"verify.module.{kind}"
    return Message.of(f"{key}.cause", **given), Message.of(f"{key}.remedy", **given)


def _folder_of(module: str, files: Iterable[str]) -> str | None:
    """The folder nearest to the top of a project in which Python would find a module."""
    inside = module.replace(".", "/")
    pattern = re.compile(rf"(?:(?P<folder>.+?)/)?{re.escape(inside)}(?:\.pyw?$|/.)")
    matches = (pattern.match(path) for path in files)
    folders = [match["folder"] or "." for match in matches if match is not None]
    return min(folders, key=lambda folder: (folder != ".", folder.count("/"), folder), default=None)
