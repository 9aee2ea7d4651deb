import itertools
import torch, torch.nn as nn
torch.manual_seed(0)
G_AB, G_BA = nn.Linear(4, 4), nn.Linear(4, 4)
D_A, D_B = nn.Linear(4, 1), nn.Linear(4, 1)
criterion_GAN, criterion_cycle = nn.MSELoss(), nn.L1Loss()
optimizer_G = torch.optim.Adam(itertools.chain(G_AB.parameters(), G_BA.parameters()), lr=0.002)
optimizer_D_A = torch.optim.Adam(D_A.parameters(), lr=0.002)
optimizer_D_B = torch.optim.Adam(D_B.parameters(), lr=0.002)
valid, fake = torch.ones(16, 1), torch.zeros(16, 1)
real_A, real_B = torch.randn(16, 4), torch.randn(16, 4) + 1
for step in range(50):
    optimizer_G.zero_grad()
    fake_B = G_AB(real_A); loss_GAN_AB = criterion_GAN(D_B(fake_B), valid)
    fake_A = G_BA(real_B); loss_GAN_BA = criterion_GAN(D_A(fake_A), valid)
    loss_cycle = criterion_cycle(G_BA(fake_B), real_A) + criterion_cycle(G_AB(fake_A), real_B)
    loss_G = (loss_GAN_AB + loss_GAN_BA) / 2 + 10.0 * loss_cycle
    loss_G.backward()
    optimizer_G.step()
    optimizer_D_A.zero_grad()
    loss_real = criterion_GAN(D_A(real_A), valid)
    loss_fake = criterion_GAN(D_A(fake_A.detach()), fake)
    loss_D_A = (loss_real + loss_fake) / 2
    loss_D_A.backward(); optimizer_D_A.step()
    optimizer_D_B.zero_grad()
    loss_D_B = (criterion_GAN(D_B(real_B), valid) + criterion_GAN(D_B(fake_B.detach()), fake)) / 2
    loss_D_B.backward(); optimizer_D_B.step()
loss = loss_G
