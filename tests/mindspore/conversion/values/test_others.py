"""What has methods named as those of tensors, and is none, is never changed; nor is what may be either."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

HEAD = "import torch\n\nones = torch.ones(1)\n"
OTHERS = {
    "an array": "\n".join(
        [
            "import numpy as np",
            "a = np.zeros((3, 4))",
            "b = a.transpose(1, 0), a.std(), a.size, a.repeat(2), a.max()",
            "",
        ]
    ),
    "computed of arrays": "\n".join(
        [
            "import numpy as np",
            "a = np.roll(np.zeros(4), 1) * 2 - (0.1 if ones else -0.1)",
            "b = a.std(), a.sum(), np.abs(-a).max()",
            "",
        ]
    ),
    "several at once": "\n".join(
        [
            "import numpy as np",
            "from sklearn.manifold import TSNE",
            "a = TSNE().fit_transform(np.zeros((4, 2)))",
            "b, c = a[:, 0], a[:, 1]",
            "d = b.min(), c.max()",
            "",
        ]
    ),
    "given by each caller": "\n".join(
        [
            "import numpy as np",
            "def scaled(a):",
            "    return a.max() / a.sum()",
            "scaled(np.zeros(4))",
            "scaled(np.ones(4) > 0.5)",
            "",
        ]
    ),
    "a part of one": "\n".join(
        ["import numpy as np", "a = np.load('a.npy')[0]", "b = a.T.std(), a.view(), a.copy()", ""]
    ),
    "a table": "\n".join(
        [
            "import pandas as pd",
            "t = pd.read_csv('t')",
            "b = t.values, t.std(), t.size, t.apply(len), t['a'].max()",
            "",
        ]
    ),
    "an image": "\n".join(
        [
            "from PIL import Image",
            "i = Image.open('i')",
            "b = i.size, i.transpose(0), i.split(), i.copy()",
            "",
        ]
    ),
    "a fraction": "\n".join(
        ["from fractions import Fraction", "f = Fraction(1, 2)", "b = f.real, f.imag, f.numerator", ""]
    ),
    "a decimal": "\n".join(
        ["from decimal import Decimal", "d = Decimal(3)", "b = d.exp(), d.sqrt(), d.max(d)", ""]
    ),
    "an expression": "\n".join(
        ["import polars as pl", "e = pl.col('c')", "b = e.exp(), e.std(), e.sqrt()", ""]
    ),
    "a text": "\n".join(["s = 'a,b'", "b = s.split(','), s.split(), s.index('a')", ""]),
    "a list": "\n".join(["x = [1, 2]", "b = x.copy(), x.index(1)", ""]),
    "a dictionary": "\n".join(["d = {'a': 1}", "b = d.values(), d.copy(), d.data", ""]),
    "an own class": "\n".join(
        [
            "class Own:",
            "    def float(self): return 1.0",
            "o = Own()",
            "b = o.float(), o.data, o.apply(len), o.type",
            "",
        ]
    ),
    "arguments": "\n".join(
        [
            "import argparse",
            "args = argparse.ArgumentParser().parse_args()",
            "b = args.data, args.device, args.type",
            "",
        ]
    ),
    "a path": "\n".join(["from pathlib import Path", "p = Path('a')", "b = p.data, p.stat().size", ""]),
}


@pytest.mark.parametrize("lines", OTHERS.values(), ids=OTHERS)
def test_what_is_certainly_no_tensor_stays_as_it_is(lines: str) -> None:
    told = converted(f"{HEAD}{lines}")
    assert told.blockers == {}
    assert told.text == f"from mindspore import ops\n\nones = ops.ones(1)\n{lines}"


UNKNOWN = {
    "a parameter": "\n".join(["def f(x):", "    return x.std(), x.transpose(0, 1)", ""]),
    "a table": "\n".join(["def f(t):", "    return t.values, t.mean(), t.std(), t.size", ""]),
    "settings": "\n".join(["def f(cfg):", "    return cfg.data, cfg.type, cfg.size", ""]),
    "an item": "\n".join(["def f(xs):", "    return xs['a'].std(), [x.std() for x in xs]", ""]),
    "another value": "\n".join(
        ["def f(x):", "    y = torch.abs(x)", "    x = load(x)", "    return x.std(), y", ""]
    ),
    "an array then": "\n".join(
        [
            "import numpy as np",
            "def f(x):",
            "    y = torch.abs(x)",
            "    x = other(np.asarray(x))",
            "    return x.std(), y",
            "",
        ]
    ),
    "an array in forward": "\n".join(
        [
            "class Net(torch.nn.Module):",
            "    def forward(self, image):",
            "        return torch.from_numpy(image / image.std()), torch.from_numpy(image.copy())",
            "",
        ]
    ),
    "an own method": "\n".join(
        [
            "class Own:",
            "    def exp(self): return self",
            "    def sum(self, dim): return self",
            "def f(x):",
            "    x.exp()",
            "    return x.sum(dim=1), x.std()",
            "",
        ]
    ),
    "a library": "\n".join(["import sympy", "def f(x):", "    x.exp()", "    return x.std()", ""]),
    "a picture": "\n".join(
        ["import matplotlib", "def f(ax, x):", "    ax.scatter(0, x, x)", "    return ax.std()", ""]
    ),
}


@pytest.mark.parametrize("lines", UNKNOWN.values(), ids=UNKNOWN)
def test_what_may_be_something_else_keeps_the_file_as_it_is(lines: str) -> None:
    told = converted(f"{HEAD}{lines}")
    assert "receiver" in told.blockers.values() and told.text == f"{HEAD}{lines}"


PROVEN = {
    "an argument": "y = torch.abs(x)",
    "a second argument": "y = torch.nn.functional.mse_loss(torch.ones(1), x)",
    "a named one": "y = torch.matmul(torch.ones(1), other=x)",
    "one of many": "y = torch.cat([torch.ones(1), x])",
    "the input of a layer": "y = torch.nn.Linear(2, 2)(x)",
}


@pytest.mark.parametrize("line", PROVEN.values(), ids=PROVEN)
def test_what_torch_takes_as_a_tensor_is_one(line: str) -> None:
    told = converted(f"import torch\n\n\ndef f(x):\n    {line}\n    return y, x.std()\n")
    assert told.blockers == {} and "x.std(ddof=1)" in told.text


OUTPUT = "import torch\n{imports}\n\ndef f(net, x):\n    net.eval()\n    return net(x).std()\n"


def test_the_output_of_a_module_is_a_tensor() -> None:
    told = converted(OUTPUT.format(imports="import os"))
    assert told.blockers == {} and "net(x).std(ddof=1)" in told.text


def test_it_may_be_an_array_where_a_module_of_the_file_works_with_them() -> None:
    module = (
        "import numpy as np\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        return np.sort(x.numpy())\n"
    )
    assert converted(OUTPUT.format(imports=module)).blockers["net(x).std"] == "receiver"


@pytest.mark.parametrize("body", ["return net(x).std()", "y = net(x)\n    return y.std()"])
def test_what_a_class_of_the_file_has_as_well_may_be_its_output(body: str) -> None:
    text = OUTPUT.replace("return net(x).std()", body)
    own = "class Normal:\n    def {}(self):\n        return 1\n"
    assert "receiver" in converted(text.format(imports=own.format("std"))).blockers.values()
    assert converted(text.format(imports=own.format("width"))).blockers == {}


def method(name: str, imports: str) -> str:
    return f"import torch\n{imports}\n\n\ndef f(x):\n    return torch.ones(1) * x.{name}, x.std()\n"


IMPORTS = {
    "the standard library": "import os",
    "a library that is known": "import yaml",
    "one whose objects have other methods": "import pandas",
}


@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
def test_a_method_that_only_tensors_have_proves_one(imports: str) -> None:
    told = converted(method("exp()", imports))
    assert told.blockers == {} and "x.std(ddof=1)" in told.text


OTHERS = {
    "a library that is not known": ("exp()", "import somelib"),
    "a part of one": ("exp()", "from somelib.things import Thing"),
    "one whose objects have it": ("pow(2)", "import pandas"),
    "a module of Python whose objects have it": ("exp()", "from decimal import Decimal"),
    "a class of the file": ("exp()", "class Own:\n    def exp(self):\n        return 1"),
    "a module of the file": ("exp()", "class Own(torch.nn.Module):\n    def exp(self):\n        return 1"),
}


@pytest.mark.parametrize(("name", "imports"), OTHERS.values(), ids=OTHERS)
def test_it_proves_nothing_where_something_else_may_have_it(name: str, imports: str) -> None:
    assert converted(method(name, imports)).blockers["x.std"] == "receiver"


@pytest.mark.parametrize(
    ("made", "element", "is_other"),
    [
        ("{'a': make(ones)}", "held['a']", False),
        ("[make(ones)]", "held[0]", False),
        ("(make(ones), 1)", "held[0]", False),
        ("[make(i) for i in range(3)]", "held[0]", False),
        ("{}", "held.get('a')", False),
        ("list(ones)", "held.pop()", False),
        ("{'a': 'b', 'c': 1}", "held['a']", True),
        ("['a', 'b']", "held[0]", True),
        ("[str(i) for i in range(3)]", "held[0]", True),
    ],
)
def test_what_a_list_holds_is_what_it_is(made: str, element: str, is_other: bool) -> None:
    text = f"{HEAD}from lib import make\n\nheld = {made}\nprint({element}.split(1))\n"
    assert (converted(text).blockers == {}) is is_other
