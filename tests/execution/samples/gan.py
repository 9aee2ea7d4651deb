"""Two networks, two optimizers, one loop."""
import torch
import torch.nn as nn

device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))

    def forward(self, input):
        return self.main(input).view(-1)


def main():
    torch.manual_seed(0)
    netG = nn.Sequential(nn.ConvTranspose2d(8, 4, 4), nn.BatchNorm2d(4), nn.ReLU(), nn.ConvTranspose2d(4, 1, 4, 2, 1))
    netG = netG.to(device)
    netD = Discriminator().to(device)
    criterion = nn.BCEWithLogitsLoss()
    optimizerD = torch.optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=0.002, betas=(0.5, 0.999))
    fixed_noise = torch.randn(4, 8, 1, 1, device=device)
    losses = []
    for _ in range(8):
        netD.zero_grad()
        real = torch.ones(8, 1, 8, 8, device=device) + 0.1 * torch.randn(8, 1, 8, 8, device=device)
        label = torch.full((8,), 1.0, dtype=torch.float, device=device)
        errD_real = criterion(netD(real), label)
        errD_real.backward()
        noise = torch.randn(8, 8, 1, 1, device=device)
        fake = netG(noise)
        label.fill_(0.0)
        errD_fake = criterion(netD(fake.detach()), label)
        errD_fake.backward()
        loss = errD_real + errD_fake
        optimizerD.step()
        netG.zero_grad()
        label.fill_(1.0)
        errG = criterion(netD(fake), label)
        errG.backward()
        optimizerG.step()
        losses.append(loss.item())
    assert netG(fixed_noise).detach().cpu().numpy().shape == (4, 1, 8, 8)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(netG.parameters()).device)


if __name__ == "__main__":
    main()
