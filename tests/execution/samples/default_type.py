"""Everything is made on the GPU by default."""
import torch
import torch.nn as nn

if torch.cuda.is_available():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")


def main():
    model = nn.Sequential(nn.Linear(5, 10), nn.Sigmoid(), nn.Linear(10, 1))
    x = torch.linspace(-1, 1, 50).reshape(10, 5)
    y = torch.sin(3 * x).sum(1, keepdim=True)
    assert x.is_cuda and x.dtype == torch.float32
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(15):
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
