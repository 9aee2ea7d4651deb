"""torch.utils.data.DistributedSampler"""

import math

import numpy as np
from mindspore import mint

from .sampler import Sampler


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
