"""A loop over phases, with the loaders in a dictionary, after a well-known tutorial."""
import copy
import os

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

generator = torch.Generator().manual_seed(0)
features = torch.randn(48, 5, generator=generator)
labels = (features.mean(1) > 0).long()
datasets = {"train": TensorDataset(features[:32], labels[:32]), "val": TensorDataset(features[32:], labels[32:])}
dataloaders = {
    "train": DataLoader(datasets["train"], batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False),
    "val": DataLoader(datasets["val"], batch_size=8),
}
dataset_sizes = {x: len(datasets[x]) for x in ["train", "val"]}
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def train_model(model, criterion, optimizer, scheduler, num_epochs=2):
    best_model_wts = copy.deepcopy(model.state_dict())
    best_loss = float("inf")
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            running_loss = 0.0
            for inputs, targets in dataloaders[phase]:
                inputs, targets = inputs.to(device), targets.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    loss = criterion(model(inputs), targets)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
            if phase == "train":
                scheduler.step()
            epoch_loss = running_loss / dataset_sizes[phase]
            if phase == "val":
                print(f"{phase} result {epoch_loss:.6f}")
            if phase == "val" and epoch_loss < best_loss:
                best_loss = epoch_loss
                best_model_wts = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_model_wts)
    return model


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
model = model.to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
model = train_model(model, criterion, optimizer, scheduler)
torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "best.pt"))
