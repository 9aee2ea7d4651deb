"""Data sets of torchvision."""

import gzip
import io
import os
import tarfile
from pathlib import Path
from typing import ClassVar

import numpy as np
from mindspore import Tensor
from PIL import Image

from .common import _Arrays, _downloaded
from .datasets import Dataset


# vision_dataset: torchvision.datasets.VisionDataset
class VisionDataset(Dataset):
    """Images with what they are of, in a folder, and what to make of both."""

    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        if transforms is not None:
            raise TypeError("transforms has no counterpart: give transform and target_transform")
        self.root = os.path.expanduser(root) if isinstance(root, str) else root  # noqa: PTH111
        self.transform, self.target_transform = transform, target_transform

    def _changed(self, image, target):
        image = image if self.transform is None else self.transform(image)
        return image, target if self.target_transform is None else self.target_transform(target)


# cifar10: torchvision.datasets.CIFAR10
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


# cifar100: torchvision.datasets.CIFAR100
class CIFAR100(CIFAR10):
    """Small pictures of a hundred classes: the files of ``cifar-100-python`` in a folder."""

    base_folder = "cifar-100-python"
    url, _digest = (
        "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
        "eb9058c3a382ffc7106e4002c42a8d85",
    )
    _files: ClassVar = {True: ["train"], False: ["test"]}
    _meta = "meta", "fine_label_names"


# mnist: torchvision.datasets.MNIST
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


# fashion_mnist: torchvision.datasets.FashionMNIST
class FashionMNIST(MNIST):
    """Pictures of clothes, in files of the form that those of MNIST have."""

    classes: ClassVar = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
        "Ankle boot",
    ]  # fmt: skip
    _address = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    _digests: ClassVar = {
        "train-images-idx3-ubyte": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "train-labels-idx1-ubyte": "25c81989df183df01b3e8a0aad5dffbe",
        "t10k-images-idx3-ubyte": "bef4ecab320f06d8554ea6380940ec79",
        "t10k-labels-idx1-ubyte": "bb300cfdad3c16e7a12a480ee83cd310",
    }


# image_folder: torchvision.datasets.ImageFolder
_ENDINGS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def _opened(path):
    """The picture in a file."""
    with Path(path).open("rb") as file:
        return Image.open(file).convert("RGB")


class ImageFolder(VisionDataset):
    """Pictures in folders, of which each is a class."""

    def __init__(
        self,
        root,
        transform=None,
        target_transform=None,
        loader=_opened,
        is_valid_file=None,
        allow_empty=False,
    ):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.loader = loader
        self.classes, self.class_to_idx = self.find_classes(self.root)
        is_valid = is_valid_file or (lambda path: path.lower().endswith(_ENDINGS))
        self.samples = self.imgs = [
            (path, self.class_to_idx[name])
            for name in sorted(self.class_to_idx)
            for folder, _, files in sorted(os.walk(os.path.join(self.root, name), followlinks=True))  # noqa: PTH118
            for path in (os.path.join(folder, file) for file in sorted(files))  # noqa: PTH118
            if is_valid(path)
        ]
        self.targets = [number for _, number in self.samples]
        empty = set(self.class_to_idx.values()) - set(self.targets)
        if empty and not allow_empty:
            raise FileNotFoundError(f"no picture for {sorted(self.classes[number] for number in empty)}")

    def find_classes(self, directory):
        names = sorted(one.name for one in os.scandir(directory) if one.is_dir())
        if not names:
            raise FileNotFoundError(f"no folder in {directory}")
        return names, {name: number for number, name in enumerate(names)}

    def __getitem__(self, index):
        path, target = self.samples[index]
        return self._changed(self.loader(path), target)

    def __len__(self):
        return len(self.samples)


# kmnist: torchvision.datasets.KMNIST
class KMNIST(MNIST):
    """Pictures of Japanese letters, in files of the form that those of MNIST have."""

    classes: ClassVar = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
    _address = "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"
    _digests: ClassVar = {
        "train-images-idx3-ubyte": "bdb82020997e1d708af4cf47b453dcf7",
        "train-labels-idx1-ubyte": "e144d726b3acfaa3e44228e80efcd344",
        "t10k-images-idx3-ubyte": "5c965bf0a639b31b8f53240b1b52f4d7",
        "t10k-labels-idx1-ubyte": "7320c461ea6c1c855c0b718fb2a4b134",
    }
