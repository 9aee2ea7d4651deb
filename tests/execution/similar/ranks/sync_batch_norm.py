"""One of two processes: synchronized batch normalization is batch normalization of both batches together.

Both processes know both batches, so that each can say what plain batch normalization makes of them.
"""

import itertools
import sys

import torch
import torch.distributed as dist

path, store, rank, world = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, path)
from ascend_function import similar_api  # noqa: E402

dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
GROUP = dist.new_group(list(range(world)))


def close(ours, theirs, what):
    tolerance = {"rtol": 1e-9, "atol": 1e-9} if ours.dtype == torch.float64 else {"rtol": 2e-3, "atol": 2e-3}
    torch.testing.assert_close(ours, theirs.to(ours.dtype), **tolerance, msg=lambda text: f"{what}: {text}")


def batches(sizes, tail, dtype, seed):
    """The batches of all processes."""
    generator = torch.Generator().manual_seed(seed)
    return [
        (torch.randn(size, 3, *tail, generator=generator, dtype=torch.float64) * 2 + 5).to(dtype)
        for size in sizes
    ]


def compare(sizes, tail, dtype, momentum, affine, track, group):
    plain_class = {0: torch.nn.BatchNorm1d, 1: torch.nn.BatchNorm1d, 2: torch.nn.BatchNorm2d}[len(tail)]
    plain = plain_class(3, momentum=momentum, affine=affine, track_running_stats=track).to(dtype)
    if affine:
        torch.nn.init.normal_(plain.weight, generator=torch.Generator().manual_seed(5))
        torch.nn.init.normal_(plain.bias, generator=torch.Generator().manual_seed(6))
    ours = similar_api.SyncBatchNorm(
        3, momentum=momentum, affine=affine, track_running_stats=track, process_group=group
    ).to(dtype)
    assert {k: v.shape for k, v in ours.state_dict().items()} == {
        k: v.shape for k, v in plain.state_dict().items()
    }
    ours.load_state_dict(plain.state_dict())
    for step in range(3):
        everything = batches(sizes, tail, dtype, step)
        mine = everything[rank].clone().requires_grad_()
        together = torch.cat(everything).requires_grad_()
        first = sum(sizes[:rank])
        weights = torch.linspace(-1, 2, together.numel(), dtype=dtype).reshape(together.shape)
        result, expected = ours(mine), plain(together)
        (result * weights[first : first + sizes[rank]]).sum().backward()
        (expected * weights).sum().backward()
        close(result, expected[first : first + sizes[rank]], "output")
        close(mine.grad, together.grad[first : first + sizes[rank]], "gradient of the input")
    for (name, parameter), other in zip(ours.named_parameters(), plain.parameters(), strict=True):
        total = parameter.grad.clone()
        dist.all_reduce(total)
        close(total, other.grad, f"gradient of {name}, of both processes")
    for (name, buffer), other in zip(ours.named_buffers(), plain.buffers(), strict=True):
        close(buffer, other, name)
    x = torch.cat(batches(sizes, tail, dtype, 9))
    close(ours.eval()(x), plain.eval()(x), "evaluation")


count = 0
for sizes, tail, dtype, momentum, affine, track in itertools.product(
    ([3, 3], [4, 1], [0, 3]),
    ([], [5], [4, 3]),
    (torch.float64, torch.float32),
    (0.1, None),
    (True, False),
    (True, False),
):
    compare(sizes, tail, dtype, momentum, affine, track, None if count % 2 else GROUP)
    count += 1

half = similar_api.SyncBatchNorm(3)
x = batches([4, 4], [5], torch.float16, 1)
close(half(x[rank]).float(), torch.nn.BatchNorm1d(3)(torch.cat(x).float())[4 * rank : 4 * rank + 4], "half")

model = torch.nn.Sequential(
    torch.nn.Conv2d(2, 3, 1), torch.nn.BatchNorm2d(3), torch.nn.Flatten(), torch.nn.Linear(12, 1)
)
copy = torch.nn.Sequential(
    torch.nn.Conv2d(2, 3, 1), torch.nn.BatchNorm2d(3), torch.nn.Flatten(), torch.nn.Linear(12, 1)
)
for parameter in model.parameters():
    dist.broadcast(parameter.data, 0)
copy.load_state_dict(model.state_dict())
parallel = torch.nn.parallel.DistributedDataParallel(similar_api.SyncBatchNorm.convert_sync_batchnorm(model))
inputs = [torch.randn(3, 2, 2, 2, generator=torch.Generator().manual_seed(r)) for r in range(world)]
parallel(inputs[rank]).sum().backward()
(copy(torch.cat(inputs)).sum() / world).backward()
for (name, parameter), other in zip(parallel.module.named_parameters(), copy.parameters(), strict=True):
    close(parameter.grad, other.grad, f"in DistributedDataParallel, {name}")
print(f"{count} settings agree", flush=True)
dist.destroy_process_group()
