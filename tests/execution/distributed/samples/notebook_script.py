# %% A script without functions, as a notebook leaves it
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = int(os.environ["BATCH_SIZE"])
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(3)

# %% data
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(32, 4)
y = x @ torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
loader = DataLoader(TensorDataset(x, y), batch_size=batch_size)

# %% model
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

# %% train
for epoch in range(3):
    for xb, yb in loader:
        loss = F.mse_loss(model(xb.to(device)), yb.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        total = F.mse_loss(model(x.to(device)), y.to(device)).item()
    print(f"epoch {epoch}: result {total:.6f}")

# %% save
torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "linear.pt"))
