"""Running averages that can be summed over all processes."""

import torch
import torch.distributed as dist


class AverageMeter:
    def __init__(self, name, device):
        self.name = name
        self.device = device
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    def synchronize_between_processes(self):
        if not (dist.is_available() and dist.is_initialized()):
            return
        # float64: a long epoch of a large world counts further than float32 can
        t = torch.tensor([self.count, self.total], dtype=torch.float64, device=self.device)
        dist.barrier()
        dist.all_reduce(t)
        t = t.tolist()
        self.count = int(t[0])
        self.total = t[1]

    @property
    def avg(self):
        return self.total / max(self.count, 1)

    def __str__(self):
        return "{} {:.4f}".format(self.name, self.avg)


@torch.no_grad()
def accuracy(output, target):
    """Percentage of the batch whose best-scored class is the right one."""
    return (output.argmax(dim=1) == target).float().mean().item() * 100.0
