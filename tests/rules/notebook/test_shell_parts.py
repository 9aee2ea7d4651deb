"""Which parts of a cell are shell code, and how the parser of Python sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.notebook.magics import mask_magics
from gpu2ascend_rules.notebook.shell_parts import Form, masked_part_cell, shell_parts

PARTS = [
    ("!nvidia-smi -L\n", [("nvidia-smi -L", Form.COMMAND)]),
    ("!!ls\n%sx ls\n%system ls", [("ls", Form.COMMAND)] * 3),
    ("x = !ls -l", [("ls -l", Form.COMMAND)]),
    ("if a:\n    !é ls\n", [("é ls", Form.COMMAND)]),
    ("!a \\\n  b\nx = 1", [("a \\\n  b", Form.COMMAND)]),
    (
        "%pip install torch  \n%conda list",
        [("pip install torch", Form.COMMAND), ("conda list", Form.COMMAND)],
    ),
    ("%env A=1\n%set_env B 2", [("A=1", Form.VARIABLE), ("B 2", Form.VARIABLE)]),
    ("%run a.py --x", [("run a.py --x", Form.RUN)]),
    ("%%capture\n!ls", [("ls", Form.COMMAND)]),
    ("%%bash\na=1\nb\n", [("a=1\nb\n", Form.SCRIPT)]),
    ("%%script bash --no-raise\na", [("a", Form.SCRIPT)]),
    ("%%writefile run.sh\na", [("a", Form.SCRIPT)]),
]
MODULES = [
    "%%writefile a.py", "%%writefile -a src/a.py", "%%file gui.pyw", "%%writefile 'a.py'",
    "%%python", "%%python3 -u", "%%pypy3", "%%script python", "%%script /usr/bin/python3.10 -u",
    "%%script bash_wrapper python",
]  # fmt: skip


@pytest.mark.parametrize("head", MODULES)
def test_a_cell_that_knows_nothing_of_the_notebook_is_a_module(head: str) -> None:
    (part,) = shell_parts(f"{head}\nimport torch\n")
    assert (part.start, part.form) == (len(head) + 1, Form.MODULE)


@pytest.mark.parametrize(
    "head", ["%%python -c x", "%%pythonic", "%%writefile a.pyx", "%%script perl python.pl"]
)
def test_a_cell_of_another_program_is_none(head: str) -> None:
    assert list(shell_parts(f"{head}\nimport torch\n")) == []


NONE = [
    "x = 1", "!", "%%bash", "%%bash\n", "%%writefile a.txt\nls", "%%script perl\nls", "%env", "a?",
    "%matplotlib inline", "x = '''\n!ls\n'''", "%%html\n!ls", "%timeit f()",
]  # fmt: skip


@pytest.mark.parametrize(("cell", "expected"), PARTS)
def test_shell_code_is_found_without_its_escape(cell: str, expected: list[tuple[str, Form]]) -> None:
    data = cell.encode()
    assert [(data[p.start : p.end].decode(), p.form) for p in shell_parts(cell)] == expected


@pytest.mark.parametrize("cell", NONE)
def test_nothing_else_is_shell_code(cell: str) -> None:
    assert list(shell_parts(cell)) == []
    assert list(shell_parts("!ls")) != []


@pytest.mark.parametrize("cell", [cell for cell, _ in PARTS])
def test_a_part_is_masked_as_its_cell_is(cell: str) -> None:
    shown = (mask_magics(cell) or masked_part_cell(cell) or "").encode()
    for part in shell_parts(cell):
        code = cell.encode()[part.start : part.end].decode()
        assert part.masked(code).encode() == shown[part.start : part.end]


@given(
    st.text(alphabet="!%= \n\\ab#'\"é(", max_size=30), st.sampled_from(["", "%%bash\n", "%%time\n", "x = "])
)
def test_any_text_keeps_its_length(text: str, head: str) -> None:
    cell = head + text
    shown = mask_magics(cell)
    shown = masked_part_cell(cell) if shown is None else shown
    parts = list(shell_parts(cell))
    assert shown is None or len(shown.encode()) == len(cell.encode())
    assert all(part.start < part.end <= len(cell.encode()) for part in parts)
