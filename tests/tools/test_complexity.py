"""The length of files and the ways through functions never become more than the limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.complexity import HELD_SHORT, MOST_LINES, PACKAGES, functions_of, over_the_limit, too_long


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("return 1", 1),
        ("if a and b or c: pass", 4),
        ("return [x for x in y if x if z]", 4),
        ("return a if b else c", 2),
        ("for x in y:\n        while z: pass", 3),
        ("try: pass\n    except E: pass\n    except F: pass", 3),
        ("match x:\n        case 1: pass\n        case _: pass", 3),
        ("def inner():\n        if a: pass", 1),
    ],
)
def test_each_decision_is_a_way(body: str, ways: int) -> None:
    assert dict(functions_of(f"def f():\n    {body}\n"))["f"] == ways


def test_a_function_is_named_by_what_it_is_in() -> None:
    text = "class A:\n    def f(self):\n        def g(): pass\nif x:\n    def h(): pass\n"
    assert [name for name, _ in functions_of(text)] == ["A.f", "A.f.g", "h"]


def test_a_function_with_too_many_ways_is_found(tmp_path: Path) -> None:
    package = tmp_path / PACKAGES[0]
    package.mkdir(parents=True)
    (package / "a.py").write_text(f"def f():\n    return {' or '.join('x' * 16)}\n\ndef g(): pass\n")
    assert over_the_limit(tmp_path) == {f"{PACKAGES[0]}/a.py:f": 16}


@pytest.mark.parametrize("folder", HELD_SHORT)
def test_a_file_with_too_many_lines_is_found(tmp_path: Path, folder: str) -> None:
    package = tmp_path / folder
    package.mkdir(parents=True)
    (package / "long.py").write_text("x = 1\n" * (MOST_LINES + 1))
    (package / "full.py").write_text("x = 1\n" * MOST_LINES)
    assert too_long(tmp_path) == {f"{folder}/long.py": MOST_LINES + 1}
