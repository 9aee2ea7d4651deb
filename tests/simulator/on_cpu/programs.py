"""A program that uses much of what a migrated project uses, for a device that is mapped to the CPU."""

PARTS = """\
import threading

import torch
import torch.nn as nn
import torch_npu
from torch.utils.data import DataLoader, TensorDataset


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * torch.full((), 2.0, device="npu:0")


def in_a_thread(seen):
    seen.append(torch.ones(2, device="npu").sum().item())


def main():
    device = torch.device("npu", torch_npu.npu.current_device())
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 2)).npu()
    assert next(model.parameters()).device.type == "npu"
    assert next(model.parameters()).is_npu
    generator = torch.Generator(device=device)
    generator.manual_seed(1)
    noise = torch.randn(8, 4, device=device, generator=generator)
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    loader = DataLoader(data, batch_size=8, pin_memory=True)
    optimizer = torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=0.01)
    scaler = torch_npu.npu.amp.GradScaler()
    stream = torch_npu.npu.Stream()
    start, end = (torch_npu.npu.Event(enable_timing=True) for _ in range(2))
    seen = []
    thread = threading.Thread(target=in_a_thread, args=(seen,))
    thread.start()
    thread.join()
    assert seen == [2.0]
    state = torch_npu.npu.get_rng_state()
    torch_npu.npu.set_rng_state(state)
    torch.save(model.state_dict(), "model.pt")
    model.load_state_dict(torch.load("model.pt", map_location=device))
    for x, y in loader:
        x, y = x.npu(non_blocking=True), y.to(device, non_blocking=True)
        start.record()
        with torch_npu.npu.stream(stream), torch_npu.npu.amp.autocast(dtype=torch.bfloat16):
            logits = Doubled.apply(model(x + noise))
            loss = nn.functional.cross_entropy(logits.float(), y)
        torch_npu.npu.current_stream().wait_stream(stream)
        end.record()
        torch_npu.npu.synchronize()
        start.elapsed_time(end)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    torch_npu.npu.empty_cache()
    print(torch_npu.npu.memory_allocated(), torch_npu.npu.get_device_name(0))


if __name__ == "__main__":
    main()
"""
