"""torchvision.datasets.ImageFolder"""

import os
from pathlib import Path

from PIL import Image

from .vision_dataset import VisionDataset

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
