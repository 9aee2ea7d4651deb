"""The default device, data pinned by hand, and device arithmetic."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

GPU = 0


def to_gpu(batch, device=None):
    device = device or torch.device("cuda", torch.cuda.current_device())
    if torch.is_tensor(batch):
        return batch.to(device, non_blocking=True)
    return type(batch)(to_gpu(item, device) for item in batch)


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    loader = DataLoader(data, batch_size=8, pin_memory=torch.cuda.is_available())
    assert torch.ones(2).pin_memory().is_pinned()
    torch.set_default_device("cuda")
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    scale = torch.full((1,), 0.5)
    torch.set_default_device("cpu")
    assert scale.is_cuda and not torch.ones(1).is_cuda
    with torch.device(f"cuda:{GPU}"):
        offset = torch.zeros(1)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        total = 0.0
        for batch in loader:
            x, y = to_gpu(tuple(batch))
            assert x.device == offset.device
            loss = ((model(x) - y) * scale + offset).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
