"""Two models, two optimizers, two scalers and three losses."""
import argparse

import torch
import torch.nn as nn
from torch.cuda import amp


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    netG = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 6)).to(device)
    netD = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)).to(device)
    optG = torch.optim.Adam(netG.parameters(), lr=0.01)
    optD = torch.optim.Adam(netD.parameters(), lr=0.01)
    scalerG = amp.GradScaler()
    scalerD = amp.GradScaler()
    criterion = nn.BCEWithLogitsLoss()
    data = torch.randn(24, 6, generator=torch.Generator().manual_seed(1))
    noise = torch.randn(24, 4, generator=torch.Generator().manual_seed(2))
    for real, z in zip(data.split(8), noise.split(8)):
        real, z = real.to(device), z.to(device)
        ones, zeros = torch.ones(8, 1, device=device), torch.zeros(8, 1, device=device)

        optD.zero_grad()
        with amp.autocast():
            fake = netG(z)
            loss_real = criterion(netD(real), ones)
            loss_fake = criterion(netD(fake.detach()), zeros)
        scalerD.scale(loss_real).backward()
        scalerD.scale(loss_fake).backward()
        scalerD.step(optD)
        scalerD.update()

        optG.zero_grad()
        with amp.autocast():
            loss_g = criterion(netD(fake), ones)
        scalerG.scale(loss_g).backward()
        scalerG.step(optG)
        scalerG.update()
    torch.save({"G": netG.state_dict(), "scaler": scalerG.state_dict()}, args.checkpoint)
    scalerG.load_state_dict(torch.load(args.checkpoint)["scaler"])
    weights = [sum(p.detach().abs().sum().item() for p in net.parameters()) for net in (netG, netD)]
    print(f"result {sum(weights):.6f}")


if __name__ == "__main__":
    main()
