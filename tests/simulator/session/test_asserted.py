"""An assertion without a text says what it compared."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from gpu2ascend_simulator.session.failures import described


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ("x.shape[1] == nodes", "x.shape[1] == nodes: 37 and 307"),
        ("x.shape[0] == 5 and x.shape[1] == nodes", "x.shape[1] == nodes: 37 and 307"),
        ("count() == nodes", ""),
        ("nodes is None", ""),
        ("x.none == nodes", ""),
    ],
)
def test_numbers_that_differ_are_its_text(tmp_path: Path, test: str, text: str) -> None:
    path = tmp_path / "model.py"
    path.write_text(f"def check(x, nodes):\n    assert {test}\n")
    names: dict[str, object] = {"count": lambda: 1}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises((AssertionError, AttributeError)) as raised:
        names["check"](SimpleNamespace(shape=(5, 37)), 307)  # type: ignore[operator]
    if raised.type is AssertionError:
        assert described(raised.value, raised.tb)["text"] == text


def test_a_text_stays(tmp_path: Path) -> None:
    error = AssertionError("no data")
    assert described(error, None)["text"] == "no data"
