import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
torch.manual_seed(0)
DATA = [(torch.randn(32, 8), torch.randint(0, 3, (32,))) for _ in range(10)]

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(8, 32); self.fc2 = nn.Linear(32, 3)
    def forward(self, x):
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)

def train(args, model, device, train_loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            if args.dry_run: break
    return loss

def test(model, device, test_loader):
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction='sum').item()
    return test_loss

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--log-interval', type=int, default=10)
    parser.add_argument('--dry-run', action='store_true')
    args = parser.parse_args([])
    model = Net().to("cpu")
    optimizer = optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, 6):
        loss = train(args, model, "cpu", DATA, optimizer, epoch)
        test(model, "cpu", DATA)
        scheduler.step()
    return loss
loss = main()
