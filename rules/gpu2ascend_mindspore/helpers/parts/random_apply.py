"""torchvision.transforms.RandomApply"""

from .random_source import _random


class RandomApply:
    """All of some transforms, with a probability, or none."""

    def __init__(self, transforms, p=0.5):
        self.transforms, self.p = transforms, p

    def __call__(self, image):
        if self.p >= _random().rand():
            for one in self.transforms:
                image = one(image)
        return image
