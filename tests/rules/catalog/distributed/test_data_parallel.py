"""The wrapper for many devices in one process: when it is taken off, and what is left of the call."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

HEAD = "import torch.nn as nn\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m = nn.DataParallel(m)\nm.train()\n", "m.train()\n"),
        ("m = nn.DataParallel(module=m)\nm.train()\n", "m.train()\n"),
        ("n = nn.DataParallel(m)\n", "n = m\n"),
        ("n = nn.DataParallel(make(m), device_ids=[0])\n", "n = make(m)\n"),
        ("n = nn.DataParallel(a or b)\n", "n = (a or b)\n"),
    ],
)
def test_the_model_stays(before: str, after: str) -> None:
    assert fixed("NPU409", HEAD + before) == HEAD + after


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("m = nn.DataParallel()", id="no model"),
        pytest.param("m = nn.DataParallel(**given)", id="no model to see"),
        pytest.param("m = nn.DataParallel(m)\nsave(m.module)", id="the wrapped model is used"),
    ],
)
def test_the_wrapper_is_only_reported(code: str) -> None:
    assert said("NPU409", f"{HEAD}{code}\n") == ["wrapper manual error: nn.DataParallel"]
    assert fixed("NPU409", f"{HEAD}{code}\n") == f"{HEAD}{code}\n"


@pytest.mark.parametrize(
    "code",
    [
        "m = nn.DataParallel(m).module\n",
        "class P(nn.DataParallel):\n    pass\n",
        "nn.parallel.data_parallel(m, x)\n",
    ],
)
def test_in_a_unit_test_it_is_information(code: str) -> None:
    severities = {
        path: [line.split()[2] for line in said("NPU409", HEAD + code, path)]
        for path in ("train.py", "tests/checkpoint.py", "pkg/test_model.py")
    }
    assert severities == {
        "train.py": ["error:"],
        "tests/checkpoint.py": ["information:"],
        "pkg/test_model.py": ["information:"],
    }
