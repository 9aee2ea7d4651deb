import abc

import torch

from .loader import load_ext

ext_module = load_ext("_ext")
taken = []


class Sampler(abc.ABC):
    @abc.abstractmethod
    def sample(self, x, count): ...

    @classmethod
    def create(cls, device):
        return CudaSampler() if str(device).startswith("cuda") else TorchSampler()


class CudaSampler(Sampler):
    def sample(self, x, count):
        taken.append("kernel")
        return ext_module.sample(x, count)


class TorchSampler(Sampler):
    def sample(self, x, count):
        taken.append("reference")
        return torch.arange(count, device=x.device)


def group_cuda(x, at):
    taken.append("kernel")
    return ext_module.group(x, at)


def group_torch(x, at):
    taken.append("reference")
    return x[at]


GROUPS = {"cuda": group_cuda, "cpu": group_torch}


def group(x, at):
    return GROUPS.get(x.device.type, group_torch)(x, at)
