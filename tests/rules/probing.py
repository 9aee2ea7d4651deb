"""The one place in a short piece of code that a test asks about."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import device_flow
from gpu2ascend_rules.flow.verdicts import Verdict
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def receiver_of_probe(source: SourceFile) -> Node:
    """The receiver of ``.PROBE``, which stands once in the code."""
    (identifier,) = source.identifiers("PROBE")
    assert identifier.parent is not None
    receiver = identifier.parent.child_by_field_name("object")
    assert receiver is not None
    return receiver


def verdict_on_cuda(code: str) -> Verdict:
    """What the text ``'cuda'`` is, which stands once in the code."""
    source = SourceFile(code)
    ((_, text),) = scan_strings(source, ["cuda"])
    return device_flow(Context(source, OPTIONS)).role_of(text)
