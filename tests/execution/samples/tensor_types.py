"""Code from when devices were types."""
from typing import Union

import torch
import torch.nn as nn

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor
BITS = {torch.cuda.FloatTensor: 32, torch.cuda.HalfTensor: 16}


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.label_emb = nn.Embedding(4, 4)
        self.model = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 6))

    def forward(self, noise, labels: Union[torch.LongTensor, "torch.cuda.LongTensor"]):
        return self.model(torch.cat((self.label_emb(labels), noise), -1))


def bits(t):
    for kind, number in BITS.items():
        if isinstance(t, kind):
            return number
    raise TypeError(t.type())


def main():
    torch.manual_seed(0)
    generator = Generator()
    adversarial_loss = nn.MSELoss()
    if cuda:
        generator.cuda()
        adversarial_loss.cuda()
    optimizer = torch.optim.Adam(generator.parameters(), lr=0.02, betas=(0.5, 0.999))
    z = torch.randn(16, 4).type(Tensor)
    labels = torch.randint(0, 4, (16,)).type(LongTensor)
    valid = Tensor(16, 6).fill_(1.0)
    assert isinstance(z, torch.cuda.FloatTensor) and not isinstance(z, torch.FloatTensor)
    assert z.type() == "torch.cuda.FloatTensor"
    assert labels.type() == "torch.cuda.LongTensor"
    assert torch.ones(2).type("torch.cuda.HalfTensor").is_cuda
    assert bits(z) == 32 and bits(z.half()) == 16
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = adversarial_loss(generator(z, labels), valid)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    total = torch.cuda.FloatTensor([0.0])
    total += losses[-1]
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(generator.parameters()).device)


if __name__ == "__main__":
    main()
