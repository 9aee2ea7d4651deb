import argparse

import torch
from torch_utils.ops import bias_act

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
device = torch.device(args.device)
torch.manual_seed(0)
net = torch.nn.Linear(4, 4).to(device)
bias = torch.zeros(4, device=device, requires_grad=True)
optimizer = torch.optim.SGD([*net.parameters(), bias], lr=0.1)
data = torch.randn(3, 2, 4)
for batch in data:
    loss = bias_act.bias_act(net(batch.to(device)), bias).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"loss {loss.item():.4f}")
print(sorted(set(bias_act.taken)), net.weight.device.type != "cpu" or args.device == "cpu")
