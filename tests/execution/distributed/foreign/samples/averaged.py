"""Averages of the model beside it: torch's, one of the project; the whole model in a file."""

import copy
import os

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.module = copy.deepcopy(model).eval()
        for p in self.module.parameters():
            p.requires_grad_(False)

    def update(self, model):
        with torch.no_grad():
            source = model.state_dict()
            for k, v in self.module.state_dict().items():
                if v.dtype.is_floating_point:
                    v.mul_(self.decay).add_(source[k], alpha=1 - self.decay)

    def state_dict(self):
        return self.module.state_dict()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.fc(x)))


class Holder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)


def where(name):
    return os.path.join(os.environ["OUTPUT"], name)


def main():
    torch.manual_seed(4)
    model = Net()
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    model = model.cuda()
    swa = AveragedModel(model)
    ema = EMA(model, 0.9)
    x = torch.randn(32, 3)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=int(os.environ["BATCH_SIZE"]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        for a, b in loader:
            loss = (model(a.cuda()) - b.cuda()).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update(model)
        swa.update_parameters(model)
    bare = model.module if hasattr(model, "module") else model
    torch.save(swa.state_dict(), where("swa.pt"))
    torch.save(swa.module.state_dict(), where("swa_module.pt"))
    torch.save(ema.state_dict(), where("ema.pt"))
    torch.save(ema.module.state_dict(), where("ema_module.pt"))
    torch.save(bare.state_dict(), where("bare.pt"))
    whole = {"model": copy.deepcopy(bare).cpu(), "epoch": 3}
    torch.save(whole, where("whole.pt"))
    with torch.no_grad():
        print("result", swa(x.cuda()).mean().item())


if __name__ == "__main__":
    main()
