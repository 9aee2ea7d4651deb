"""torch.utils.data.Subset"""

from .dataset import Dataset


class Subset(Dataset):
    """The samples of a dataset that have some numbers."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)
