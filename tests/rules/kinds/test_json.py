"""The values of JSON stand where they say."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting, Unread


def test_a_value_has_its_keys() -> None:
    text = '{"ä": 1, "run": {"device": "cuda:0"}, "all": [{"backend": "nccl"}, true]}'
    file = kind_file("config.json", text)
    assert file is not None
    found = [place for place in file.places() if isinstance(place, Setting)]
    assert [(place.keys, place.value) for place in found] == [
        (("ä",), "1"),
        (("run", "device"), "cuda:0"),
        (("all", "[]", "backend"), "nccl"),
        (("all", "[]"), "true"),
    ]
    assert all(file.slice(place.start, place.end) == place.value for place in found)


def test_commas_behind_last_items_are_read_over() -> None:
    text = '{"a": {"b": 1,}, // c\n "args": ["--gpus", "x,]y",\n  // "more",\n ],}\n'
    file = kind_file("devcontainer.json", text)
    assert file is not None
    found = [place for place in file.places() if isinstance(place, Setting)]
    assert [place.value for place in found][:2] == ["1", "--gpus"]
    assert file.slice(found[1].start, found[1].end) == "--gpus"


@pytest.mark.parametrize(
    "text", ['{"device": "cuda", "n": ${N}}', '{"device": "cuda"', '{"device": "cuda",,}']
)
def test_a_template_or_broken_file_gives_its_first_value_unread(text: str) -> None:
    file = kind_file("config.json", text)
    assert file is not None
    assert [type(place) for place in file.places()] == [Unread]


def test_values_without_the_words_asked_for_are_left_out() -> None:
    file = kind_file("config.json", '{"seed": 1, "GPUs": {"n": [2]}, "of": ["Cuda", "cpu"]}')
    assert file is not None
    near = file.places_about((b"cuda", b"gpus"))
    assert [place.value for place in near if isinstance(place, Setting)] == ["2", "Cuda"]


@pytest.mark.parametrize("second", ['{"device": "cuda"}', '{"device": "cuda", "text": "a "quoted" word"}'])
def test_lines_that_are_records_hold_no_settings(second: str) -> None:
    text = f'{{"device": "cuda"}}\n{second}\n{{"device": "cpu"}}\n'
    file = kind_file("answers.json", text)
    whole = kind_file("answers.json", text.replace("}\n", "},\n").replace("{", "[{", 1) + "]")
    assert file is not None and whole is not None
    assert not list(file.places()) and not file.is_broken
    assert list(whole.places())
