"""Which files are Python: by their names, or by their first lines."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.plain.python_files import is_python


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env python3",
        "#!/usr/bin/python -u",
        "#! /opt/conda/bin/python3.10",
        "#!/usr/bin/env -S python3 -O",
        "#!/usr/bin/env -S A=1 python",
        "#!/usr/bin/env ipython",
        "#!/usr/bin/env pypy3",
        "#!/usr/bin/env -S uv run --script",
        "#!C:\\Python\\python",
    ],
)
def test_the_first_line_names_the_interpreter(line: str) -> None:
    assert is_python("bin/train", f"{line}\nimport torch\n")
    assert is_python("bin/train", f"{line}\r\nimport torch\r\n".encode())


@pytest.mark.parametrize(
    "line",
    ["", "import torch", "#!", "#!/usr/bin/env", "#!/bin/bash", "#!/bin/sh python", "# python3",
     "#!/usr/bin/python-config", "#!/usr/bin/env -S uv pip"],
)  # fmt: skip
def test_another_first_line_does_not(line: str) -> None:
    assert not is_python("train", f"{line}\n")


def test_a_name_with_a_suffix_decides_alone() -> None:
    python = "#!/usr/bin/env python3\n"
    assert [is_python(name, "") for name in ("a.py", "A.PYW", "a/b.pyw")] == [True, True, True]
    assert [is_python(name, python) for name in ("a.sh", "a.ipynb", "a.", ".train", "a.b/train")] == [
        False, False, False, True, True,
    ]  # fmt: skip
