"""``check --watch``: a check at once, and one more after each change."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.cli.checks import watching

from ..conftest import TRAIN, Run, make_project


def test_a_change_is_checked_and_nothing_else(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path, {"p/train.py": TRAIN})
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            (tmp_path / "p/train.py").write_text("x = 1\n", encoding="utf-8")
        if len(naps) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(watching.time, "sleep", sleep)
    printed = run("check", "p", "-v", "2.8.0", "--watch")
    assert printed.out.count("Found 2 problems.") == printed.out.count("No problems found.") == 1
    assert printed.err.count("Watching for changes") == 2


@pytest.mark.parametrize("flags", [("--diff",), ("--add-ignore",), ("--output-format", "json")])
def test_it_goes_with_a_report_for_people_only(run: Run, tmp_path: Path, flags: tuple[str, ...]) -> None:
    make_project(tmp_path, {"p/train.py": TRAIN})
    done = run("check", "p", "-v", "2.8.0", "--watch", *flags)
    assert done.code == 2 and "--watch" in done.err and flags[0] in done.err


def test_settings_that_cannot_be_read_for_a_while_do_not_end_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path, {"p/train.py": TRAIN, "p/pyproject.toml": ""})
    texts = iter(["[tool.gpu2ascend]\nversio", "[tool.gpu2ascend]\nselect = 'NPU110'\n"])

    def sleep(seconds: float) -> None:
        text = next(texts, None)
        if text is None:
            raise KeyboardInterrupt
        (tmp_path / "p/pyproject.toml").write_text(text, encoding="utf-8")

    monkeypatch.setattr(watching.time, "sleep", sleep)
    printed = run("check", "p", "-v", "2.8.0", "--watch")
    assert printed.err.count("is not valid TOML") == 1
    assert printed.err.count("Watching for changes") == 3
