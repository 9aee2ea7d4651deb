import argparse

import torch
from det.losses import AnyFocal
from det.registry import LOSSES, taken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    device = parser.parse_args().device
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    named = LOSSES.build("focal_fused" if net.weight.is_cuda else "focal")
    data = torch.randn(3, 2, 4)
    for batch in data:
        logits, targets = net(batch.to(device)), torch.ones(2, 4, device=device)
        loss = AnyFocal(device)(logits, targets) + named(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.4f}")
    print(sorted(set(taken)), net.weight.device.type != "cpu" or device == "cpu")


if __name__ == "__main__":
    main()
