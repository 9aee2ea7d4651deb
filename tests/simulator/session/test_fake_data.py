"""Synthetic samples: only where nothing real is here, of the right shape, and said."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data import rows
from gpu2ascend_simulator.session.fake_data.hub import UnknownDataError, make_up_rows
from gpu2ascend_simulator.session.fake_data.vision import make_up_images, make_up_own_images

pytest.importorskip("numpy")


class StandardTransform:
    """As what torchvision makes of the two transforms of a data set."""


class Base:
    """As the base class of torchvision's data sets."""

    def __init__(
        self, root: str, transforms: Any = None, transform: Any = None, target_transform: Any = None
    ) -> None:
        self.root = root
        self.transform, self.target_transform = transform, target_transform
        self.transforms = StandardTransform() if transform or target_transform else transforms


def vision() -> tuple[Any, list[str]]:
    """A module like ``torchvision.datasets``, whose files are in the folder ``here``; what was noted."""

    class CIFAR10(Base):
        def __init__(self, root: str, train: bool = True, transform: Any = None, download: bool = False):
            super().__init__(root)
            assert not download
            if root != "here":
                raise RuntimeError("Dataset not found")

        def __getitem__(self, index: int) -> str:
            return "real"

        def __len__(self) -> int:
            return 1

    noted: list[str] = []
    module = SimpleNamespace(CIFAR10=CIFAR10, VisionDataset=Base)
    make_up_images(module, noted.append)
    return module, noted


def test_data_that_is_here_is_used() -> None:
    module, noted = vision()
    data = module.CIFAR10("here", train=False, download=True)
    assert (len(data), data[0], noted) == (1, "real", [])


def test_data_that_is_not_here_is_made_up_and_noted() -> None:
    module, noted = vision()
    data = module.CIFAR10("nowhere", False, download=True)
    assert (len(data), data.data.shape, len(data.classes)) == (10_000, (10_000, 32, 32, 3), 10)
    assert (data.targets[:2], noted) == ([0, 1], ["torchvision CIFAR10 (10000 x 32 x 32)"])
    assert len(module.CIFAR10("nowhere")) == 50_000


def test_transforms_count_that_are_set_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", SimpleNamespace(fromarray=lambda array: array))
    module, _ = vision()
    data = module.CIFAR10("nowhere", transform=lambda image: "early")
    assert data[3] == ("early", 3)
    data.transform, data.target_transform = (lambda image: image.shape), str
    assert data[3] == ((32, 32, 3), "3")


class Dataset:
    """As ``torch.utils.data.Dataset``."""


def test_a_copy_of_a_class_of_torchvision_makes_up_what_it_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", SimpleNamespace(fromarray=lambda array: array))
    noted: list[str] = []
    make_up_own_images(SimpleNamespace(Dataset=Dataset), noted.append)

    class VOCSegmentation(Dataset):
        def __init__(
            self, root: str, image_set: str = "train", download: bool = False, transform: Any = None
        ):
            self.transform = transform
            assert root == "here"

        def __getitem__(self, index: int) -> str:
            return "real"

        def __len__(self) -> int:
            return 1

    data: Any = VOCSegmentation("nowhere", transform=lambda image, mask: (image.shape, mask.shape))
    assert (len(data), data[0]) == (512, ((256, 256, 3), (256, 256)))
    assert VOCSegmentation("here")[0] == "real"
    assert noted == ["torchvision VOCSegmentation (512 x 256 x 256)"]


def hub() -> tuple[Any, list[str]]:
    """A module like ``datasets``, and what was noted."""
    noted: list[str] = []
    module = SimpleNamespace(
        load_dataset=lambda path, name=None, **given: ("real", path),
        load=SimpleNamespace(),
        Dataset=SimpleNamespace(from_dict=lambda content, features: content),
        DatasetDict=dict,
        Features=dict,
        Value=str,
        ClassLabel=int,
        Image=object,
    )
    make_up_rows(module, noted.append)
    return module, noted


def test_rows_have_the_columns_of_the_data_set_and_its_configuration() -> None:
    module, noted = hub()
    found = module.load_dataset("nyu-mll/glue", "mrpc")
    assert set(found) == {"train", "validation", "test"}
    assert set(found["train"]) == {"sentence1", "sentence2", "label", "idx"}
    assert set(module.load.load_dataset("imdb", split="train[:10%]")) == {"text", "label"}
    assert len(noted) == 2


def test_a_package_datasets_of_the_project_is_not_changed() -> None:
    own = SimpleNamespace(VOC=object)
    make_up_rows(own, lambda name: None)
    assert vars(own) == {"VOC": object}


def test_files_of_the_project_are_read() -> None:
    module, noted = hub()
    assert (module.load_dataset("csv", data_files="a.csv"), noted) == (("real", "csv"), [])


def test_of_an_unknown_data_set_nothing_is_made_up() -> None:
    module, _ = hub()
    with pytest.raises(UnknownDataError, match="no-such-set"):
        module.load_dataset("somebody/no-such-set")


@pytest.mark.parametrize(("table", "columns"), [("images.tsv", 8), ("texts.tsv", 3)])
def test_every_row_of_a_table_is_whole(table: str, columns: int) -> None:
    assert {len(row) for row in rows(table)} == {columns}
