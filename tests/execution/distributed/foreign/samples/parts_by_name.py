"""A GAN whose parts are saved, and read again, by functions that get them by name."""
import argparse
import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

OUT = os.environ.get("OUTPUT", ".")


def save_checkpoint(path, epoch, best, **parts):
    state = {name: part.state_dict() for name, part in parts.items()}
    state["epoch"] = epoch
    state["best"] = best
    torch.save(state, path)


def load_checkpoint(path, **parts):
    state = torch.load(path, map_location="cpu")
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return state["epoch"] + 1, state["best"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    args = p.parse_args()
    torch.manual_seed(3)
    device = torch.device("cuda")
    netG = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
    netD = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    optG, optD = optim.RMSprop(netG.parameters(), lr=0.01, eps=1e-3), optim.RMSprop(netD.parameters(), lr=0.01, eps=1e-3)
    schG = optim.lr_scheduler.LambdaLR(optG, lambda e: 1.0 - e / 10)
    schD = optim.lr_scheduler.LambdaLR(optD, lambda e: 1.0 - e / 10)
    g = torch.Generator().manual_seed(5)
    loader = DataLoader(TensorDataset(torch.randn(32, 2, generator=g) + 1, torch.randn(32, 3, generator=g)), batch_size=int(os.environ.get("BATCH_SIZE", "8")))
    start, best = 0, float("inf")
    path = os.path.join(OUT, "latest.pt")
    for phase in range(2):  # twice: the second time from the checkpoint
        for epoch in range(start, args.epochs * (phase + 1)):
            sum_d = sum_g = 0.0
            for real, z in loader:
                real, z = real.to(device), z.to(device)
                fake = netG(z)
                judged = nn.functional.softplus(-netD(real)).mean()
                loss_d = judged + nn.functional.softplus(netD(fake.detach())).mean()
                optD.zero_grad()
                loss_d.backward()
                optD.step()
                loss_g = nn.functional.softplus(-netD(fake)).mean()
                optG.zero_grad()
                loss_g.backward()
                optG.step()
                sum_d += loss_d.item()
                sum_g += loss_g.item()
            schG.step()
            schD.step()
            mean_d, mean_g = sum_d / len(loader), sum_g / len(loader)
            best = min(best, mean_g)
            print(f"result {mean_d:.5f} {mean_g:.5f}")
            save_checkpoint(path, epoch, best, netG=netG, netD=netD, optG=optG, optD=optD, schG=schG, schD=schD)
        start, best = load_checkpoint(path, netG=netG, netD=netD, optG=optG, optD=optD, schG=schG, schD=schD)


if __name__ == "__main__":
    main()
