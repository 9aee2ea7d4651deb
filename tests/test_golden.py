"""Golden samples: what differs fails a test, also while it is written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message, OptionName
from tests.golden import UPDATED, agrees, unusual, with_arguments
from tests.pieces import agree, codes
from tests.telling import tell_ids


def test_what_is_as_it_was_agrees(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    agrees(tmp_path / "a.txt", "one\n")


@pytest.mark.parametrize("given", ["", "two\n"])
def test_what_differs_is_shown_and_left(tmp_path: Path, given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UPDATED, raising=False)
    golden = tmp_path / "a.txt"
    golden.write_text("one\n")
    with pytest.raises(AssertionError, match="-one"):
        agrees(golden, given)
    assert golden.read_text() == "one\n"
    with pytest.raises(AssertionError):
        agrees(tmp_path / "missing.txt", given)


def test_what_is_written_down_fails_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UPDATED, "1")
    golden = tmp_path / "goldens" / "a.txt"
    with pytest.raises(AssertionError, match="is written"):
        agrees(golden, "one\n")
    agrees(golden, "one\n")


def test_a_piece_of_code_has_its_outcome_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = tmp_path / "samples" / "a.txt"
    pieces.parent.mkdir()
    pieces.write_text("a\nb\n#> 3\n\n# c\n")
    assert codes(pieces) == ["a\nb", "# c"]
    agree(pieces, lambda code: ["3"] if "a" in code else [])
    with pytest.raises(AssertionError, match="#> 3"):
        agree(pieces, lambda _: [])
    monkeypatch.setenv(UPDATED, "1")
    with pytest.raises(AssertionError, match="is written"):
        agree(pieces, lambda code: code[:1])
    assert pieces.read_text() == "a\nb\n#> a\n\n# c\n#> #\n"


def test_what_is_unusual_is_what_is_more_and_what_is_missing() -> None:
    assert list(unusual(["+a", "+b", "+b"], ["+b", "+c"])) == ["+a", "+b", "without +c"]
    assert list(unusual(["+b", "+c"], ["+b", "+c"])) == []
    assert list(unusual(["+a"], ["+b", "+c"])) == ["+a", "nothing of the usual"]


def test_a_message_is_told_by_its_id_and_arguments() -> None:
    inner = Message.of("walk.given", text="f")
    message = Message.of("NPU201.unsure", text="cuda", reason=inner, option=OptionName("--x", "t"))
    assert with_arguments(message) == "NPU201.unsure text='cuda' reason=(walk.given text='f') option=--x"


def test_texts_tell_which_message_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)
    assert render(Message.of("walk.given", text="f"), "zh") == "«walk.given(text=f)»"
    with pytest.raises(KeyError):
        render(Message.of("no.such"), "en")
