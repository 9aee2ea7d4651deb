"""torch.utils.data.Dataset"""


class Dataset:
    """Samples by their numbers: a class derived from it has ``__getitem__`` and ``__len__``."""

    def __class_getitem__(cls, item):
        return cls
