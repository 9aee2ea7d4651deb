"""torch.utils.data.DataLoader"""

from itertools import islice

from .batch_sampler import BatchSampler
from .default_collate import default_collate
from .random_sampler import RandomSampler
from .sequential_sampler import SequentialSampler

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
