"""Runs a script as the program, and prints at its end how many steps optimizers made on the NPU.

The script finds stand-ins for torchvision's data, TensorBoard's writer and Matplotlib.
"""

import atexit
import runpy
import sys
import types

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

STEPS = {"npu": 0, "cpu": 0}


class Pictures(torch.utils.data.Dataset):
    """Pictures whose class is the brightest rows, as torchvision's data sets give them."""

    def __init__(self, root=None, train=True, transform=None, download=False):
        generator = torch.Generator().manual_seed(int(train))
        self.targets = torch.randint(0, 10, (32,), generator=generator)
        self.data = torch.rand(32, 28, 28, generator=generator) / 4
        for picture, target in zip(self.data, self.targets, strict=True):
            picture[2 * target : 2 * target + 4] += 0.75

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index].unsqueeze(0), int(self.targets[index])


class Silent:
    """An object that may be made and asked for anything, and does nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def module(name, **names):
    """Make a module importable."""
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)
    return sys.modules[name]


def count(optimizer, args, kwargs):
    """Note a step, and where its parameters are."""
    STEPS[optimizer.param_groups[0]["params"][0].device.type] += 1


datasets = module("torchvision.datasets", MNIST=Pictures, FashionMNIST=Pictures)
transforms = module("torchvision.transforms", ToTensor=Silent)
module("torchvision", datasets=datasets, transforms=transforms)
torch.utils.tensorboard = module("torch.utils.tensorboard", SummaryWriter=Silent)
module("matplotlib", pyplot=module("matplotlib.pyplot"))

register_optimizer_step_post_hook(count)
atexit.register(lambda: print(f"steps on the NPU: {STEPS['npu']}, on the CPU: {STEPS['cpu']}", flush=True))
torch.manual_seed(0)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
