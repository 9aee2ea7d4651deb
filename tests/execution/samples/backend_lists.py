"""Code that knows several accelerators."""
import torch
import torch.nn as nn
import torch.nn.functional as F

AMP_BACKENDS = ("cuda", "xpu")


def fast_path(device):
    return device.type in AMP_BACKENDS


def main():
    torch.manual_seed(0)
    device = torch.device("cuda")
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = False
    assert device.type in ("cuda", "xpu")
    model = nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    x = torch.randn(32, 8, device=device)
    y = (x[:, 0] > 0).long()
    losses = []
    for _ in range(6):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
