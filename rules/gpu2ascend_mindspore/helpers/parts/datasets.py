"""Data sets, and what samples and loads them."""

import bisect
import itertools
import math
from collections.abc import Mapping
from itertools import islice

import numpy as np
from mindspore import Tensor, mint

from .common import _random


# sampler: torch.utils.data.Sampler
class Sampler:
    """Numbers of samples in an order: a class derived from it has ``__iter__``."""

    def __init__(self, data_source=None):
        pass

    def __class_getitem__(cls, item):
        return cls


# batch_sampler: torch.utils.data.BatchSampler
class BatchSampler(Sampler):
    """The numbers of another sampler, a batch at a time."""

    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for one in self.sampler:
            batch.append(one)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size


# dataset: torch.utils.data.Dataset
class Dataset:
    """Samples by their numbers: a class derived from it has ``__getitem__`` and ``__len__``."""

    def __class_getitem__(cls, item):
        return cls


# concat_dataset: torch.utils.data.ConcatDataset
class ConcatDataset(Dataset):
    """Datasets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = list(itertools.accumulate(len(one) for one in self.datasets))

    def __getitem__(self, index):
        index = index if index >= 0 else len(self) + index
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self):
        return self.cumulative_sizes[-1]


# default_collate: torch.utils.data.default_collate
def default_collate(batch):
    """Samples as one batch: tensors, arrays and numbers become tensors with one more dimension."""
    first = batch[0]
    if isinstance(first, Tensor):
        return Tensor(np.stack([one.asnumpy() for one in batch]))
    if isinstance(first, (np.ndarray, np.generic, int, float)):
        return Tensor(np.stack([np.asarray(one) for one in batch]))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([one[key] for one in batch]) for key in first}
    if not isinstance(first, (tuple, list)):
        raise TypeError(f"a batch cannot be made of {type(first)}")
    if any(len(one) != len(first) for one in batch):
        raise RuntimeError("the samples of a batch have different lengths")
    columns = [default_collate(list(column)) for column in zip(*batch)]
    return type(first)(*columns) if hasattr(first, "_fields") else columns


# random_sampler: torch.utils.data.RandomSampler
class RandomSampler(Sampler):
    """All samples in a random order, or some of them, each perhaps more than once."""

    def __init__(self, data_source, replacement=False, num_samples=None):
        self.data_source, self.replacement, self._count = data_source, replacement, num_samples

    def __iter__(self):
        size, left = len(self.data_source), len(self)
        if self.replacement:
            yield from _random().randint(0, size, left).tolist()
        while left > 0 and not self.replacement:
            yield from _random().permutation(size)[:left].tolist()
            left -= size

    def __len__(self):
        return len(self.data_source) if self._count is None else self._count


# sequential_sampler: torch.utils.data.SequentialSampler
class SequentialSampler(Sampler):
    """All samples, from the first to the last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


# data_loader: torch.utils.data.DataLoader
_WITHOUT_MEANING = {"pin_memory", "pin_memory_device", "persistent_workers", "prefetch_factor", "timeout"}


class DataLoader:
    """Batches of a dataset, made on demand: MindSpore's operators crash in a dataset's workers."""

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, *, drop_last=False, **others,
    ):  # fmt: skip
        if others.keys() - _WITHOUT_MEANING or (batch_size is None and batch_sampler is None):
            raise TypeError(
                f"without counterpart: {sorted(others.keys() - _WITHOUT_MEANING) or 'batch_size'}"
            )
        self.is_stream = not hasattr(dataset, "__getitem__")
        if self.is_stream and (shuffle or sampler or batch_sampler or num_workers):
            raise TypeError("without counterpart for samples in a stream: order and workers")
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.num_workers = sampler, num_workers
        self.collate_fn = default_collate if collate_fn is None else collate_fn
        self.batch_sampler = batch_sampler or BatchSampler(sampler, batch_size, drop_last)

    def __iter__(self):
        if self.is_stream:
            yield from map(self.collate_fn, self._in_turn())
            return
        for batch in self.batch_sampler:
            yield self.collate_fn([self.dataset[one] for one in batch])

    def _in_turn(self):
        samples = iter(self.dataset)
        while batch := list(islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        return len(self.batch_sampler)


# distributed_sampler: torch.utils.data.DistributedSampler
class DistributedSampler(Sampler):
    """The part of the samples that a process has; ``set_epoch`` gives each pass another order."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        self.num_replicas = mint.distributed.get_world_size() if num_replicas is None else num_replicas
        self.rank = mint.distributed.get_rank() if rank is None else rank
        self.dataset, self.shuffle, self.seed, self.drop_last = dataset, shuffle, seed, drop_last
        self.epoch = 0

    def __iter__(self):
        size, total = len(self.dataset), len(self) * self.num_replicas
        order = (
            np.random.RandomState(self.seed + self.epoch).permutation(size) if self.shuffle else range(size)
        )
        repeated = [int(one) for one in order] * math.ceil(total / max(size, 1))
        return iter(repeated[self.rank : total : self.num_replicas])

    def __len__(self):
        size = len(self.dataset)
        return size // self.num_replicas if self.drop_last else math.ceil(size / self.num_replicas)

    def set_epoch(self, epoch):
        self.epoch = epoch


# iterable_dataset: torch.utils.data.IterableDataset
class IterableDataset:
    """Samples one after another: a class derived from it has ``__iter__``."""

    def __class_getitem__(cls, item):
        return cls


# subset: torch.utils.data.Subset
class Subset(Dataset):
    """The samples of a dataset that have some numbers."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


# random_split: torch.utils.data.random_split
def random_split(dataset, lengths, seed=None):
    """A dataset in parts of some lengths, or shares of it, in a random order that a seed may fix."""
    size = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        shares, lengths = lengths, [math.floor(size * one) for one in lengths]
        for one in range(size - sum(lengths)):
            lengths[one % len(shares)] += 1
    if sum(lengths) != size:
        raise ValueError("the lengths do not add up to that of the dataset")
    order = (_random() if seed is None else np.random.RandomState(seed)).permutation(size).tolist()
    ends = np.cumsum(lengths).tolist()
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]


# subset_random_sampler: torch.utils.data.SubsetRandomSampler
class SubsetRandomSampler(Sampler):
    """The samples of some numbers in a random order."""

    def __init__(self, indices):
        self.indices = indices

    def __iter__(self):
        return iter([self.indices[one] for one in _random().permutation(len(self.indices))])

    def __len__(self):
        return len(self.indices)


# tensor_dataset: torch.utils.data.TensorDataset
class TensorDataset(Dataset):
    """The rows of tensors of one length."""

    def __init__(self, *tensors):
        if any(len(one) != len(tensors[0]) for one in tensors):
            raise ValueError("the tensors have different lengths")
        self.tensors, self._arrays = tensors, [one.asnumpy() for one in tensors]

    def __getitem__(self, index):
        return tuple(Tensor(np.asarray(one[index])) for one in self._arrays)

    def __len__(self):
        return len(self.tensors[0])


# weighted_random_sampler: torch.utils.data.WeightedRandomSampler
class WeightedRandomSampler(Sampler):
    """Samples drawn by their weights."""

    def __init__(self, weights, num_samples, replacement=True):
        self.weights = [float(one) for one in weights]
        self.num_samples, self.replacement = num_samples, replacement

    def __iter__(self):
        total = sum(self.weights)
        shares = [one / total for one in self.weights]
        return iter(_random().choice(len(shares), self.num_samples, self.replacement, shares).tolist())

    def __len__(self):
        return self.num_samples
