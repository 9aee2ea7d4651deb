"""Watching memory, and halving the batch when it runs out."""
import gc

import torch
import torch.nn as nn


def report(device=None):
    allocated = torch.cuda.memory_allocated(device) / 2**20
    reserved = torch.cuda.memory_reserved(device) / 2**20
    peak = torch.cuda.max_memory_allocated(device) / 2**20
    free, total = torch.cuda.mem_get_info()
    return f"{allocated:.1f}/{reserved:.1f} MiB now, {peak:.1f} MiB at most, {free / total:.0%} free"


def train_step(model, optimizer, batch_size):
    x = torch.randn(batch_size, 1024, 256, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def main():
    torch.manual_seed(0)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    props = torch.cuda.get_device_properties(0)
    print(torch.cuda.get_device_name(0), props.total_memory)
    model = nn.Linear(256, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batch_size, losses, failures = 128, [], 0
    while len(losses) < 6:
        try:
            loss = train_step(model, optimizer, batch_size)
        except torch.cuda.OutOfMemoryError as e:
            assert "out of memory" in str(e)
            failures += 1
            batch_size //= 4
            gc.collect()
            torch.cuda.empty_cache()
            continue
        losses.append(loss.item())
    assert failures > 0, batch_size
    stats = torch.cuda.memory_stats()
    assert stats["allocated_bytes.all.peak"] == torch.cuda.max_memory_allocated()
    assert torch.cuda.memory_summary(abbreviated=True)
    torch.cuda.set_per_process_memory_fraction(0.5, 0)
    torch.cuda.reset_max_memory_allocated()
    print(report())
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
