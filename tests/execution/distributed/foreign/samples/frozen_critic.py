"""A GAN that freezes its critic in each step, saves what it makes, and draws from two loaders."""

import os
from itertools import cycle

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(6)
    size, folder = int(os.environ["BATCH_SIZE"]), os.environ["OUTPUT"]
    photos = DataLoader(TensorDataset(torch.randn(32, 2) + 1), batch_size=size)
    noise = iter(cycle(DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=size)))
    netG = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).cuda()
    netD = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)).cuda()
    optG = torch.optim.Adam(netG.parameters(), lr=1e-2)
    optD = torch.optim.Adam(netD.parameters(), lr=1e-2)
    fixed = torch.randn(5, 4).cuda()
    for epoch in range(3):
        total = 0.0
        for (x,) in photos:
            (z,) = next(noise)
            for p in netD.parameters():
                p.requires_grad_(True)
            fake = netG(z.cuda())
            lossD = F.softplus(-netD(x.cuda())).mean() + F.softplus(netD(fake.detach())).mean()
            optD.zero_grad()
            lossD.backward()
            optD.step()
            for p in netD.parameters():
                p.requires_grad_(False)
            lossG = F.softplus(-netD(fake)).mean()
            optG.zero_grad()
            lossG.backward()
            optG.step()
            total += lossD.item()
        print(f"epoch {epoch} result {total / len(photos):.5f}")
        with torch.no_grad():
            torch.save(netG(fixed).cpu(), os.path.join(folder, "samples.pt"))
    torch.save({"G": netG.state_dict(), "D": netD.state_dict()}, os.path.join(folder, "gan.pt"))


if __name__ == "__main__":
    main()
