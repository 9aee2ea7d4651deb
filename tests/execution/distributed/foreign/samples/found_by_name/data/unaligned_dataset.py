import torch

from data.base_dataset import BaseDataset


class UnalignedDataset(BaseDataset):
    def __init__(self, opt):
        BaseDataset.__init__(self, opt)
        g = torch.Generator().manual_seed(5)
        self.a = torch.randn(32, 4, generator=g)
        self.b = torch.randn(32, 4, generator=g) * 2 + 1

    def __len__(self):
        return max(len(self.a), len(self.b))

    def __getitem__(self, index):
        return {"A": self.a[index % 32], "B": self.b[index % 32], "A_paths": str(index), "B_paths": str(index)}
