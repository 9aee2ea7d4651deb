"""What ``explain`` answers to codes, words and the beginnings of rule codes."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.answers import answer_to
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ("EI0006", "code", "HCCL_CONNECT_TIMEOUT"),
        ("ei0006", "code", "HCCL_CONNECT_TIMEOUT"),
        ("507015", "code", "The aicore execution is abnormal"),
        ("507099", "code", "runtime"),
        ("ERR02200", "code", "CANN"),
        ("EZ9999", "code", "$ "),
        ("float64", "word", "float32"),
        ("fsdp", "word", "hccl"),
        ("HCCL", "word", "NPU402"),
        ("310P", "word", "inference"),
        ("nvcc", "word", "Ascend C"),
        ("NPU9", "rules", "NPU902"),
        ("ADV", "rules", "ADV101"),
    ],
)
def test_an_answer(asked: str, kind: str, said: str) -> None:
    answer = answer_to(asked, Texts("en"))
    assert answer is not None
    assert answer.kind == kind and said in "\n".join(answer.lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_in_each_language(language: str) -> None:
    assert all(answer_to(name, Texts(language)) for name in ("EI0002", "float8", "NPU1", "561003"))


@pytest.mark.parametrize("name", ["torch", "einops", "12345", "QQQ", "EI00061", ""])
def test_other_names_have_another_answer(name: str) -> None:
    assert answer_to(name, Texts("en")) is None
