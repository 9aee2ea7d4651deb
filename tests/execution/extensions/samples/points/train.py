import argparse

import torch
from points.samplers import Sampler, group, taken

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
torch.manual_seed(0)
net = torch.nn.Linear(3, 1).to(args.device)
sampler = Sampler.create(args.device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for cloud in torch.randn(3, 8, 3):
    cloud = cloud.to(args.device)
    loss = net(group(cloud, sampler.sample(cloud, 4))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"loss {loss.item():.4f}")
print(sorted(set(taken)), net.weight.device.type != "cpu" or args.device == "cpu")
