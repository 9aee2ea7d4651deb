"""A trainer with a model of two parts, an optimizer for each, decorators and nested functions."""
import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(6, 3), nn.Linear(3, 6)

    @autocast()
    def forward(self, x):
        code = self.encoder(x)
        with autocast(enabled=False):
            code = Square.apply(code.float())
        return self.decoder(code)


class Trainer:
    def __init__(self, device):
        self.device = device
        self.model = Net().to(device)
        self.encoding = torch.optim.SGD(self.model.encoder.parameters(), lr=0.1)
        self.decoding = torch.optim.SGD(self.model.decoder.parameters(), lr=0.05)
        self.scaler = GradScaler()

    def step(self, x):
        def reconstruct():
            with autocast(), torch.autograd.set_detect_anomaly(False):
                return nn.functional.mse_loss(self.model(x), x)

        self.encoding.zero_grad()
        self.decoding.zero_grad()
        loss = reconstruct()
        self.scaler.scale(loss).backward(retain_graph=False)
        self.scaler.unscale_(self.encoding)
        torch.nn.utils.clip_grad_norm_(self.model.encoder.parameters(), 0.1)
        self.scaler.step(self.encoding)
        self.scaler.step(self.decoding)
        self.scaler.update()
        return loss.item()


def main():
    torch.manual_seed(0)
    trainer = Trainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    data = torch.randn(24, 6, generator=torch.Generator().manual_seed(1))
    losses = [trainer.step(x.to(trainer.device)) for x in data.split(8)]
    print(f"result {sum(losses):.6f}")


if __name__ == "__main__":
    main()
