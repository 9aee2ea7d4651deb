"""torchvision.datasets.MNIST"""

import gzip
from pathlib import Path
from typing import ClassVar

import numpy as np
from mindspore import Tensor
from PIL import Image

from .downloaded import _downloaded
from .vision_dataset import VisionDataset


class MNIST(VisionDataset):
    """Pictures of digits: the files of ``MNIST/raw`` in a folder."""

    classes: ClassVar = [
        "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven",
        "8 - eight", "9 - nine",
    ]  # fmt: skip
    _address = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    _digests: ClassVar = {
        "train-images-idx3-ubyte": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "train-labels-idx1-ubyte": "d53e105ee54ea40749a09fcbcd1e9432",
        "t10k-images-idx3-ubyte": "9fb629c4189551a2d022fa330f9573f3",
        "t10k-labels-idx1-ubyte": "ec29112dd5afa0611ce80d1b7f02629c",
    }
    train_data = test_data = property(lambda self: self.data)
    train_labels = test_labels = property(lambda self: self.targets)

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train, self._held = train, (None, None)
        folder = Path(self.raw_folder)
        missing = {name: one for name, one in self._digests.items() if not (folder / name).exists()}
        for name in missing if download else ():
            folder.mkdir(parents=True, exist_ok=True)
            data = gzip.decompress(_downloaded(f"{self._address}{name}.gz", missing[name]))
            (folder / name).write_bytes(data)
        if missing and not download:
            raise RuntimeError(f"{folder} lacks {sorted(missing)}: download=True brings them")
        first = folder / ("train" if train else "t10k")
        self.data = Tensor(self._numbers(f"{first}-images-idx3-ubyte"))
        self.targets = Tensor(self._numbers(f"{first}-labels-idx1-ubyte").astype("int64"))

    @staticmethod
    def _numbers(path):
        data = Path(path).read_bytes()
        sizes = np.frombuffer(data, ">i4", data[3], 4)
        return np.frombuffer(data, "uint8", -1, 4 + 4 * data[3]).reshape(sizes).copy()

    @property
    def raw_folder(self):
        return str(Path(self.root, type(self).__name__, "raw"))

    @property
    def class_to_idx(self):
        return {name: number for number, name in enumerate(self.classes)}

    def __getitem__(self, index):
        if self._held[0] is not self.data or self._held[1] is not self.targets:
            self._held, self._arrays = (
                (self.data, self.targets),
                (self.data.asnumpy(), self.targets.asnumpy()),
            )
        images, targets = self._arrays
        return self._changed(Image.fromarray(images[index]), int(targets[index]))

    def __len__(self):
        return len(self.data)
