"""Which expressions are learning rates of groups of parameters: ``group["lr"]``."""

from __future__ import annotations

import re

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import field, text_of

from ..values.parameters import drawn_around

GROUPS = "param_groups"
_KEY = re.compile(r"""['"]lr['"]""")


def is_rate(node: Node) -> bool:
    """Whether it is ``group['lr']`` of a group of parameters."""
    value, key = field(node, "value"), field(node, "subscript")
    if value is None or key is None or not _KEY.fullmatch(text_of(key)):
        return False
    if value.type == "subscript":
        return _are_groups(field(value, "value"))
    drawn = drawn_around(value) if value.type == "identifier" else None
    return drawn is not None and not drawn.place and _are_groups(drawn.iterable)


def _are_groups(node: Node | None) -> bool:
    return node is not None and node.type == "attribute" and text_of(node).endswith(f".{GROUPS}")
