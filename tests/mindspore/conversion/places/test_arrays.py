"""An array shares its memory with the tensor that torch makes of it, and does not there."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import numpy as np\nimport torch\n\n\ndef run(n):\n    a = np.zeros(3, np.float32)\n"


def reasons(body: str) -> set[str]:
    return set(converted(HEAD + "".join(f"    {line}\n" for line in body.splitlines())).blockers.values())


@pytest.mark.parametrize(
    "body",
    [
        "x = torch.from_numpy(a)\na[0] = 1\nreturn x + 1",
        "x = torch.from_numpy(a)\na[0][1] += 1\nreturn x + 1",
        "x = torch.from_numpy(a)\na.fill(2)\nreturn x + 1",
        "x = torch.as_tensor(a)\na[:] = 1\nreturn x + 1",
        "x = torch.from_numpy(a).view(-1)\na[0] = 1\nreturn x + 1",
        "x = torch.from_numpy(a)\nfor i in range(n):\n    a[0] = i\n    print(x + 1)",
        "for i in range(n):\n    x = torch.from_numpy(a)\n    a[0] = i\n    print(x + 1)",
        "x = torch.from_numpy(a)\nfor i in range(n):\n    print(x + 1)\n    a[0] = i",
        "x = torch.ones(3)\nfor i in range(n):\n    print(x + 1)\n    x = torch.from_numpy(a)\n    a[0] = i",
        "x = torch.ones(3)\nfor i in range(n):\n    a[0] = i\n    print(x + 1)\n    x = torch.from_numpy(a)",
    ],
)
def test_an_array_that_changes_under_its_tensor_keeps_the_file(body: str) -> None:
    assert reasons(body) == {"array"}


@pytest.mark.parametrize(
    "body",
    [
        "a[0] = 1\nx = torch.from_numpy(a)\nreturn x + 1",
        "x = torch.from_numpy(a.copy())\na[0] = 1\nreturn x + 1",
        "x = torch.from_numpy(a)\ny = x + 1\na[0] = 1\nreturn y",
        "x = torch.from_numpy(a)\na = np.ones(3)\na[0] = 1\nreturn x + 1",
        "x = torch.exp(torch.from_numpy(a))\na[0] = 1\nreturn x",
        "for i in range(n):\n    b = [i, 0]\n    b[0] = i\n    x = torch.as_tensor(b)\n    print(x + 1)",
        "for i in range(n):\n    a[0] = i\n    x = torch.from_numpy(a)\n    print(x + 1)",
    ],
)
def test_a_tensor_that_nobody_reads_behind_a_change_is_converted(body: str) -> None:
    assert reasons(body) == set()


def test_the_place_is_the_call() -> None:
    body = "    x = torch.from_numpy(a)\n    a[0] = 1\n    return x + 1\n"
    assert converted(HEAD + body).blockers == {"torch.from_numpy(a)": "array"}
