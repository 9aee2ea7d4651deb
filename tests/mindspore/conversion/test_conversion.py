"""A file of PyTorch as one of MindSpore: all of it, or nothing."""

from __future__ import annotations

from textwrap import dedent

import pytest

from .converting import converted

NETWORK = dedent(
    """\
    import math

    import torch
    import torch.nn as nn
    import torch.nn.functional as F


    class Net(nn.Module):
        def __init__(self, classes: int = 10):
            super(Net, self).__init__()
            self.body = nn.Sequential(
                nn.Conv2d(3, 8, 3, padding=1),  # keeps the size
                nn.BatchNorm2d(8),
                nn.ReLU(inplace=True),
            )
            self.fc = nn.Linear(8, classes)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.body(x)
            x = F.adaptive_avg_pool2d(x, 1).view(x.size(0), -1)
            return F.log_softmax(self.fc(x), dim=1) * math.sqrt(2)
    """
)
CELL = dedent(
    """\
    import math

    from mindspore import nn, ops, Tensor


    class Net(nn.Cell):
        def __init__(self, classes: int = 10):
            super(Net, self).__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(3, 8, 3, pad_mode='pad', padding=1, has_bias=True),  # keeps the size
                nn.BatchNorm2d(8),
                nn.ReLU(),
            )
            self.fc = nn.Dense(8, classes)

        def construct(self, x: Tensor) -> Tensor:
            x = self.body(x)
            x = ops.adaptive_avg_pool2d(x, 1).view(x.shape[0], -1)
            return ops.log_softmax(self.fc(x), axis=1) * math.sqrt(2)
    """
)


def test_a_module_becomes_a_cell_and_its_comments_stay() -> None:
    assert converted(NETWORK).text == CELL


def test_what_was_converted_has_nothing_left_to_convert() -> None:
    assert converted(CELL).text == CELL


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("y = torch.svd(x)", "torch.svd(x)", "no-target"),
        ("y = torch.cat([x], out=w)", "torch.cat([x], out=w)", "argument"),
        ("y = torch.cat(*x)", "torch.cat(*x)", "arguments"),
        ("y = unknown.std()", "unknown.std", "receiver"),
        ("torch.zeros(3).resize_(1)", "torch.zeros(3).resize_(1)", "no-target"),
        ("layer = torch.nn.Conv3d", "torch.nn.Conv3d", "class"),
        ("ms = 3\ny = torch.zeros(3, dtype=torch.long)", "import torch", "taken"),
    ],
)
def test_one_place_without_counterpart_keeps_the_whole_file(line: str, place: str, reason: str) -> None:
    text = f"import torch\n\n{line}\nz = torch.zeros(3)\n"
    answer = converted(text)
    assert answer.text == text
    assert answer.blockers.get(place) == reason


def test_a_class_may_be_handed_on_where_every_call_means_the_same() -> None:
    text = "import torch.nn as nn\n\nlayer = nn.BatchNorm2d\nbn = layer(8)\n"
    assert converted(text).text == "from mindspore import nn\n\nlayer = nn.BatchNorm2d\nbn = layer(8)\n"
    given = text.replace("layer(8)", "layer(8, momentum=0.01)")
    assert converted(given).text == given


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = torch.std(x, 1)", "y = ops.std(x, axis=1, ddof=1)"),
        ("y = torch.cat([torch.zeros(3), x], dim=0)", "y = ops.cat([ops.zeros(3), x], axis=0)"),
        ("y = torch.tensor([1, 2], dtype=torch.long)", "y = Tensor([1, 2], dtype=ms.int64)"),
        ("y = torch.full((2,), 0.5)", "y = ops.full((2,), 0.5, dtype=ms.float32)"),
        ("torch.manual_seed(3)", "ms.set_seed(3)"),
    ],
)
def test_a_call_is_written_as_the_table_says(before: str, after: str) -> None:
    text = converted(f"import torch\n\n{before}\n").text
    assert text.partition("\n\n")[2] == f"{after}\n"


def test_a_method_is_converted_where_its_receiver_is_a_tensor_for_certain() -> None:
    text = "import torch\n\nx = torch.zeros(3)\ny = x.std()\n"
    assert "y = x.std(ddof=1)" in converted(text).text
    unknown = "import torch\n\nx = load()\ny = x.std()\nz = torch.zeros(3)\n"
    assert converted(unknown).text == unknown


