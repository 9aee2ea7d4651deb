"""What fixing a file does to its text, as one set of edits."""

from __future__ import annotations

from gpu2ascend_rules.fixing import apply_fixes, composed
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile


def edits_of_all(source: SourceFile, options: MigrationOptions) -> tuple[Edit, ...]:
    """What ``apply_fixes`` does to a file, as edits of its text that do not overlap."""
    return composed(source.data, apply_fixes(source, options).edits)
