"""Training: forward, backward, optimizers."""

import torch
from torch import nn
from torch.nn import functional as F

from tests.simulator.device import bare

bare.start()


def convolutional():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3, padding=1, groups=2),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 3),
    )


def losses(model, data, labels, optimizer, steps=6):
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), labels)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def test_a_convolutional_network_trains_as_on_the_cpu():
    data, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 3, (8,))
    found = []
    for device in ("cpu", "npu:0", "npu:1"):
        model = convolutional().to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        found.append(losses(model, data.to(device), labels.to(device), optimizer))
    torch.testing.assert_close(found[1], found[0])
    assert found[1] == found[2]
    assert found[0][-1] < found[0][0]
