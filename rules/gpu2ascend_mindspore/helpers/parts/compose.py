"""torchvision.transforms.Compose"""


class Compose:
    """Transforms one after the other."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for one in self.transforms:
            image = one(image)
        return image
