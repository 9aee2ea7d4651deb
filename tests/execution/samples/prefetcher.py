"""A prefetcher on a side stream, and events that time the steps."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class DataPrefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()
        self.mean = torch.tensor([0.5, 0.5, 0.5]).cuda().view(1, 3, 1, 1)
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = None
            self.next_target = None
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.cuda(non_blocking=True)
            self.next_target = self.next_target.cuda(non_blocking=True)
            self.next_input = self.next_input.float().sub_(self.mean)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        input, target = self.next_input, self.next_target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())
        if target is not None:
            target.record_stream(torch.cuda.current_stream())
        self.preload()
        return input, target


def main():
    torch.manual_seed(0)
    images = torch.rand(48, 3, 6, 6)
    labels = (images[:, 0].mean((1, 2)) > 0.5).long()
    loader = DataLoader(TensorDataset(images, labels), batch_size=8, shuffle=True, num_workers=1, pin_memory=True)
    model = nn.Sequential(nn.Flatten(), nn.Linear(108, 16), nn.ReLU(), nn.Linear(16, 2)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    sync = torch.cuda.synchronize
    losses = []
    start.record()
    for epoch in range(4):
        prefetcher = DataPrefetcher(loader)
        input, target = prefetcher.next()
        total = 0.0
        while input is not None:
            loss = nn.functional.cross_entropy(model(input), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            input, target = prefetcher.next()
        losses.append(total)
    end.record()
    sync()
    assert start.elapsed_time(end) > 0 and end.query()

    side = torch.cuda.Stream(device=torch.cuda.current_device(), priority=-1)
    side.wait_stream(torch.cuda.default_stream())
    with torch.cuda.stream(side):
        event = side.record_event()
    torch.cuda.current_stream().wait_event(event)
    event.synchronize()
    torch.cuda.set_stream(torch.cuda.default_stream())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
