"""Several devices by DataParallel, in the forms that people use."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(4, 8)
        self.classifier = nn.Linear(8, 2)

    def forward(self, x):
        return self.classifier(torch.relu(self.features(x)))

    def describe(self):
        return f"{sum(p.numel() for p in self.parameters())} parameters"


def main():
    torch.manual_seed(6)
    x = torch.randn(32, 4)
    y = (x[:, 0] > x[:, 1]).long()
    dataset = TensorDataset(x, y)
    train_sampler = SequentialSampler(dataset)
    train_loader = DataLoader(dataset, sampler=train_sampler, batch_size=int(os.environ["BATCH_SIZE"]))
    any_order = DataLoader(dataset, sampler=RandomSampler(dataset), batch_size=8)
    model = Net()
    if torch.cuda.device_count() > 1:
        print("Let's use", torch.cuda.device_count(), "GPUs!")
        model = nn.DataParallel(model)
    model = nn.DataParallel(model, device_ids=[0]).cuda()
    print(model.module.describe())
    for parameter in model.module.features.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.5)
    criterion = nn.CrossEntropyLoss().cuda()
    for epoch in range(2):
        for data, target in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(data.cuda()), target.cuda())
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        losses = [criterion(model(data.cuda()), target.cuda()).item() for data, target in any_order]
    print("result", sum(losses) / len(losses))
    state = model.module.state_dict() if isinstance(model, nn.DataParallel) else model.state_dict()
    torch.save(state, os.path.join(os.environ["OUTPUT"], "net.pt"))


if __name__ == "__main__":
    main()
