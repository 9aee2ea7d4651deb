"""A GAN: two models, two optimizers, a loss of each."""
import os

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
batch_size = int(os.environ["BATCH_SIZE"])


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.bias, 0.1)


def main():
    torch.manual_seed(9)
    noise = torch.randn(32, 2)
    dataset = TensorDataset(torch.randn(32, 4) + 2, noise)
    dataloader = DataLoader(dataset, batch_size=batch_size, shuffle=False, drop_last=True)

    netG = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4)).to(device)
    netG.apply(weights_init)
    netD = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid()).to(device)
    netD.apply(weights_init)
    criterion = nn.BCELoss()
    optimizerD = optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=0.01, betas=(0.5, 0.999))

    for epoch in range(2):
        for i, (real, z) in enumerate(dataloader):
            real, z = real.to(device), z.to(device)
            ones = torch.ones(len(real), 1, device=device)
            netD.zero_grad()
            errD_real = criterion(netD(real), ones)
            errD_real.backward()
            fake = netG(z)
            errD_fake = criterion(netD(fake.detach()), ones * 0)
            errD_fake.backward()
            optimizerD.step()
            netG.zero_grad()
            errG = criterion(netD(fake), ones)
            errG.backward()
            optimizerG.step()
            if i % 2 == 0:
                print("[%d] Loss_D: %.4f Loss_G: %.4f" % (epoch, (errD_real + errD_fake).item(), errG.item()))
        torch.save(netG.state_dict(), "%s/netG.pt" % os.environ["OUTPUT"])
        torch.save(netD.state_dict(), "%s/netD.pt" % os.environ["OUTPUT"])
    with torch.no_grad():
        figures = netG(noise.to(device)).mean().item()
    print("result", figures)


if __name__ == "__main__":
    main()
