"""HCCL: what it moves, what it adds up, what it refuses. Run by torchrun with two ranks."""

import os
import sys

import torch
import torch.distributed as dist
import torch_npu
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

BACKEND = sys.argv[1]
RANK = int(os.environ["RANK"])
DEVICE = torch.device("npu", int(os.environ["LOCAL_RANK"]))
REDUCIBLE = (torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32)
IRREDUCIBLE = (torch.float64, torch.uint64, torch.complex128)


def refuses(action, text):
    try:
        action()
    except RuntimeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"not refused: {text}")


def full(value, dtype=torch.float32, size=3):
    return torch.full((size,), value, dtype=dtype, device=DEVICE)


def reductions():
    for dtype in (*REDUCIBLE, torch.uint8):
        tensor = full(RANK + 1, dtype)
        dist.all_reduce(tensor)
        assert tensor.tolist() == [3, 3, 3], dtype
    for dtype in REDUCIBLE:
        tensor = full(RANK + 1, dtype)
        dist.reduce(tensor, 1)
        assert RANK == 0 or tensor.tolist() == [3, 3, 3]
    tensor = full(float(RANK))
    dist.all_reduce(tensor, op=dist.ReduceOp.AVG)
    assert tensor.tolist() == [0.5] * 3
    flag = torch.tensor([RANK == 0], device=DEVICE)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    assert flag.item() is True
    part = full(0.0, size=2)
    dist.reduce_scatter_tensor(part, torch.arange(4.0, device=DEVICE))
    assert part.tolist() == [[0.0, 2.0], [4.0, 6.0]][RANK]
    dist.reduce_scatter(part, [full(1.0, size=2), full(2.0, size=2)])
    assert part.tolist() == [2.0 * (RANK + 1)] * 2
    work = dist.all_reduce(full(1.0), async_op=True)
    work.wait()
    assert work.is_completed()


def refusals():
    for dtype in IRREDUCIBLE:
        refuses(lambda dtype=dtype: dist.all_reduce(full(1, dtype)), "Unsupported data type")
    refuses(lambda: dist.reduce(full(1, torch.float64), 0), "Unsupported data type")
    refuses(lambda: dist.reduce(full(1, torch.uint8), 0), "Unsupported data type")
    if "gloo" in BACKEND:
        dist.all_reduce(torch.ones(2, dtype=torch.float64))
    else:
        refuses(lambda: dist.all_reduce(torch.ones(2)), "No backend type associated with device type cpu")


def movements():
    for dtype in (torch.float64, torch.bool, torch.complex64, torch.float16, torch.uint8):
        tensor = full(RANK, dtype)
        dist.broadcast(tensor, 1)
        assert tensor.tolist() == [1] * 3
        everyone = [torch.empty((), dtype=dtype, device=DEVICE) for _ in range(2)]
        dist.all_gather(everyone, torch.tensor(RANK, dtype=dtype, device=DEVICE))
        assert [one.item() for one in everyone] == [0, 1]
    both = full(0.0, size=4)
    dist.all_gather_into_tensor(both, full(float(RANK), size=2))
    assert both.tolist() == [0.0, 0.0, 1.0, 1.0]
    gathered = [full(0.0), full(0.0)] if RANK == 0 else None
    dist.gather(full(float(RANK)), gathered, dst=0)
    assert RANK == 1 or [one[0].item() for one in gathered] == [0.0, 1.0]
    mine = full(-1.0)
    dist.scatter(mine, [full(0.0), full(1.0)] if RANK == 0 else None, src=0)
    assert mine.tolist() == [float(RANK)] * 3
    objects = [None, None]
    dist.all_gather_object(objects, {"rank": RANK})
    assert objects == [{"rank": 0}, {"rank": 1}]
    reported = [RANK]
    dist.broadcast_object_list(reported, 1)
    assert reported == [1]


def exchanges():
    swapped = full(0, torch.int64, 2)
    dist.all_to_all_single(swapped, torch.arange(2, device=DEVICE) + 10 * RANK)
    assert swapped.tolist() == [RANK, 10 + RANK]
    received = [full(0.0, size=1), full(0.0, size=1)]
    dist.all_to_all(received, [full(10.0 * RANK, size=1), full(10.0 * RANK + 1, size=1)])
    assert [one.item() for one in received] == [RANK, 10 + RANK]
    other = full(-1.0)
    for work in dist.batch_isend_irecv(
        [dist.P2POp(dist.irecv, other, 1 - RANK), dist.P2POp(dist.isend, full(float(RANK)), 1 - RANK)]
    ):
        work.wait()
    assert other.tolist() == [float(1 - RANK)] * 3
    dist.barrier()
    dist.barrier(device_ids=[DEVICE.index])
    dist.all_reduce(full(1.0), group=dist.new_group([0, 1], backend="hccl"))


def synchronised_batch_norm():
    torch.manual_seed(0)
    everything = torch.randn(8, 3, 4, 4)
    plain = nn.BatchNorm2d(3)
    synchronised = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm2d(3)).to(DEVICE)
    expected = plain(everything)
    (expected**2 * torch.arange(3.0).view(1, 3, 1, 1)).sum().backward()
    half = slice(4 * RANK, 4 * RANK + 4)
    mine = everything[half].to(DEVICE).requires_grad_()
    result = synchronised(mine)
    torch.testing.assert_close(result.cpu(), expected[half], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(synchronised.running_var.cpu(), plain.running_var)
    (result**2 * torch.arange(3.0, device=DEVICE).view(1, 3, 1, 1)).sum().backward()
    gradient = synchronised.weight.grad.clone()
    dist.all_reduce(gradient)
    torch.testing.assert_close(gradient.cpu(), plain.weight.grad, rtol=1e-3, atol=1e-3)


def distributed_training():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model).to(DEVICE)
    parallel = DistributedDataParallel(model, device_ids=[DEVICE.index], output_device=DEVICE.index)
    optimizer = torch.optim.SGD(parallel.parameters(), 0.05)
    torch.manual_seed(RANK)
    images, labels = torch.randn(4, 3, 8, 8, device=DEVICE), torch.randint(0, 2, (4,), device=DEVICE)
    losses = []
    for _ in range(12):  # beyond the ten steps that DDP times
        optimizer.zero_grad()
        loss = F.cross_entropy(parallel(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    weights = [torch.empty_like(model[4].weight) for _ in range(2)]
    dist.all_gather(weights, model[4].weight.detach())
    assert torch.equal(*weights)


def main():
    torch_npu.npu.set_device(DEVICE)
    options = {"device_id": DEVICE} if BACKEND == "hccl" else {}
    dist.init_process_group(BACKEND, **options)
    assert dist.is_hccl_available() and dist.Backend.HCCL == "hccl"
    if BACKEND == "hccl":
        assert dist.get_backend() == "hccl"
    for part in (reductions, refusals, movements, exchanges, synchronised_batch_norm, distributed_training):
        part()
    dist.destroy_process_group()
    print("all collectives behave", flush=True)


if __name__ == "__main__":
    main()
