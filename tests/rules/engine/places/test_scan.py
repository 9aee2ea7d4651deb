"""Rules for kinds beside Python: what they are shown, what silences them, and what a file costs that has
nothing for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from gpu2ascend_rules.catalog.shell import nvidia_smi
from gpu2ascend_rules.catalog.shell.variables import ShellVariable
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.outlines import Outline
from gpu2ascend_rules.engine.places import scan
from gpu2ascend_rules.engine.places.scan import may_concern_kind
from gpu2ascend_rules.engine.rule import Handler
from gpu2ascend_rules.kinds.registry import kind_called, text_file
from gpu2ascend_rules.kinds.shell.script import ShellFile
from gpu2ascend_rules.kinds.yaml import YamlFile
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def codes(text: str, **settings: object) -> list[str]:
    options = options_from({"version": "2.8.0", **settings})
    return [finding.code for finding in check(text_file(text, "a.sh"), options)]


def test_a_comment_of_the_language_silences_a_rule() -> None:
    text = "export CUDA_VISIBLE_DEVICES=0"
    assert codes(text) == ["NPU1001"]
    assert codes(f"{text}  # gpu2ascend: ignore[NPU1001]\n") == []
    assert codes(f"# gpu2ascend: ignore-file\n{text}\n") == []
    assert codes(f"{text}  # gpu2ascend: ignore[NPU1004]\n") == ["NPU1001"]


def test_rules_are_chosen_as_those_for_python() -> None:
    assert codes("export CUDA_VISIBLE_DEVICES=0\n", ignore=["NPU1001"]) == []
    assert codes("export CUDA_VISIBLE_DEVICES=0\nnvidia-smi\n", select=["NPU1004"]) == ["NPU1004"]


def test_a_file_without_a_word_of_any_rule_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ShellFile, "places", lambda self: pytest.fail("parsed"))
    assert codes("python train.py --lr 1\n" * 100) == []


def test_the_words_are_found_in_any_case_of_letters() -> None:
    assert may_concern_kind(kind_called("shell"), b"Export CUDA_HOME")
    assert not may_concern_kind(kind_called("shell"), b"make all")


def test_a_rule_that_fails_costs_its_own_findings_only(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[str] = []
    monkeypatch.setattr(ShellVariable, "_renamed", lambda *_: 1 / 0)
    source = text_file("export CUDA_VISIBLE_DEVICES=0\nnvidia-smi\n", "a.sh")
    found = check(source, OPTIONS, on_error=lambda code, error: failed.append(code))
    assert ([item.code for item in found if not is_defect(item)], failed) == (["NPU1004"], ["NPU1001"])
    assert [(item.code, item.start) for item in found if is_defect(item)] == [("NPU1001", 7)]


@pytest.mark.parametrize(("text", "is_asked"), [("ls\n", False), ("nvidia-smi\n", True)])
def test_a_rule_is_asked_where_a_word_of_its_own_stands(
    monkeypatch: pytest.MonkeyPatch, text: str, *, is_asked: bool
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(nvidia_smi, "_place_of_program", asked.append)
    check(text_file(f"export CUDA_VISIBLE_DEVICES=0\n{text}", "a.sh"), OPTIONS)
    assert (asked != []) == is_asked


def test_the_handlers_of_a_rule_are_looked_up_once_for_files_with_the_same_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_up: list[str] = []

    def look_up(rule: Outline, number: int) -> Handler:
        looked_up.append(rule.code)
        return _nothing

    monkeypatch.setattr(Outline, "place_handler", look_up)
    scan._chosen.cache_clear()
    first, same, other = (
        codes("export CUDA_VISIBLE_DEVICES=0\n"),
        len(looked_up),
        codes("export CUDA_VISIBLE_DEVICES=1  # another text\n"),
    )
    assert (first, other, len(looked_up)) == ([], [], same)
    assert "NPU1001" in looked_up
    codes("nvidia-smi\n")
    assert len(looked_up) > same
    scan._chosen.cache_clear()


def test_values_are_looked_for_by_the_words_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[set[bytes]] = []

    def places(file: YamlFile, words: Iterable[bytes]) -> Iterator[object]:
        given.append(set(words))
        return iter(())

    monkeypatch.setattr(YamlFile, "places_about", places)
    check(text_file("device: cuda\nseed: 1\n", "a.yaml"), OPTIONS)
    assert given == [{b"cuda"}]


def _nothing(place: object, context: object) -> Iterator[Finding]:
    return iter(())
