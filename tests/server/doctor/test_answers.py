"""What ``explain`` answers to codes, words and the beginnings of rule codes."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.answers import answer_to
from gpu2ascend.doctor.logs.table import row_of_code, table
from gpu2ascend.doctor.tables import rows
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES
from tests.cases import every_case


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


def test_a_documented_code_has_a_cause() -> None:
    with every_case() as case:
        for code in [row["code"] for row in rows("documented_codes")]:
            with case(code):
                row = row_of_code(code)
                is_of_any_error = code.endswith("9999") or code in {"EZ9903", "EF2008", "W11001"}
                assert (row is None or row.kind == "general") == is_of_any_error
                answer = answer_to(code, Texts("en"))
                assert code.startswith("W") or answer is None or answer.lines[0].startswith(f"{code}: ")


def test_each_class_of_titles_has_codes() -> None:
    classes = {one for row in rows("failures") for one in row["codes"].split(",") if one.startswith("@")}
    titles = {row["title"] for row in rows("documented_codes")}
    assert len(classes) > 15
    assert all(any(title.startswith(one[1:]) for title in titles) for one in classes)
    assert not any(code.startswith("@") for row in table() for code in row.codes)


@pytest.mark.parametrize("name", ["torch", "einops", "12345", "QQQ", "EI00061", ""])
def test_other_names_have_another_answer(name: str) -> None:
    assert answer_to(name, Texts("en")) is None
