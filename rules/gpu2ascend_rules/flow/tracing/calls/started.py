"""Words that a command gives to options of the project: ``f"python train.py --device {device}"``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...templates import plain_text
from ..parts import TracerPart
from ..texts import Texts
from ..values import Value
from .declarations import declaration_of, option_before

_GIVEN = re.compile(r"(?:^|\s)(--?[A-Za-z][\w-]*)(?:=|\s+)[\"']?$")
"""The option that what follows is given to."""
_MARK = "\0"
_SCRIPT = re.compile(r"(?:^|[\s/])([\w-]+\.py)(?!\S)")


class Started(TracerPart):
    """The steps from a command to the options of what it starts."""

    def of_text(self, value: Value, command: Value) -> Iterator[Value]:
        """The option that a word is given to which has become a part of a command."""
        if not self._subject.may_become(value.text):
            return
        before, mark, _ = Texts(command.file.source, value.part, _MARK).of(command.node).partition(_MARK)
        given = _GIVEN.search(before) if mark else None
        if given is not None:
            yield from self._given(command, given[1], _SCRIPT.findall(command.text))

    def of_element(self, value: Value, display: Node) -> Iterator[Value]:
        """The option that a variable in the list of a command is given to, whose literals have a rule."""
        option = option_before(value.node) if value.is_kept else None
        if option is not None:
            texts = (plain_text(item) or "" for item in display.named_children)
            yield from self._given(value, option, [name for it in texts for name in _SCRIPT.findall(it)])

    def _given(self, value: Value, option: str, scripts: list[str]) -> Iterator[Value]:
        for file in self._tracer.files.declaring(option):
            is_started = not scripts or file.path.rpartition("/")[2] in scripts
            declaration = declaration_of(option, file.source) if is_started else None
            if declaration is None:
                continue
            given = Value(file, declaration, text=self._subject.sample, is_certain=value.is_certain)
            if declaration.type == "call":
                yield from self._tracer.calls.given_to_option(given, declaration)
            else:
                yield from self._tracer.reads(given, declaration)
