"""The published schema is the one that the reader goes by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.custom.reading.schema import json_schema
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.guides import CUSTOM_RULES, guide
from gpu2ascend_rules.messages import LANGUAGES

DOCS = Path(__file__).parents[4] / "docs"


def test_the_published_schema_is_made_from_the_definition() -> None:
    published = (DOCS / "custom-rules.schema.json").read_text(encoding="utf-8")
    assert published == json.dumps(json_schema(), indent=2) + "\n"


def test_the_rule_files_of_the_documentation_can_be_read() -> None:
    for language in LANGUAGES:
        blocks = (guide(CUSTOM_RULES, language) or "").split("```json\n")[1:]
        assert blocks
        for block in blocks:
            assert read_rules(block.partition("```")[0])


@pytest.mark.every_rule
def test_the_keys_of_examples_are_those_of_the_schema() -> None:
    kinds = json_schema()["properties"]["rules"]["properties"]
    for rule in all_rules():
        for example in rule.examples:
            for kind, rules in json.loads(example.rules or '{"rules": {}}')["rules"].items():
                known = kinds[kind]["items"]["properties"]
                assert all(set(item) <= set(known) for item in rules)
