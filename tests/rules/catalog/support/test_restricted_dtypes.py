"""Dtypes that operators do not take on the NPU: reported where the dtype is evident."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.dtype_limits import dtypes_not_taken
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import choose_version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before


def found(code: str, version: str = "2.8.0") -> list[tuple[str | None, str]]:
    options = options_from({"version": version, "select": ["NPU005"]})
    findings = check(SourceFile(f"import torch\nimport torch.nn.functional as F\n{code}"), options)
    return [(item.api, str(dict(item.message.arguments)["dtype"])) for item in findings]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("torch.mm(x.double(), y)", ("torch.mm", "float64")),
        ("torch.mm(y, x.to(torch.float64))", ("torch.mm", "float64")),
        ("x.double().mm(y)", ("torch.Tensor.mm", "float64")),
        ("x.to(dtype=torch.complex64).cuda().view(2, 2).bmm(y)", ("torch.Tensor.bmm", "complex64")),
        ("x = torch.zeros(2, dtype=torch.double)\nF.silu(x)", ("torch.nn.functional.silu", "float64")),
        (
            "def f(x):\n    y = x.to(dtype=torch.double)\n    return torch.mm(y, x)\n"
            "def g(y):\n    return torch.mm(y, y)",
            ("torch.mm", "float64"),
        ),
        ("torch.mm(input=x.double(), mat2=y)", ("torch.mm", "float64")),
        ("x.double() @ y", ("torch.matmul", "float64")),
        ("torch.cuda.DoubleTensor(2, 2).mm(y)", ("torch.Tensor.mm", "float64")),
        ("x.type(torch.cuda.DoubleTensor).mm(y)", ("torch.Tensor.mm", "float64")),
    ],
)
def test_where_the_dtype_is_evident(code: str, expected: tuple[str, str]) -> None:
    assert found(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "torch.mm(x, y)",
        "torch.mm(x.double().float(), y)",
        "torch.add(x.double(), y)",
        "torch.mm(x.cpu().double(), y)",
        "x = torch.zeros(2, dtype=torch.double)\nx = other()\ntorch.mm(x, y)",
        "def f(x):\n    y = x.double()\n    if c:\n        y = y.float()\n    return torch.mm(y, y)",
        "def f(x):\n    y = x.double()\ndef g(y):\n    return torch.mm(y, y)",
        "torch.mm(x, y, out=z.double())",
        "x.double() * y",
        "torch.DoubleTensor(2, 2).mm(y)",
        "np.dot(x.double(), y)",
        "torch.mm(x.bfloat16(), y.half())",
        "x.double().contiguous()",
    ],
)
def test_nothing_elsewhere(code: str) -> None:
    assert found_before("\nd.double() @ e\n", code, found) == []


def test_lists_that_are_names_alone_limit_nothing() -> None:
    assert found("torch.mm(x.double(), y)", "2.1.0") == []
    assert found("torch.mm(x.double(), y)", "2.8.0") == [("torch.mm", "float64")]


def test_one_list_that_names_the_dtype_is_enough_to_take_it() -> None:
    facts = Facts.load(choose_version("2.8.0").version, Hardware.A2)
    assert "float64" in dtypes_not_taken("torch.matmul", facts)
    assert "float64" not in dtypes_not_taken("torch.add", facts)
    assert dtypes_not_taken("torch.no_such_thing", facts) == frozenset()
