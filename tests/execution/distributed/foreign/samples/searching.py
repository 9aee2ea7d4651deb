"""Functions within functions: a closure that the optimizer calls as often as it likes."""

import os

import torch
from torch.utils.data import DataLoader, TensorDataset


def fit(model, loader, device, steps):
    opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")
    losses = []
    for step in range(steps):
        for x, y in loader:
            x, y = x.to(device), y.to(device)

            def closure():
                opt.zero_grad()
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
                return loss

            value = opt.step(closure)
            losses.append(value.item())
        print("step", step, "result", sum(losses[-2:]) / 2)
    return losses


def main():
    torch.manual_seed(2)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    x = torch.randn(16, 3)
    y = torch.sin(x).sum(1, keepdim=True) + torch.randn(16, 1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1)).to(device)
    losses = fit(model, DataLoader(TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"])), device, 3)
    torch.save({"model": model.state_dict(), "losses": losses}, os.path.join(os.environ["OUTPUT"], "model.pt"))
    print("done")


main()
