"""What is hidden of a cell, and that nothing else moves."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.notebook.magics import mask_magics

HIDDEN = [
    ("%matplotlib inline\nx = 1\n", "#matplotlib inline\nx = 1\n"),
    ("!pip install torch\n", "#pip install torch\n"),
    ("!!ls", "#!ls"),
    ("!pip install \\\n  torch\nx = 1", "#pip install \\\n# torch\nx = 1"),
    ("files = !ls", "files =0#ls"),
    ("files=!ls", "files=0#s"),
    ("a, *b = %sql select 1", "a, *b =0#sql select 1"),
    ('env["x"] = !echo 1', 'env["x"] =0#echo 1'),
    ("?torch.cuda", "#torch.cuda"),
    ("torch.cuda.amp??", "#orch.cuda.amp??"),
    ("if a:\n    !ls\n", "if a:\n    0#s\n"),
    ("if a:\n\t!\n", "if a:\n\t0\n"),
    ("!é\nx = 1", "#é\nx = 1"),
    ("é? \nx = 1", "##? \nx = 1"),
    ("%%time\ny = 1", "#%time\ny = 1"),
    ("\n%%capture out --no-stderr\ny = 1", "\n#%capture out --no-stderr\ny = 1"),
    ("%time y = f()", "pass; y = f()"),
    ("%timeit -n 10 f()", "pass;         f()"),
    ("%time !ls", "pass; 0#s"),
    ("x = 1\r\n%env A=1\r\ny = 2\r\n", "x = 1\r\n#env A=1\r\ny = 2\r\n"),
]
PYTHON = [
    "x = (a\n% b)",
    "x = '''\n%d\n!ls\n'''",
    'x = """a \\""" \n%d"""\n',
    "x = a \\\n% b",
    '"loss %d" % x',
    '"a = %s" % x',
    "x != y",
    "f(')')\n",
    "x = '\\\n% not a magic'\n",
    "# don't\nx = 1\n",
]
OTHERS = [
    "%%bash\nls",
    "%%writefile a.py\nimport torch",
    "%%html\n<b>",
    "%%python3\nx = 1",
    "%%\n",
    "%%!\nls",
]


@pytest.mark.parametrize(("cell", "shown"), HIDDEN)
def test_what_only_ipython_understands_is_hidden(cell: str, shown: str) -> None:
    assert mask_magics(cell) == shown
    ast.parse(shown)


@pytest.mark.parametrize("cell", PYTHON)
def test_python_stays_as_it_is(cell: str) -> None:
    assert mask_magics(cell) == cell


@pytest.mark.parametrize("cell", OTHERS)
def test_a_cell_for_something_else_is_not_python(cell: str) -> None:
    assert mask_magics(cell) is None


def test_a_line_that_is_hidden_in_part_may_hold_compound_statements_only_as_a_whole() -> None:
    assert mask_magics("%time for x in y: pass") == "#time for x in y: pass"


@given(st.text(alphabet="x=%!?,;/()[]'\"\\#\n\r \té😀:0", max_size=60))
def test_no_byte_moves_and_no_line_end(cell: str) -> None:
    shown = mask_magics(cell)
    if shown is not None:
        assert len(shown.encode()) == len(cell.encode())
        old, new = cell.encode(), shown.encode()
        assert [i for i, c in enumerate(old) if c in b"\r\n"] == [
            i for i, c in enumerate(new) if c in b"\r\n"
        ]
