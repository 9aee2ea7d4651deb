"""Mixed precision as torch.cuda.amp had it."""
import argparse

import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
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
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2))
        self.head = nn.Linear(32, 4)

    @autocast()
    def forward(self, x):
        x = self.features(x).flatten(1)
        assert x.dtype == torch.float16
        x = Square.apply(x)
        assert x.dtype == torch.float32
        return self.head(x)


def train(use_amp, scaler, steps=10):
    torch.manual_seed(0)
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    images, labels = torch.randn(16, 3, 8, 8).cuda(), torch.arange(16).remainder(4).cuda()
    losses = []
    for step in range(steps):
        optimizer.zero_grad(set_to_none=True)
        with autocast(enabled=use_amp, dtype=torch.float16):
            loss = criterion(model(images), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return model, loss, losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", action="store_true")
    args = parser.parse_args()

    # The fifth argument says whether to scale at all.
    off = GradScaler(65536.0, 2.0, 0.5, 2000, False)
    assert not off.is_enabled() and off.get_scale() == 1.0
    train(True, off, steps=2)

    scaler = torch.cuda.amp.GradScaler(init_scale=1024.0, growth_interval=4, enabled=not args.amp)
    assert scaler.is_enabled()
    model, loss, losses = train(True, scaler)
    assert scaler.get_scale() > 1024.0
    restored = GradScaler()
    restored.load_state_dict(scaler.state_dict())
    assert restored.get_scale() == scaler.get_scale()
    with torch.cuda.amp.autocast(dtype=torch.bfloat16):
        assert (torch.ones(2, 2).cuda() @ torch.ones(2, 2).cuda()).dtype == torch.bfloat16
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
