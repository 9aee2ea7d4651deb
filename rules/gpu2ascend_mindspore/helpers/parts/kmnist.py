"""torchvision.datasets.KMNIST"""

from typing import ClassVar

from .mnist import MNIST


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
