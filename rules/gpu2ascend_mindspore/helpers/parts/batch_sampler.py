"""torch.utils.data.BatchSampler"""

from .sampler import Sampler


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
