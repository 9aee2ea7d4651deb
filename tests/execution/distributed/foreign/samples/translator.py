"""A translator that is told words by chance, and goes on where its checkpoint ends."""

import argparse
import os
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Encoder(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.gru = nn.GRU(width, width, batch_first=True)

    def forward(self, source):
        return self.gru(self.embedding(source))[1]


class Decoder(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, hidden, target):
        word, outputs = torch.zeros_like(target[:, :1]), []
        for step in range(target.shape[1]):
            output, hidden = self.gru(self.embedding(word), hidden)
            outputs.append(self.out(output))
            if random.random() < 0.5:
                word = target[:, step : step + 1]
            else:
                _, best = outputs[-1].topk(1)
                word = best.squeeze(-1).detach()
        return torch.cat(outputs, dim=1)


def train_epoch(loader, encoder, decoder, optimizers, criterion):
    total = 0
    for source, target in loader:
        source, target = source.to(device), target.to(device)
        loss = criterion(decoder(encoder(source), target).flatten(0, 1), target.flatten())
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        total += loss.item()
    return total / len(loader)


def main(args):
    random.seed(0)
    torch.manual_seed(0)
    words = torch.randint(1, 9, (32, 5))
    loader = DataLoader(TensorDataset(words, words.flip(1)), batch_size=int(os.environ["BATCH_SIZE"]))
    encoder, decoder = Encoder(9, 8).to(device), Decoder(9, 8).to(device)
    optimizers = [torch.optim.Adam(part.parameters(), lr=0.01) for part in (encoder, decoder)]
    first, losses = 0, []
    if args.resume and os.path.exists(args.path):
        saved = torch.load(args.path, map_location=device)
        encoder.load_state_dict(saved["encoder"])
        decoder.load_state_dict(saved["decoder"])
        for optimizer, part in zip(optimizers, saved["optimizers"]):
            optimizer.load_state_dict(part)
        first, losses = saved["epoch"] + 1, saved["losses"]
    for epoch in range(first, first + 2):
        losses.append(train_epoch(loader, encoder, decoder, optimizers, nn.CrossEntropyLoss()))
        print(f"result {losses[-1]:.6f}")
        state = {"epoch": epoch, "losses": losses, "optimizers": [one.state_dict() for one in optimizers]}
        torch.save(
            {**state, "encoder": encoder.state_dict(), "decoder": decoder.state_dict()}, args.path
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default=True)
    parser.add_argument("--path", default=os.path.join(os.environ["OUTPUT"], "translator.pt"))
    for _ in range(2):
        main(parser.parse_args())
