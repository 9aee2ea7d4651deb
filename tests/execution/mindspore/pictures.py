"""Small datasets in the files that torchvision reads, and torchvision itself beside any release of torch."""

from __future__ import annotations

import importlib
import pickle
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

COUNT = 24
"""Pictures in each dataset."""
_UNKNOWN = re.compile(r"operator torchvision::(\w+) does not exist")


def import_torchvision() -> Any:
    """Torchvision: nothing here needs its own operators, which exist beside one release of torch only."""
    import torch

    operators = torch.library.Library("torchvision", "FRAGMENT")
    for _ in range(100):
        try:
            return importlib.import_module("torchvision")
        except RuntimeError as error:
            found = _UNKNOWN.search(str(error))
            if found is None:
                raise
            operators.define(f"{found[1]}(Tensor one) -> Tensor")
            for name in [one for one in sys.modules if one.partition(".")[0] == "torchvision"]:
                del sys.modules[name]
    raise ImportError("torchvision")


def write_pictures(folder: Path) -> None:
    """Datasets of the names that torchvision has for them."""
    random = np.random.RandomState(5)
    for name in ("MNIST", "FashionMNIST", "KMNIST"):
        _write_mnist(folder / name / "raw", random)
    _write_cifar(
        folder / "cifar-10-batches-py", [f"data_batch_{one}" for one in range(1, 6)], "test_batch", 10
    )
    _write_cifar(folder / "cifar-100-python", ["train"], "test", 100)
    _write_folder(folder / "pets", random)


def _write_mnist(folder: Path, random: np.random.RandomState) -> None:
    folder.mkdir(parents=True)
    for part in ("train", "t10k"):
        images = random.randint(0, 256, (COUNT, 28, 28)).astype("uint8")
        labels = random.randint(0, 10, COUNT).astype("uint8")
        head = struct.pack(">iiii", 2051, COUNT, 28, 28)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(head + images.tobytes())
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">ii", 2049, COUNT) + labels.tobytes())


def _write_cifar(folder: Path, parts: list[str], test: str, classes: int) -> None:
    folder.mkdir(parents=True)
    random = np.random.RandomState(classes)
    key, names = ("labels", "label_names") if classes == 10 else ("fine_labels", "fine_label_names")
    for name in [*parts, test]:
        rows = random.randint(0, 256, (COUNT // 4, 3072)).astype("uint8")
        one = {"data": rows, key: random.randint(0, classes, COUNT // 4).tolist(), "batch_label": name}
        (folder / name).write_bytes(pickle.dumps(one, protocol=4))
    meta = {names: [f"class {one}" for one in range(classes)]}
    (folder / ("batches.meta" if classes == 10 else "meta")).write_bytes(pickle.dumps(meta, protocol=4))


def _write_folder(folder: Path, random: np.random.RandomState) -> None:
    from PIL import Image

    for number, name in enumerate(("dog", "cat", "cow")):
        (folder / name / "young").mkdir(parents=True)
        (folder / name / "notes.txt").write_text("no picture", encoding="utf-8")
        for place, size in (("b.png", (20, 31)), ("a.PNG", (24, 24)), ("young/c.bmp", (33, 18))):
            array = random.randint(0, 256, (*size, 3)).astype("uint8")
            image = Image.fromarray(array) if number else Image.fromarray(array[:, :, 0])
            image.save(folder / name / place)
