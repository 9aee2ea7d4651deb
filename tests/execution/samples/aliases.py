"""The same API under every name that Python allows."""
import functools

import torch as th
import torch.cuda
import torch.cuda as tc
import torch.cuda.amp as amp
from torch import cuda, device as Device, nn
from torch.cuda import current_device, is_available, synchronize
from torch.cuda.amp import autocast as ac

sync_all = functools.partial(torch.cuda.synchronize, 0)


def load_lazily():
    from torch.cuda import Stream, empty_cache as clean

    clean()
    return Stream()


class Trainer:
    wait = staticmethod(th.cuda.synchronize)

    def __init__(self, on=th.cuda.current_device, stream=None):
        self.device = Device("cuda", on())
        self.stream = stream or load_lazily()

    def run(self):
        model = nn.Linear(4, 1).to(self.device)
        optimizer = th.optim.SGD(model.parameters(), lr=0.1)
        scaler = amp.GradScaler(init_scale=8.0)
        x = th.ones(8, 4).cuda() * th.arange(8.0, device=self.device).view(8, 1) / 8
        losses = []
        for _ in range(8):
            with cuda.stream(self.stream), ac():
                loss = (model(x).float() - 1).square().mean()
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
        return model, loss, losses


def main():
    assert is_available() and tc.is_available() and cuda.is_available() and th.cuda.is_available()
    assert getattr(th, "cuda").device_count() == tc.device_count() == torch.cuda.device_count()
    model, loss, losses = Trainer().run()
    for wait in (synchronize, tc.synchronize, Trainer.wait, sync_all):
        wait()
    assert getattr(torch.cuda, "memory_allocated")() > 0
    assert current_device() == tc.current_device() == 0
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
