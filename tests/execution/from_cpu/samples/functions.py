import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


def train(net, loader, optimizer, criterion):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        out = net(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
    return loss


def place(tensor):
    return getattr(tensor, "dev" + "ice")


def main():
    torch.manual_seed(0)
    x = torch.randn(16, 4)
    loader = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=4)
    model = Net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(10):
        loss = train(model, loader, optimizer, criterion)
        if epoch == 0:
            first = loss.item()
    for batch in loader:
        a, b = batch
        print(model(a).argmax(1).detach().numpy()[:1])
    print(f"first loss {first} last loss {loss.item()}")
    print(f"loss on {place(loss)} parameters on {place(next(model.parameters()))}")



if __name__ == "__main__":
    main()
