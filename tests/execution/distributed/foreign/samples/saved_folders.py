"""A model that saves and loads itself by folder, gives a dictionary with its loss, and is trained with groups."""

import argparse
import os

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

OUT = os.environ.get("OUTPUT", ".")
BATCH = int(os.environ.get("BATCH_SIZE", "8"))


def make_data(n=24, width=4, classes=3):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, width, generator=g)
    return x, (x.sum(1) > 0).long() + (x[:, 0] > 1).long()


def seeded(net):
    g = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.randn(p.shape, generator=g) * 0.3)
    return net


class Rows(Dataset):
    def __init__(self):
        self.x, self.y = make_data()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"features": self.x[i], "labels": self.y[i]}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 3)

    @classmethod
    def from_folder(cls, path):
        model = cls()
        model.load_state_dict(torch.load(os.path.join(path, "weights.bin")))
        return model

    def save_folder(self, path):
        os.makedirs(path, exist_ok=True)
        torch.save(self.state_dict(), os.path.join(path, "weights.bin"))

    def forward(self, features, labels=None):
        logits = self.head(torch.relu(self.body(features)))
        out = {"logits": logits}
        if labels is not None:
            out["loss"] = F.cross_entropy(logits, labels)
        return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    folder = os.path.join(OUT, "saved")
    model = Model.from_folder(folder) if args.resume else seeded(Model())
    model.to("cuda")
    decay = [p for n, p in model.named_parameters() if not n.endswith("bias")]
    rest = [p for n, p in model.named_parameters() if n.endswith("bias")]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=0.02, eps=1e-3)
    loader = DataLoader(Rows(), batch_size=BATCH)
    steps, accumulate = 0, 2
    model.train()
    for epoch in range(3):
        for step, batch in enumerate(loader):
            batch = {k: v.to("cuda") for k, v in batch.items()}
            outputs = model(**batch)
            loss = outputs["loss"] / accumulate
            loss.backward()
            if (step + 1) % accumulate == 0 or step + 1 == len(loader):
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                steps += 1
    model.save_folder(folder)
    torch.save(model.state_dict(), os.path.join(OUT, "copy.pt"))
    print(f"result {steps} {loss.item():.6f}")


if __name__ == "__main__":
    main()
