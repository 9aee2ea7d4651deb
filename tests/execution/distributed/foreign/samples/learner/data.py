"""The data."""

import torch
from torch.utils.data import DataLoader, TensorDataset

def loaders(batch_size):
    x = torch.randn(48, 5)
    y = x.sum(1, keepdim=True) + 0.1
    return (DataLoader(TensorDataset(x[:32], y[:32]), batch_size=batch_size),
            DataLoader(TensorDataset(x[32:], y[32:]), batch_size=batch_size))
