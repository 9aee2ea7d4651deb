"""NPU902: lists of visible devices that the NPU's runtime does not take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role
from ...flow.subjects.commands import command_role
from ...flow.subjects.environment import set_value, variable_role
from ...flow.subjects.variable_values import in_order, is_device_list, is_no_device
from ...flow.templates import plain_text
from ...model.finding import Applicability, Finding, Severity
from ...renames.texts import part_becomes, written_text
from ...text.syntax import last_name

_VARIABLES = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
_IN_COMMAND = re.compile(rf"(?:{'|'.join(_VARIABLES)})=(['\"]?)([^\s;&|'\"{{}}$%]+)\1")


class VisibleDevicesList(Rule):
    """A list of visible devices is in a form that the NPU's runtime does not accept.

    What it does: Checks literal values of CUDA_VISIBLE_DEVICES and of its counterpart. If the numbers are not
    in ascending order, or have spaces between them, it offers the corrected list; other values, such as
    UUIDs, are reported. The usual values for no device at all are not reported, nor is the default of a read,
    which the runtime never sees.

    Why it matters on the NPU: Unless the numbers are in ascending order, no device is visible at all. Reading
    stops at the first character that is neither a digit nor a comma.

    Example: ``os.environ['CUDA_VISIBLE_DEVICES'] = '3,1'``.

    Use instead: ``'1,3'``; the program, not the variable, must choose the order in which it uses its devices.
    """

    code = "NPU902"
    only_with = "VISIBLE_DEVICES"
    examples = (
        Example(
            "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '3,1'\n"
            "os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0, 2'\n",
            unsafe="import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '1,3'\n"
            "os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,2'\n",
        ),
        Example(
            "import os, subprocess\nos.system('CUDA_VISIBLE_DEVICES=2,0 python t.py')\n"
            "subprocess.run(c, env=dict(os.environ, CUDA_VISIBLE_DEVICES='1,0'))\n",
            unsafe="import os, subprocess\nos.system('CUDA_VISIBLE_DEVICES=0,2 python t.py')\n"
            "subprocess.run(c, env=dict(os.environ, CUDA_VISIBLE_DEVICES='0,1'))\n",
        ),
        Example("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = 'GPU-8932f937'\n"),
        Example.unchanged(
            "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '-1'\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\n"
            "os.environ['CUDA_VISIBLE_DEVICES'] = '0,1,10'\nos.environ['CUDA_VISIBLE_DEVICES'] = gpus\n"
            "print('CUDA_VISIBLE_DEVICES', '3,1')\nos.system('CUDA_VISIBLE_DEVICES=%d python t.py' % 1)\n"
        ),
    )

    @on.string(*_VARIABLES)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text in _VARIABLES:
            value = set_value(ref.node)
            if value is not None and variable_role(ref.node, ctx) is not Role.SHOWN:
                yield from self._value(value)
        elif "=" in ref.text and command_role(ref.node, ctx) is not Role.SHOWN:
            for match in _IN_COMMAND.finditer(written_text(ref.node)):
                yield from self._finding(ref.node, match.start(2), match[2])

    @on.keyword(*_VARIABLES)
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if last_name(ref.call) in ("dict", "update"):
            yield from self._value(ref.value)

    def _value(self, value: Node) -> Iterator[Finding]:
        if plain_text(value):
            yield from self._finding(value, 0, written_text(value))

    def _finding(self, node: Node, start: int, text: str) -> Iterator[Finding]:
        if is_no_device(text):
            return
        if not is_device_list(text):
            yield self.report(node, "other", Severity.ERROR, value=text)
            return
        numbers = in_order(text)
        if numbers == text:
            return
        edits = part_becomes(node, start, start + len(text), numbers)
        fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
        yield self.report(node, "order", Severity.WARNING, fix=fix, value=text)
