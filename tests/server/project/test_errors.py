"""What is said when something goes wrong, and which problems are limits."""

from __future__ import annotations

import pytest

from gpu2ascend.project.errors import OutputError, defect, limit_of, reason, write_error, writing
from gpu2ascend_rules.model.finding import Message

NO_SPACE = 28
NO_PERMISSION = 13


def test_a_defect_is_named_with_its_kind() -> None:
    message = defect(ValueError("of ours"))
    assert (message.id, dict(message.arguments)) == ("project.defect", {"detail": "ValueError: of ours"})


def test_of_a_long_defect_500_characters_are_shown() -> None:
    detail = str(dict(defect(ValueError("x" * 1000)).arguments)["detail"])
    assert detail == "ValueError: " + "x" * 488


@pytest.mark.parametrize(
    ("number", "expected"), [(NO_SPACE, "project.disk-full"), (NO_PERMISSION, "project.cannot-write")]
)
def test_a_full_disk_is_not_a_refusal(number: int, expected: str) -> None:
    error = write_error(OSError(number, "the system's words"), "a.py")
    assert error.message.id == expected
    assert dict(error.message.arguments) == {"path": "a.py", "reason": "the system's words"}


def test_an_error_without_words_is_named_by_its_kind() -> None:
    assert reason(PermissionError()) == "PermissionError"


def test_what_writing_raises_names_the_path() -> None:
    with pytest.raises(OutputError) as raised, writing("out/a.py"):
        raise OSError(NO_PERMISSION, "denied")
    assert dict(raised.value.message.arguments)["path"] == "out/a.py"


@pytest.mark.parametrize(
    "name", ["project.too-large", "project.time-limit", "project.nested", "lsp.too-large", "lsp.not-examined"]
)
def test_what_was_not_examined_for_its_cost_is_a_limit(name: str) -> None:
    message = Message.of(name)
    assert limit_of(message) is message


@pytest.mark.parametrize("problem", [None, Message.of("project.unparsable", line=1, reason="no")])
def test_what_is_wrong_with_a_file_itself_is_none(problem: Message | None) -> None:
    assert limit_of(problem) is None
