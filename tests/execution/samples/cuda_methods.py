"""Everything moves with .cuda()."""
import argparse

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self, vocabulary, tags):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 16)
        self.rnn = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
        self.head = nn.Linear(32, tags)
        self.register_buffer("scale", torch.ones(1))

    def init_hidden(self, batch):
        weight = next(self.parameters())
        if weight.is_cuda:
            return (torch.zeros(2, batch, 16).cuda(), torch.zeros(2, batch, 16).cuda())
        return (torch.zeros(2, batch, 16), torch.zeros(2, batch, 16))

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        output, _ = self.rnn(packed, self.init_hidden(words.size(0)))
        output, _ = pad_packed_sequence(output, batch_first=True)
        return self.head(output * self.scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default=1, type=int)
    args = parser.parse_args()
    torch.manual_seed(0)

    torch.cuda.set_device(args.gpu)
    model = Tagger(20, 5).cuda(args.gpu)
    criterion = nn.CrossEntropyLoss().cuda(args.gpu)
    other = nn.Linear(2, 2).cuda(torch.device("cuda:0"))
    third = nn.Linear(2, 2).cuda("cuda:0")
    assert other.weight.device.index == 0 and third.weight.device.index == 0
    assert next(model.parameters()).device.index == args.gpu

    words = torch.randint(0, 20, (8, 6))
    tags = words % 5
    lengths = torch.tensor([6, 5, 6, 4, 6, 6, 3, 6])
    if torch.cuda.is_available():
        words = words.cuda(args.gpu, non_blocking=True)
        tags = tags.cuda(args.gpu, non_blocking=True)
    batches = [t.cuda() for t in (words, tags)]
    assert all(t.is_cuda for t in batches) and batches[0].get_device() == args.gpu

    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        scores = model(words, lengths)
        loss = criterion(scores.reshape(-1, 5), tags.reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
    print("first loss {:.4f} last loss {:.4f}".format(losses[0], losses[-1]))
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
