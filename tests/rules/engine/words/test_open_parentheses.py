"""Imports in a text whose parentheses do not end."""

from __future__ import annotations

from gpu2ascend_rules.check import check
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile


def test_a_comment_that_opens_a_parenthesis_behind_the_word_import_ends() -> None:
    """An expression that tries every division of the words would not end here."""
    text = f"# import ({'word, ' * 2_000}(\nimport torch\ntorch.cuda.synchronize()\n"
    findings = check(SourceFile(text), MigrationOptions(version=Version(2, 8, 0)))
    assert [finding.code for finding in findings] == ["NPU101"]
