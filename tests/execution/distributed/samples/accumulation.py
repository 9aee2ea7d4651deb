"""Gradient accumulation, clipping and a learning rate schedule; everything is made as the script is read."""
import os

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, Dataset

ACCUMULATE = 2


class Waves(Dataset):
    def __init__(self, size):
        self.x = torch.arange(size, dtype=torch.float32).unsqueeze(1) / size
        self.y = torch.sin(self.x * 6)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


torch.manual_seed(0)
dataset = Waves(32)
loader = DataLoader(dataset, int(os.environ["BATCH_SIZE"]), shuffle=False)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
if torch.cuda.is_available():
    model.cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)
criterion = nn.MSELoss()


def main():
    for epoch in range(3):
        optimizer.zero_grad()
        for step, (x, y) in enumerate(loader):
            loss = criterion(model(x.cuda()), y.cuda()) / ACCUMULATE
            loss.backward()
            if (step + 1) % ACCUMULATE == 0:
                clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        scheduler.step()
        with torch.no_grad():
            total = criterion(model(dataset.x.cuda()), dataset.y.cuda()).item()
        print(f"result {total:.6f} lr {scheduler.get_last_lr()[0]:.5f}")
    torch.save({"state": model.state_dict(), "schedule": scheduler.state_dict()},
               os.path.join(os.environ["OUTPUT"], "waves.pt"))


if __name__ == "__main__":
    main()
