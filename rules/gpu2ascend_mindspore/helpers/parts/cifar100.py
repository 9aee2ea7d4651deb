"""torchvision.datasets.CIFAR100"""

from typing import ClassVar

from .cifar10 import CIFAR10


class CIFAR100(CIFAR10):
    """Small pictures of a hundred classes: the files of ``cifar-100-python`` in a folder."""

    base_folder = "cifar-100-python"
    url, _digest = (
        "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
        "eb9058c3a382ffc7106e4002c42a8d85",
    )
    _files: ClassVar = {True: ["train"], False: ["test"]}
    _meta = "meta", "fine_label_names"
