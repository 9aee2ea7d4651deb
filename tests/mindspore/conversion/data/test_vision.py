"""Datasets and transforms of torchvision come from the helper file, or the place says what to write."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.similar.assemble import stand_ins
from gpu2ascend_rules.text.source_file import SourceFile

from ..converting import converted

HEAD = "import torch\nfrom torchvision import datasets, transforms\n\n"


def test_a_dataset_with_its_transforms() -> None:
    text = (
        f"{HEAD}change = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1,), (0.3,))])\n"
        "data = datasets.MNIST('data', train=True, transform=change)\n"
    )
    answer = converted(text)
    assert answer.text == (
        "from x2ms_helpers import like_torch\n\n"
        "change = like_torch.Compose([like_torch.ToTensor(), like_torch.Normalize((0.1,), (0.3,))])\n"
        "data = like_torch.MNIST('data', train=True, transform=change)\n"
    )
    assert answer.parts == {"compose", "to_tensor", "normalize", "mnist"}


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("made = torchvision.datasets.cifar.CIFAR10('data')", "made = like_torch.CIFAR10('data')"),
        ("made = torchvision.datasets.folder.ImageFolder(path)", "made = like_torch.ImageFolder(path)"),
        ("made = torchvision.transforms.transforms.Pad(2)", "made = like_torch.Pad(2)"),
        (
            "made = torchvision.transforms.Resize(3, torchvision.transforms.InterpolationMode.BICUBIC)",
            "made = like_torch.Resize(3, like_torch.InterpolationMode.BICUBIC)",
        ),
    ],
)
def test_a_name_may_be_written_in_full(line: str, after: str) -> None:
    assert converted(f"import torchvision\n\n{line}\n").text == (
        f"from x2ms_helpers import like_torch\n\n{after}\n"
    )


def test_what_a_dataset_keeps_is_known() -> None:
    text = (
        f"{HEAD}class Few(datasets.CIFAR10):\n    def __getitem__(self, index):\n"
        "        return self.transform(self.data[index])\n\n\n"
        "data = datasets.MNIST('data')\nx = data.data.float() / 255\nnames = data.classes\n"
    )
    answer = converted(text)
    assert answer.blockers == {} and "class Few(like_torch.CIFAR10):" in answer.text
    assert converted(f"{text}data.data = load()\n").blockers == {"data.data.float": "receiver"}


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("torchvision.models.resnet18()", "library"),
        ("torchvision.transforms.functional.to_tensor(image)", "library"),
        ("torchvision.transforms.RandomErasing(0.3)", "library"),
        ("torchvision.datasets.CocoDetection(root, notes)", "library"),
        ("torchvision.transforms.Normalize(mean, std, inplace=True)", "argument"),
    ],
)
def test_what_nothing_stands_for_keeps_the_file(place: str, reason: str) -> None:
    text = f"import torch\nimport torchvision\n\nx = {place}\n"
    assert converted(text).blockers == {place: reason} and converted(text).text == text


def test_a_module_that_is_handed_on_keeps_the_file() -> None:
    answer = converted(f"{HEAD}made = getattr(transforms, name)()\n")
    assert answer.blockers == {"transforms": "library"}


def test_what_takes_images_of_pil_stands_before_the_tensor() -> None:
    late = "transforms.Compose([transforms.ToTensor(), transforms.CenterCrop(5), transforms.Resize(3)])"
    assert converted(f"{HEAD}change = {late}\n").blockers == {late: "by-hand"}
    found = check(SourceFile(f"{HEAD}change = {late}\n"), options_from({"target": "mindspore"}))
    assert any("Compose([..., Resize(...), ToTensor(), ...])" in render(one.message, "en") for one in found)
    back = late.replace("CenterCrop(5)", "ToPILImage()")
    early = "transforms.Compose([transforms.Resize(3), transforms.ToTensor(), transforms.CenterCrop(2)])"
    assert converted(f"{HEAD}change = {back}\nother = {early}\n").blockers == {}


def test_normalizing_in_place_is_the_same_in_a_chain() -> None:
    chain = "transforms.Compose([transforms.Normalize(mean, std, True)])"
    assert converted(f"{HEAD}change = {chain}\n").blockers == {}


def test_a_file_without_torch_is_converted_too() -> None:
    found = check(
        SourceFile("from torchvision.datasets import MNIST\n\ndata = MNIST('data')\n"),
        options_from({"target": "mindspore"}),
    )
    assert [one.code for one in found] == ["MS001"]


def test_what_to_write_is_said() -> None:
    text = "import torchvision\n\nx = torchvision.datasets.CocoDetection(root, notes)\n"
    found = check(SourceFile(text), options_from({"target": "mindspore"}))
    assert any("annotation_file=annFile" in render(one.message, "en") for one in found)


def test_the_common_ones_are_there() -> None:
    there = {name for name in stand_ins(MINDSPORE) if name.startswith("torchvision.")}
    for kind, names in (
        ("datasets", "MNIST FashionMNIST CIFAR10 CIFAR100 ImageFolder"),
        ("transforms", "Compose ToTensor Normalize Resize CenterCrop RandomCrop RandomHorizontalFlip Lambda"),
    ):
        assert {f"torchvision.{kind}.{name}" for name in names.split()} <= there
