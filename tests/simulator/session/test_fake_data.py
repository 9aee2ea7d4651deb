"""Synthetic samples: only where nothing real is here, of the right shape, and said."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data import rows
from gpu2ascend_simulator.session.fake_data.hub import make_up_rows
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
        Dataset=SimpleNamespace(
            from_dict=lambda content, features: Rows(content), from_pandas=lambda table: table
        ),
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


def test_of_an_unknown_data_set_the_code_names_the_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    tmp_path.joinpath("reads_an_unknown_set.py").write_text(
        textwrap.dedent("""
        class Pairs:
            def __init__(self, rows):
                self.rows = rows

            def __getitem__(self, at):
                return self.rows[at]["answer"]

        def encode(row):
            row["made"] = row["question"]
            return {"labels": int(row["category"]), "again": row["made"]}

        def read(load_dataset):
            found = load_dataset("somebody/no-such-set")
            found = found.map(encode, remove_columns=["row_id"])
            return Pairs(found["train_own"]), found
        """)
    )
    module, noted = hub()
    module.DatasetDict = Mapped
    _, found = importlib.import_module("reads_an_unknown_set").read(module.load_dataset)
    assert set(found) == {"train", "validation", "test", "train_own"}
    assert noted == ["datasets somebody/no-such-set: 512 x row_id, answer, question, category"]
    assert found["train"]["category"][:3] == [0, 1, 0]


def test_of_one_that_nothing_is_asked_of_it_has_a_text() -> None:
    module, _ = hub()
    assert set(module.load_dataset("somebody/no-such-set", split="train")) == {"text"}


class Rows(dict[str, Any]):
    """Columns, as the package has them."""

    def __len__(self) -> int:
        return len(next(iter(self.values())))

    @property
    def column_names(self) -> list[str]:
        """Their names."""
        return list(self)


class Mapped(dict[str, Any]):
    """Splits, as the package has them."""

    def map(self, *_: object, **__: object) -> Mapped:
        """The same."""
        return self


@pytest.mark.parametrize(("table", "columns"), [("images.tsv", 8), ("texts.tsv", 3)])
def test_every_row_of_a_table_is_whole(table: str, columns: int) -> None:
    assert {len(row) for row in rows(table)} == {columns}
