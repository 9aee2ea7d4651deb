"""Everything made from dictionaries: registries, keywords for the loader, the optimizer and the model."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MODELS, DATASETS = {}, {}


def register(table):
    def deco(cls):
        table[cls.__name__] = cls
        return cls

    return deco


@register(MODELS)
class Mlp(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


@register(DATASETS)
class Waves(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 2, generator=g)
        self.y = torch.sin(3 * self.x.sum(1))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


CFG = {
    "seed": 5,
    "data": {
        "train": {"name": "Waves", "n": 40, "seed": 1},
        "val": {"name": "Waves", "n": 16, "seed": 2},
        "loader": {"batch_size": int(os.environ["BATCH_SIZE"]), "num_workers": 0, "shuffle": False},
    },
    "model": {"name": "Mlp", "inputs": 2, "width": 6},
    "optim": {"name": "AdamW", "lr": 0.05, "weight_decay": 0.01},
    "epochs": 3,
}


def build(table, spec):
    spec = dict(spec)
    return table[spec.pop("name")](**spec)


def build_loaders(cfg):
    loaders = {}
    for split in ("train", "val"):
        ds = build(DATASETS, cfg["data"][split])
        loaders[split] = DataLoader(ds, **cfg["data"]["loader"])
    return loaders


def run_epoch(model, loader, device, optimizer=None):
    totals = {"loss": 0.0, "mae": 0.0, "n": 0}
    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        out = model(batch["x"])
        loss = nn.functional.mse_loss(out, batch["y"])
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        totals["loss"] += loss.item() * len(out)
        totals["mae"] += (out - batch["y"]).abs().sum().item()
        totals["n"] += len(out)
    loss = totals["loss"] / totals["n"]
    return {"loss": loss, "mae": totals["mae"] / totals["n"]}


def main(cfg):
    torch.manual_seed(cfg["seed"])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loaders = build_loaders(cfg)
    model = build(MODELS, cfg["model"]).to(device)
    spec = dict(cfg["optim"])
    optimizer = getattr(torch.optim, spec.pop("name"))(model.parameters(), **spec)
    for epoch in range(cfg["epochs"]):
        model.train()
        train = run_epoch(model, loaders["train"], device, optimizer)
        model.eval()
        with torch.no_grad():
            val = run_epoch(model, loaders["val"], device)
        print("epoch %d result %.5f result %.5f result %.5f" % (epoch, train["loss"], train["mae"], val["loss"]))
    torch.save({"state": model.state_dict(), "cfg": {**cfg, "data": None}}, os.path.join(os.environ["OUTPUT"], "final.pt"))


if __name__ == "__main__":
    main(CFG)
