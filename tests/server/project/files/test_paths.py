"""Names of files as text."""

from __future__ import annotations

import os

import pytest

from gpu2ascend.project.paths import shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"plain.py", "plain.py"),
        ("训练 🚀.py".encode(), "训练 🚀.py"),
        ("👩\u200d💻.py".encode(), "👩\u200d💻.py"),
        (b"latin\xe9.py", "latin\\xe9.py"),
        (b"two\nlines\t.py", "two\\x0alines\\x09.py"),
        ("line\u2028separator".encode(), "line\\u2028separator"),
    ],
)
def test_a_name_is_one_line_of_valid_text(name: bytes, text: str) -> None:
    assert shown(os.fsdecode(name)) == text
    shown(os.fsdecode(name)).encode("utf-8")
