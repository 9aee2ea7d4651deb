"""What must change in a migration, by construct: made from what the rules say of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules import Family, Rule, all_rules
from gpu2ascend_rules.explaining import documentation

from ..texts.catalogue import Texts
from ..texts.rule_title import title_of

CONSTRUCTS = "constructs"
"""What the pages are found by: ``constructs``, and ``constructs/device``."""
_PARTS = ("why", "instead", "example")


def families() -> dict[Family, list[Rule]]:
    """The rules of each family of constructs."""
    found: dict[Family, list[Rule]] = {}
    for rule in sorted(all_rules(), key=lambda item: (len(item.code), item.code)):
        found.setdefault(rule.family, []).append(rule)
    return found


def index() -> str:
    """The families of constructs, each with the name by which its page is found."""
    lines = (
        f"- `{family.value}`: {family.title} ({', '.join(rule.code for rule in rules)})"
        for family, rules in families().items()
    )
    places = "`explain` with `constructs/NAME`, and the resource `gpu2ascend://constructs/NAME`"
    head = f"# What must change, by construct\n\nFor each: {places}.\n"
    return "\n".join([head, *lines])


def page(name: str, texts: Texts) -> str | None:
    """What must change of a family of constructs; None where there is none of that name."""
    family = next((family for family in families() if family.value == name), None)
    if family is None:
        return None
    lines = [f"# {family.title}", ""]
    for rule in families()[family]:
        lines += [f"## {rule.code} {title_of(rule, texts)}", "", *_said(rule, texts.language), ""]
    return "\n".join([*lines, "Examples before and after: `explain CODE`."])


def _said(rule: Rule, language: str) -> Iterator[str]:
    parts = documentation(rule, language)
    for name in _PARTS:
        if parts.get(name):
            yield f"- {name}: {' '.join(parts[name].replace('``', '`').split())}"
