"""Options from plain data, and what is reported of a value that an option does not take."""

from __future__ import annotations

import attrs
import pytest

from gpu2ascend_rules.messages import LANGUAGES, catalogue, render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.options.choices import ApiStyle
from gpu2ascend_rules.options.contradictions import refuse_contradictions
from gpu2ascend_rules.options.option_info import OptionGroup
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, option_infos, options_from
from gpu2ascend_rules.options.spelling import camel_case, snake_case


@pytest.mark.parametrize("spelling", ["api_style", "api-style", "apiStyle"])
def test_names_are_taken_in_every_spelling(spelling: str) -> None:
    assert options_from({spelling: "torch.npu"}).api_style is ApiStyle.TORCH


def test_null_keeps_the_base() -> None:
    base = options_from({"hardware": "A3"})
    assert options_from({"hardware": None}, base).hardware is Hardware.A3


@pytest.mark.parametrize(
    ("values", "reported"),
    [
        ({"hardware": "V100"}, "choose one of A2, A3, 950DT, 910A"),
        ({"hardware": 3}, "expected a string, got 3"),
        ({"version": "9.9"}, "unknown PyTorch version '9.9'"),
        ({"unsafe_fixes": "yes"}, "expected true or false, got 'yes'"),
        ({"select": [1]}, "expected a list of strings, got [1]"),
        ({"verison": "2.8.0"}, "unknown option"),
        ({"target_model": "my model"}, "expected a variable that holds the model"),
        ({"target_model": ""}, "got ''"),
        ({"target_model": "net, self.2nd"}, "got 'self.2nd'"),
        ({"amp_model": "class"}, "got 'class'"),
        ({"amp_model": "model."}, "got 'model.'"),
    ],
)
def test_a_bad_value_is_reported_with_the_option_and_what_it_takes(
    values: dict[str, object], reported: str
) -> None:
    with pytest.raises(OptionError) as caught:
        options_from(values)
    assert reported in str(caught.value) and str(caught.value).startswith(next(iter(values)))


@pytest.mark.parametrize("value", ["model", "self.model", "generator, trainer.discriminator", "模型"])
def test_a_model_is_a_variable_or_several(value: str) -> None:
    assert options_from({"target_model": value, "amp_model": value}).target_model == value


def test_a_bad_value_is_reported_in_the_readers_language() -> None:
    with pytest.raises(OptionError) as caught:
        options_from({"hardware": "V100"})
    assert "可选：A2" in render(caught.value.reason, "zh")


def test_a_message_in_a_message_is_rendered_in_the_same_language() -> None:
    inner = Message.of("option.error.flag", value="1")
    outer = Message.of("cli.error.option", name="x", reason=inner)
    assert render(outer, "en") == "x: expected true or false, got 1"
    assert "应为" in render(outer, "zh")


def test_a_launcher_must_exist_in_the_version_where_it_has_an_effect() -> None:
    options = options_from({"version": "1.8.1", "launcher": "torchrun"})
    refuse_contradictions(options)
    with pytest.raises(OptionError, match=r"torchrun exists from version 1\.10 on"):
        refuse_contradictions(attrs.evolve(options, distributed=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_and_group_has_a_title(language: str) -> None:
    texts = catalogue(language)
    assert all(info.title_id in texts and info.help_id in texts for info in option_infos().values())
    assert all(f"option.group.{group.value}" in texts for group in OptionGroup)


def test_an_option_depends_on_options_that_take_the_value() -> None:
    for info in option_infos().values():
        options_from(dict(info.depends_on))


def test_spellings_go_there_and_back() -> None:
    for field in attrs.fields(MigrationOptions):
        assert snake_case(camel_case(field.name)) == field.name
