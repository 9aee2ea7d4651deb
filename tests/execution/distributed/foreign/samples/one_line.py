"""Several statements on a line, and a loop that ends on a figure."""
import os, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(32, 4); y = x.sum(1, keepdim=True)
loader = DataLoader(TensorDataset(x, y), batch_size=int(os.environ['BATCH_SIZE']))
net = nn.Linear(4, 1); net.cuda(); opt = torch.optim.SGD(net.parameters(), lr=0.05)
best = 1e9; stopped = -1
for epoch in range(6):
    total = 0.
    for a, b in loader:
        loss = (net(a.cuda()) - b.cuda()).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item()
    total /= len(loader)
    print('epoch', epoch, total); best = min(best, total)
    if total < 2.0: print('good enough', epoch); stopped = epoch; break
print('saving'); torch.save({'net': net.state_dict(), 'epoch': stopped}, os.path.join(os.environ['OUTPUT'], 'net.pt')); x = 3
print('result', stopped, x); y = 2