def test_a_class_whose_defaults_differ_is_handed_on_with_them() -> None:
    text = "import torch.nn as nn\n\n\ndef block(act=nn.GELU):\n    return act()\n"
    found = converted(text).text
    assert "def block(act=partial(nn.GELU, approximate=False)):\n" in found
    assert "from functools import partial\n" in found
    given = text.replace("act()", "act(approximate='tanh')")
    assert converted(given).blockers == {"nn.GELU": "class"}
    needed = text.replace("nn.GELU", "nn.MaxPool2d")
    assert converted(needed).blockers == {"nn.MaxPool2d": "class"}


def test_a_class_that_a_helper_stands_for_is_handed_on_as_that() -> None:
    text = "import torch.nn as nn\n\n\ndef block(dim, norm=nn.LayerNorm):\n    return norm(dim, eps=1e-6)\n"
    assert "def block(dim, norm=like_torch.LayerNorm):\n" in converted(text).text


def test_types_of_tensors_in_annotations_are_one_class() -> None:
    text = "import torch\n\n\ndef f(x: torch.FloatTensor, y: 'int') -> torch.ByteTensor:\n    return x\n"
    assert "def f(x: Tensor, y: 'int') -> Tensor:\n" in converted(text).text
    asked = "import torch\n\n\ndef f(x):\n    return isinstance(x, torch.FloatTensor)\n"
    assert converted(asked).text == asked


def test_names_that_numpy_has_for_parameters_mean_those_of_torch() -> None:
    text = "import torch\n\nx = torch.zeros(3, 4)\ny = torch.sum(x, axis=1, keepdims=True)\n"
    assert "ops.sum(x, 1, keepdim=True)" in converted(text).text


def test_the_data_of_a_tensor_is_read_and_never_written() -> None:
    text = "import torch\n\nx = torch.zeros(3)\ny = x.data\n"
    assert "y = ops.stop_gradient(x)" in converted(text).text
    assert converted(text + "x.data[0] = 1\n").blockers == {"x.data": "update"}
    assert "print(ops.stop_gradient(x)[0])" in converted(text + "print(x.data[0])\n").text


def test_a_device_that_is_handed_on_is_that_of_the_process() -> None:
    text = "import torch\n\n\ndef f(x: torch.Tensor):\n    return make(3, device=x.device)\n"
    assert "make(3, device=ms.get_context('device_target'))" in converted(text).text


@pytest.mark.parametrize("mode", ["bicubic", "nearest-exact"])
def test_modes_of_resizing_that_give_other_values_are_left(mode: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\n\nx = torch.zeros(1, 1, 4, 4)\n"
    text = f"{head}y = F.interpolate(x, size=x.shape[2:], mode='MODE')\n"
    assert "size=x.shape[2:], mode='nearest')" in converted(text.replace("MODE", "nearest")).text
    assert "arguments" in converted(text.replace("MODE", mode)).blockers.values()


def test_a_library_that_knows_no_tensors_of_mindspore_keeps_its_file() -> None:
    text = "import torch\nfrom torchmetrics import Accuracy\n\nx = torch.zeros(3)\n"
    assert "library" in converted(text).blockers.values()


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("    import timm", "import timm"),
        ("    models = importlib.import_module('timm.models')", "importlib.import_module('timm.models')"),
        ('    timm = __import__("timm")', '__import__("timm")'),
        ("    import mindspore", "import mindspore"),
    ],
)
def test_a_library_that_a_function_imports_keeps_the_file(line: str, place: str) -> None:
    text = f"import importlib\nimport torch\n\n\ndef make():\n{line}\n"
    assert converted(text).blockers == {place: "library"}
    assert converted(text.replace("timm", "json").replace("mindspore", "json")).blockers == {}


def test_new_text_has_another_name_where_the_file_has_its_own() -> None:
    text = "import torch\n\nops = 3\nx = torch.zeros(ops)\nTensor = torch.FloatTensor\ny = Tensor([1.0])\n"
    answer = converted(text)
    assert not answer.blockers
    assert "\nops = 3\nx = ms.ops.zeros(ops)\nTensor = like_torch.FloatTensor\n" in answer.text
