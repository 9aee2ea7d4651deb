"""What one rule says of a text, in few words, so that tables of tests can state it."""

from __future__ import annotations

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from


def said(code: str, text: str, path: str = "", **options: object) -> list[str]:
    """The findings of a rule in their order: ``key applicability severity: first line of what is found``."""
    file = text_file(text, path)
    found = check(file, options_from({"version": "2.8.0", "select": [code], **options}))
    data = text.encode()
    return [
        f"{item.message.id.partition('.')[2]} {item.applicability.value} {item.severity.value}: "
        + data[item.start : item.end].decode().partition("\n")[0]
        for item in found
    ]


def fixed(code: str, text: str, path: str = "", **options: object) -> str:
    """A text after all fixes of a rule, the unsafe ones too."""
    given = {"version": "2.8.0", "select": [code], "unsafe_fixes": True, **options}
    return apply_fixes(text_file(text, path), options_from(given)).text
