"""The JSON schema says of every option what the definition of the options says."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.guides import guide
from gpu2ascend_rules.messages import LANGUAGES
from gpu2ascend_rules.options.option_info import OptionGroup, OptionInfo
from gpu2ascend_rules.options.options import MigrationOptions, option_infos, options_from
from gpu2ascend_rules.options.schema import described, group_titles, option_properties, option_values
from gpu2ascend_rules.options.spelling import camel_case

NAMES = list(option_infos())


def test_every_option_is_a_property_and_nothing_else_is() -> None:
    assert list(option_properties()) == [camel_case(name) for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_default_is_a_value_that_the_option_takes_and_changes_nothing(name: str) -> None:
    schema = option_properties()[camel_case(name)]
    assert options_from({camel_case(name): schema["default"]}) == MigrationOptions()


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_is_a_value_that_the_option_takes(name: str) -> None:
    schema = option_properties()[camel_case(name)]
    for choice in schema.get("enum", ()):
        options_from({name: choice})


@pytest.mark.parametrize("name", NAMES)
def test_types_match_the_defaults(name: str) -> None:
    schema = option_properties()[camel_case(name)]
    kinds = {
        "string": str,
        "boolean": bool,
        "array": list,
        "object": dict,
        "null": type(None),
        "integer": int,
    }
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert isinstance(schema["default"], tuple(kinds[kind] for kind in types))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_is_described_in_a_group_that_has_a_title(language: str) -> None:
    groups = {group["id"] for group in group_titles(language)}
    for schema in option_properties(language).values():
        assert schema["title"] and schema["description"] and schema["group"] in groups


def test_texts_are_in_the_language_asked_for() -> None:
    assert option_properties("zh")["hardware"]["title"] == "昇腾硬件"


def test_what_an_option_depends_on_is_reported_by_json_names() -> None:
    info = OptionInfo(help_id="option.hardware", group=OptionGroup.AMP, depends_on=(("unsafe_fixes", True),))
    assert described(info, "en")["dependsOn"] == {"unsafeFixes": True}


def test_values_are_what_options_are_read_from() -> None:
    given = {"version": "2.8.0", "hardware": "A3", "ignore": ["NPU7"], "severities": {"NPU101": "hint"}}
    options = options_from(given)
    values = option_values(options)
    assert {name: values[name] for name in given} == given
    assert options_from(values) == options


def test_what_a_migration_reports_anyway_is_marked() -> None:
    properties = option_properties()
    unheeded = {name for name, schema in properties.items() if schema.get("ofMigration") is False}
    assert unheeded == {"unknownApis", "restrictedApis", "modes"}


def test_an_option_with_a_guide_names_its_topic() -> None:
    guides = {name: schema["guide"] for name, schema in option_properties().items() if "guide" in schema}
    assert guides == {"customRule": "custom-rules"}
    assert all(guide(topic, language) for topic in guides.values() for language in LANGUAGES)


def test_a_form_knows_with_which_targets_an_option_has_no_effect() -> None:
    properties = option_properties()
    assert properties["version"]["noEffectWith"] == {"target": ["mindspore"]}
    assert properties["hardware"]["noEffectWith"] == {"target": ["accelerator", "mindspore"]}
    others = {"target": ["accelerator", "mindspore"], "auto": [True]}
    assert properties["specifyDevice"]["noEffectWith"] == others
    assert "noEffectWith" not in properties["exclude"]
