"""Synthetic shapes: made on the fly from the index, so there is nothing to download."""

import math

import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler
from torch.utils.data.distributed import DistributedSampler

CLASSES = ("circle", "square", "triangle", "cross")


class ShapesDataset(Dataset):
    """Noisy grey-on-grey images of one shape each, at a random place, size and angle."""

    def __init__(self, length, image_size=32, seed=0):
        self.length = length
        self.image_size = image_size
        self.seed = seed
        axis = torch.linspace(-1.0, 1.0, image_size)
        self.grid = torch.meshgrid(axis, axis, indexing="ij")

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        # seeded by the index: the same sample in every worker, process and epoch
        rng = torch.Generator().manual_seed(self.seed * 1_000_003 + index)
        label = int(torch.randint(len(CLASSES), (1,), generator=rng))
        u = torch.rand(6, generator=rng)

        cx, cy = (u[0] - 0.5) * 0.6, (u[1] - 0.5) * 0.6
        radius = 0.35 + 0.35 * u[2]
        angle = float(u[3]) * 2.0 * math.pi
        mask = self._draw(label, cx, cy, radius, angle)

        background, foreground = 0.2 + 0.2 * u[4], 0.6 + 0.3 * u[5]
        image = torch.where(mask, foreground, background)
        image = image + 0.05 * torch.randn(image.shape, generator=rng)
        return image.clamp(0.0, 1.0).unsqueeze(0).repeat(3, 1, 1), label

    def _draw(self, label, cx, cy, radius, angle):
        y, x = self.grid[0] - cy, self.grid[1] - cx
        xr = math.cos(angle) * x + math.sin(angle) * y
        yr = -math.sin(angle) * x + math.cos(angle) * y
        name = CLASSES[label]
        if name == "circle":
            return xr**2 + yr**2 < radius**2
        if name == "square":
            return torch.maximum(xr.abs(), yr.abs()) < 0.8 * radius
        if name == "triangle":
            return (yr > -0.5 * radius) & (yr < radius - 1.73 * xr.abs())
        bar = 0.3 * radius
        inside = torch.maximum(xr.abs(), yr.abs()) < radius
        return inside & ((xr.abs() < bar) | (yr.abs() < bar))


def build_loader(args, train, distributed):
    length = args.train_samples if train else args.val_samples
    dataset = ShapesDataset(length, args.image_size, seed=0 if train else 1)
    if distributed:
        sampler = DistributedSampler(dataset, shuffle=train)
    else:
        sampler = RandomSampler(dataset) if train else SequentialSampler(dataset)
    return DataLoader(
        dataset,
        batch_size=args.batch_size,
        sampler=sampler,
        num_workers=args.workers,
        pin_memory=torch.cuda.is_available(),
        drop_last=train,
    )


class CUDAPrefetcher:
    """Copies the next batch to the GPU on a side stream while the current one is trained on."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream(device=device)

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        batches = iter(self.loader)
        ready = self._preload(batches)
        while ready is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            images, target = ready
            images.record_stream(torch.cuda.current_stream())
            target.record_stream(torch.cuda.current_stream())
            ready = self._preload(batches)
            yield images, target

    def _preload(self, batches):
        batch = next(batches, None)
        if batch is None:
            return None
        with torch.cuda.stream(self.stream):
            images = batch[0].cuda(self.device, non_blocking=True)
            target = batch[1].cuda(self.device, non_blocking=True)
        return images, target
