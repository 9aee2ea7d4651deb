"""torchvision.datasets.VisionDataset"""

import os

from .dataset import Dataset


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
