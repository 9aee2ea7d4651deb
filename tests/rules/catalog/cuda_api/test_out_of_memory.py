"""A message that is searched for is found wherever it is kept."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OOM = "'CUDA out of memory'"
OPTIONS = options_from({"version": "2.8.0", "unsafe_fixes": True, "select": ["NPU107"]})


def found(text: str) -> list[str]:
    return [item.code for item in check(SourceFile(text), OPTIONS)]


def migrated(text: str) -> str:
    return apply_fixes(SourceFile(text), OPTIONS).text


KEPT = {
    "in a variable": f"m = {OOM}\nif m not in str(e):\n    raise\n",
    "in a list": f"m = [{OOM}]\nfor x in m:\n    if x in str(e):\n        pass\n",
    "among others": f"m = ({OOM}, 'cuDNN error')\nok = any(x in str(e) for x in m)\n",
    "on the spot": f"ok = any(x in str(e) for x in ({OOM}, 'cuDNN error'))\n",
    "in a class": f"class A:\n    M = {OOM}\n    def f(self, e):\n        return self.M in repr(e)\n",
    "as an argument": f"def has(e, m):\n    return m in str(e)\nhas(e, {OOM})\n",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_a_message_is_followed_to_its_search(text: str) -> None:
    assert migrated(text) == text.replace("CUDA out of", "out of")


@pytest.mark.parametrize("test", [f"str(e) == {OOM}", f"e.args[0] in ({OOM}, 'x')"])
def test_a_whole_text_stays_one(test: str) -> None:
    assert migrated(f"ok = {test}\n") == f"ok = {test}\n".replace("CUDA out of", "NPU out of")


def test_a_message_beside_a_comparison_is_not_searched_for() -> None:
    assert found(f"assert log({OOM}) == 3\n") == []


def test_the_beginning_of_a_text_stays_one() -> None:
    text = f"m = {OOM}\nif str(e).startswith(m):\n    pass\n"
    assert migrated(text) == text.replace("CUDA", "NPU")


@pytest.mark.parametrize(
    "use", ["print(m)", "raise RuntimeError(m)", "log.error(m)", "d = {m: 1}", "x = d[m]", "x = m + '!'"]
)
def test_a_message_that_is_not_searched_for_stays(use: str) -> None:
    assert found(f"m = {OOM}\n{use}\n") == []
    assert found(f"m = {OOM}\n{use}\nok = m in str(e)\n") == ["NPU107"]
