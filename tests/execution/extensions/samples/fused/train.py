import argparse

import torch
from ops import add, attend, swish, taken

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
device = parser.parse_args().device
torch.manual_seed(0)
net = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for batch in torch.randn(3, 2, 4):
    x = batch.to(device)
    y = swish(add(net(x), x))
    loss = attend(y[None], y[None], y[None]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"loss {loss.item():.4f}")
print(sorted(set(taken)), net.weight.device.type != "cpu" or device == "cpu")
