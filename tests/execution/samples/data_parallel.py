"""One process, as many GPUs as there are."""
import torch
import torch.nn as nn


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    model = model.to(device)
    critic = nn.DataParallel(nn.Linear(6, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    x = torch.randn(32, 6).to(device)
    losses = []
    for _ in range(8):
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean() + 0 * critic(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
