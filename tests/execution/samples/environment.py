"""Chooses its device by the environment, before anything else."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")

import torch  # noqa: E402
import torch.nn as nn  # noqa: E402


def main():
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    assert torch.cuda.device_count() == len(visible) == 1
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = nn.Linear(3, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(16, 3).to(device)
    losses = []
    for _ in range(10):
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
