"""The tables of an analysis of a library, in both of the vendor's forms and as our document."""

from __future__ import annotations

import json

import pytest

from gpu2ascend_rules.custom.reading.affected import AffectedFileError, read_affected

FULL = "File,3rd-party API,Message\nlib/a.py,lib.f,NA\nlib/b.py,lib.b.Net.forward,NA\n"
BY_TORCH = 'Torch API,Affected 3rd-party API\ntorch.nn.Transformer,"lib.f\nlib.b.g"\ntorch.foo,lib.f\n'


def names(text: str) -> list[str]:
    return [rule.name for rule in read_affected(text)]


def test_the_table_with_a_row_for_each_function() -> None:
    assert names(FULL) == ["lib.f", "lib.b.Net.forward", "lib.b.Net"]


def test_the_table_with_a_row_for_each_api_of_torch() -> None:
    assert names(BY_TORCH) == ["lib.f", "lib.b.g"]


def test_it_says_which_api_of_torch_it_is_about() -> None:
    assert [rule.message for rule in read_affected(BY_TORCH)] == ["torch.nn.Transformer"] * 2


def test_a_constructor_is_the_class() -> None:
    assert names(FULL.replace("forward", "__init__")) == ["lib.f", "lib.b.Net"]


def test_a_mark_at_the_beginning_and_windows_line_ends() -> None:
    assert names("\ufeff" + FULL.replace("\n", "\r\n")) == names(FULL)


def test_our_document() -> None:
    affected = [{"names": ["lib.f", "pkg.f"], "reaches": [{"api": "torch.foo"}, {"api": "torch.foo"}]}]
    rules = read_affected(json.dumps({"third_party": {"affected": affected}}))
    assert [(rule.name, rule.message) for rule in rules] == [("lib.f", "torch.foo"), ("pkg.f", "torch.foo")]


def test_what_is_no_name_is_passed_over() -> None:
    assert names("3rd-party API\n=cmd()\nlib.f\n\n") == ["lib.f"]


@pytest.mark.parametrize("text", ["", "File,Api\na,b\n", "{", "{}", '{"third_party": {"affected": [1]}}'])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(AffectedFileError):
        read_affected(text)
