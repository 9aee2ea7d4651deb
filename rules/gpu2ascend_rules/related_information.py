"""What is shown beside a finding: where its name was bound, whether the code is deprecated or useless."""

from __future__ import annotations

import re
from functools import cache

from .data import load_tsv
from .engine.registry import rule_by_code
from .model.finding import Finding, Message, Related
from .model.versions import Version
from .text.scopes import BindingKind
from .text.source_file import SourceFile


def is_without_effect(finding: Finding) -> bool:
    """Whether the code does nothing on an NPU."""
    rule = rule_by_code(finding.code)
    return rule is not None and finding.message.id.partition(".")[2] in rule.without_effect


def is_deprecated(finding: Finding, version: Version) -> bool:
    """Whether the finding is about an API that PyTorch itself calls deprecated in a version."""
    since = _deprecated().get(finding.api or "")
    return since is not None and version >= since


def place_of_name(data: bytes, finding: Finding) -> tuple[int, int]:
    """Where a finding on a whole statement, such as an import, has the name of its API; else all of it."""
    text = data[finding.start : finding.end]
    name = (finding.api or "").rpartition(".")[2].encode()
    found = re.search(rb".*\b(%b)\b" % re.escape(name), text, re.DOTALL)
    if len(text.split()) < 2 or not name or found is None:
        return finding.start, finding.end
    return finding.start + found.start(1), finding.start + found.end(1)


def place_of_alias(source: SourceFile, finding: Finding) -> Related | None:
    """Where the file gave another name to what the finding is about: an import under another name, or of a
    part, or an assignment. ``None`` where the name is the API's own.
    """
    node = source.node_at(finding.start, finding.start)
    if node is None or node.type != "identifier" or not finding.api:
        return None
    meaning = source.names.resolve(node)
    if meaning is None or meaning.binding is None:
        return None
    target, binding = meaning.qualified_name, meaning.binding
    is_about_it = finding.api == target or finding.api.startswith(f"{target}.")
    is_named = binding.kind in (BindingKind.IMPORT, BindingKind.ASSIGNMENT) and binding.name != "*"
    if not is_about_it or not is_named or target == binding.name:
        return None
    start, end = binding.node.start_byte, binding.node.end_byte
    if start <= finding.start < end:
        return None
    return Related(start, end, Message.of("finding.alias", name=source.text_of(node), target=target))


@cache
def _deprecated() -> dict[str, Version]:
    rows = load_tsv("deprecated")
    return {row["api"]: Version(*(int(part) for part in row["since"].split("."))) for row in rows}
