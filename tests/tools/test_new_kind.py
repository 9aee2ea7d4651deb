"""``make kind`` refuses what cannot be a kind; ``test_contributing`` runs what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.new_kind import NewKind, checked, main, write
from tools.new_rule import RefusedError


@pytest.mark.parametrize(
    ("name", "patterns", "reason"),
    [
        ("Procfile", "procfile", "lower-case words"),
        ("shell", "*.procfile", "is the name of a kind"),
        ("procfile", ",", "names no files"),
        ("procfile", "*.yaml", "a.yaml is a file of the kind yaml"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(name: str, patterns: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        checked(name, patterns)


def test_a_refusal_is_one_line_and_exit_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shell", "*.x"]) == 2
    assert capsys.readouterr().err == "error: shell is the name of a kind\n"


def test_never_replaces_a_folder(tmp_path: Path) -> None:
    (tmp_path / "rules/gpu2ascend_rules/kinds/procfile").mkdir(parents=True)
    with pytest.raises(RefusedError, match="exists"):
        write(NewKind("procfile", ("procfile",)), tmp_path)
