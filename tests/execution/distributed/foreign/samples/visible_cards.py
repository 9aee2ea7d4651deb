"""The script chooses its card by the environment, and a number of it."""

import copy
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self):
        self.x = torch.linspace(-1, 1, 32).reshape(32, 1)

    def __getitem__(self, i):
        return self.x[i], self.x[i] ** 2

    def __len__(self):
        return len(self.x)


use_cuda = torch.cuda.is_available()
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
nn.init.constant_(net[0].weight, 0.5)
nn.init.constant_(net[0].bias, 0.1)
nn.init.constant_(net[2].weight, 0.2)
nn.init.zeros_(net[2].bias)
if use_cuda: net = net.cuda()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
trainloader = torch.utils.data.DataLoader(
    Points(), batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False, num_workers=0
)


def train(epoch):
    net.train()
    train_loss = 0
    for batch_idx, (inputs, targets) in enumerate(trainloader):
        if use_cuda: inputs, targets = inputs.cuda(), targets.cuda()
        optimizer.zero_grad()
        loss = criterion(net(inputs), targets)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    print("epoch %d result %.6f" % (epoch, train_loss / (batch_idx + 1)))


for epoch in range(3):
    train(epoch)
    state = {"net": copy.deepcopy(net).cpu(), "epoch": epoch}
    torch.save(state, os.environ["OUTPUT"] + "/ckpt.t7")
