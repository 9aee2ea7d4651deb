"""torchvision.datasets.CIFAR10"""

import io
import tarfile
from pathlib import Path
from typing import ClassVar

import numpy as np
from PIL import Image

from .arrays_only import _Arrays
from .downloaded import _downloaded
from .vision_dataset import VisionDataset


class CIFAR10(VisionDataset):
    """Small pictures of ten classes: the files of ``cifar-10-batches-py`` in a folder."""

    base_folder = "cifar-10-batches-py"
    url, _digest = (
        "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
        "c58f30108f718f92721af3b95e74349a",
    )
    _files: ClassVar = {True: [f"data_batch_{number}" for number in range(1, 6)], False: ["test_batch"]}
    _meta = "batches.meta", "label_names"

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        names = [*self._files[True], *self._files[False], self._meta[0]]
        if not all(Path(self.root, self.base_folder, name).exists() for name in names):
            if not download:
                raise RuntimeError(f"{self.root} lacks {self.base_folder}: download=True brings it")
            with tarfile.open(fileobj=io.BytesIO(_downloaded(self.url, self._digest))) as archive:
                archive.extractall(self.root)
        parts = [self._read(name) for name in self._files[train]]
        rows = np.concatenate([one["data"] for one in parts]).reshape(-1, 3, 32, 32)
        self.data = np.ascontiguousarray(rows.transpose(0, 2, 3, 1))
        self.targets = [label for one in parts for label in one.get("labels", one.get("fine_labels"))]
        self.classes = self._read(self._meta[0])[self._meta[1]]
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}

    def _read(self, name):
        with Path(self.root, self.base_folder, name).open("rb") as file:
            return _Arrays(file, encoding="latin1").load()

    def __getitem__(self, index):
        return self._changed(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self):
        return len(self.data)
