"""A text after its fixes, for tests that look at nothing else."""

from __future__ import annotations

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from


def migrated(
    text: str, version: str = "2.8.0", *, path: str = "", unsafe: bool = False, **settings: object
) -> str:
    """A file after its safe fixes, and the unsafe ones on demand."""
    options = options_from({"version": version, "unsafe_fixes": unsafe, **settings})
    return apply_fixes(text_file(text, path), options).text
