"""Bounds of slices that NumPy computed are made numbers of Python."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

HEAD = "import numpy as np\nimport torch\n\nx = torch.zeros(9)\n"


@pytest.mark.parametrize(
    ("made", "part", "written"),
    [
        ("n = np.argmax(v)", "x[n:]", "x[int(n):]"),
        ("n = np.argmax(v)", "x[1:n + 2]", "x[1:int(n + 2)]"),
        ("n = np.argmax(v)\nm = n", "x[:m]", "x[:int(m)]"),
        (
            "def box(w):\n    a = np.clip(w, 0, 3)\n    return a, 4\n\n\nn, m = box(2)",
            "x[n:m]",
            "x[int(n):m]",
        ),
        ("ends = np.array([2, 4])\nn = ends[0]", "x[n:]", "x[int(n):]"),
        ("n = np.random.randint(4)", "x[n:]", "x[n:]"),
        ("n = len(v)", "x[n:]", "x[n:]"),
        ("n = np.argmax(v)\nx = v", "x[n:]", "x[n:]"),
    ],
    ids=[
        "a bound",
        "computed",
        "another name",
        "returned",
        "an element",
        "drawn",
        "of Python",
        "of an array",
    ],
)
def test_a_bound_of_a_slice_of_a_tensor(made: str, part: str, written: str) -> None:
    answer = converted(f"{HEAD}{made}\ny = {part}\n")
    assert answer.blockers == {}
    assert answer.text.endswith(f"\ny = {written}\n")


def test_a_bound_that_a_loop_draws_from_an_array() -> None:
    answer = converted(
        f"{HEAD}start = 0\nfor end in np.array([2, 4]):\n    y = x[start:end]\n    start = end\n"
    )
    assert "    y = x[int(start):int(end)]\n" in answer.text
