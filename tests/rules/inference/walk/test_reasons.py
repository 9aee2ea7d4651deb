"""What a walk cannot follow reaches the findings, in both languages."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.inference.walk.reading import Stop
from gpu2ascend_rules.inference.walk.reasons import message_of, reason
from gpu2ascend_rules.messages import LANGUAGES, render, translated
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def findings(code: str, message: str) -> list[Finding]:
    found = check(SourceFile(code), options_from({"version": "2.8.0"}))
    return [item for item in found if item.message.id == message]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("stop", Stop, ids=lambda stop: stop.name)
def test_every_reason_has_a_text(stop: Stop, language: str) -> None:
    assert "{text}" in translated(language)[f"walk.{message_of(stop)}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_no_place_is_known_a_reason_says_so(language: str) -> None:
    assert render(reason(()), language)


OWN = "import torch\nclass Batch:\n    def cuda(self): ...\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("def f(x):\n    x.cuda()", "`x` is a parameter without an annotation"),
        ("x = lib.load()\nx.cuda()", "the file does not show what `lib.load()` returns"),
        ("for x in batches:\n    x.cuda()", "`x` is an item of an unknown iterable"),
        ("with f() as x:\n    x.cuda()", "`x` is bound by a `with` or `except`"),
        ("x = 1\nx = torch.ones(2)\nx.cuda()", "`x` is assigned values of several kinds"),
        ("config.net.cuda()", "`config.net` is an attribute of an unknown object"),
    ],
)
def test_an_unsure_receiver_is_reported_with_the_reason(code: str, text: str) -> None:
    (found,) = findings(OWN + code, "NPU110.moved_perhaps")
    assert f"a class of the project defines such a method, and {text}" in render(found.message)


def test_a_receiver_that_is_known_needs_no_reason() -> None:
    assert findings(f"{OWN}x = torch.ones(2)\nx.cuda()", "NPU110.moved")
    assert not findings(f"{OWN}x = torch.ones(2)\nx.cuda()", "NPU110.moved_perhaps")


@pytest.mark.parametrize(
    ("code", "english", "chinese"),
    [
        ("lib.run('cuda')", "it is passed to `lib.run`", "它被传给 `lib.run`"),
        ("lib.run(x='cuda')", "it is passed to `lib.run`", "它被传给 `lib.run`"),
        ("x = 'cuda:0'\nlib.f(x)", "it is passed to `lib.f`", "它被传给 `lib.f`"),
        ("self.x = 'cuda'", "it is stored in `self.x`", "它被保存到 `self.x`"),
        ("d = {'device': 'cuda'}", "it stands in `'device': 'cuda'`", "它位于 `'device': 'cuda'` 中"),
        ("def f(n):\n    if n: return n\n    return 'cuda:0'", "a function returns it", "它由函数返回"),
    ],
)
def test_an_unsure_text_is_reported_with_where_it_went(code: str, english: str, chinese: str) -> None:
    (found,) = findings(f"import torch\nimport lib\n{code}\n", "NPU201.unsure")
    assert english in render(found.message)
    assert chinese in render(found.message, "zh")


def test_an_unsure_back_end_is_reported_with_where_it_went() -> None:
    (found,) = findings("import torch\nimport lib\nlib.run('nccl')\n", "NPU401.unsure")
    assert "it is passed to `lib.run`" in render(found.message)
    assert "它被传给 `lib.run`" in render(found.message, "zh")
