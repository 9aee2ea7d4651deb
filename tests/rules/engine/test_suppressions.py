"""Comments that silence findings."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check, silenced
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})
CALL = "torch.cuda.empty_cache()"


def count(text: str) -> int:
    return len(check(SourceFile(f"import torch\n{text}\n"), OPTIONS))


@pytest.mark.parametrize(
    "comment", ["ignore", "ignore[NPU101]", "ignore[NPU999, NPU101]", "ignore[NPU1]", "ignore[npu101]"]
)
def test_a_comment_silences_its_line(comment: str) -> None:
    assert count(f"{CALL}  # gpu2ascend: {comment}\n{CALL}") == 1


def test_a_comment_for_another_rule_silences_nothing() -> None:
    assert count(f"{CALL}  # gpu2ascend: ignore[NPU102]") == 1


def test_a_comment_at_the_end_of_a_finding_of_several_lines_silences_it() -> None:
    assert count("torch.cuda \\\n  .empty_cache()  # gpu2ascend: ignore") == 0


@pytest.mark.parametrize(("codes", "left"), [("", 0), ("[NPU101]", 0), ("[NPU102]", 2)])
def test_a_file_comment_silences_the_file(codes: str, left: int) -> None:
    assert count(f"{CALL}\n# gpu2ascend: ignore-file{codes}\n{CALL}") == left


def test_the_words_in_a_string_silence_nothing() -> None:
    assert count(f"x = '# gpu2ascend: ignore-file'\n{CALL}") == 1


@pytest.mark.parametrize(
    ("text", "in_file", "on_lines"),
    [
        (f"{CALL}\n{CALL}", 0, 0),
        (f"{CALL}  # gpu2ascend: ignore\n{CALL}", 0, 1),
        (f"# gpu2ascend: ignore-file\n{CALL}\n{CALL}  # gpu2ascend: ignore", 2, 0),
        (f"# gpu2ascend: ignore-file[NPU102]\n{CALL}", 0, 0),
    ],
)
def test_what_comments_silence_is_counted(text: str, in_file: int, on_lines: int) -> None:
    assert silenced(SourceFile(f"import torch\n{text}\n"), OPTIONS) == (in_file, on_lines)


def test_comments_for_a_file_may_have_no_effect() -> None:
    options = options_from({"project_settings": False}, OPTIONS)
    text = f"import torch\n# gpu2ascend: ignore-file\n{CALL}\n{CALL}  # gpu2ascend: ignore\n"
    assert len(check(SourceFile(text), options)) == 1
    assert silenced(SourceFile(text), options) == (0, 1)
