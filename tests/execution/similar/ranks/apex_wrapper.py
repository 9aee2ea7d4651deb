"""One of two processes: the gradients that apex's wrapper leaves, for its arguments."""

import sys
import warnings

import torch
import torch.distributed as dist

path, store, rank, world = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, path)
from ascend_function import similar_api  # noqa: E402

dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
INPUTS = [torch.randn(4, 3, generator=torch.Generator().manual_seed(r)) for r in range(world)]


def make_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))


def own_gradients():
    """The gradients of every process, each by itself."""
    gradients = []
    for x in INPUTS:
        model = make_model()
        model(x).square().sum().backward()
        gradients.append([parameter.grad for parameter in model.parameters()])
    return gradients


def compare(factor, *positional, **keywords):
    torch.manual_seed(rank)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = similar_api.DistributedDataParallel(make_model(), *positional, **keywords)
    assert list(model.state_dict()) == [f"module.{key}" for key in model.module.state_dict()]
    model(INPUTS[rank]).square().sum().backward()
    for parameter, *shares in zip(model.parameters(), *own_gradients(), strict=True):
        torch.testing.assert_close(parameter.grad, sum(shares) * factor)
    return model


compare(1 / world)
compare(1 / world, 10000000, True)
compare(1 / world, message_size=100, gradient_predivide_factor=4.0, num_allreduce_streams=2)
compare(1, gradient_average=False)
compare(1 / 4, gradient_average=False, gradient_predivide_factor=4.0)
model = compare(1 / world, delay_allreduce=True, allreduce_always_fp32=True, prof=True)

before = model.module[1].running_mean.clone()
model(INPUTS[rank])
others = [torch.zeros_like(before) for _ in range(world)]
dist.all_gather(others, model.module[1].running_mean)
assert not torch.equal(others[0], others[1]), "buffers are each process's own, as with apex"


def accumulate(factor, **keywords):
    """Two passes without a reduction, then one with it: that reduces the sum of all three."""
    model = similar_api.DistributedDataParallel(make_model(), **keywords)
    model.disable_allreduce()
    for _ in range(2):
        model(INPUTS[rank]).square().sum().backward()
    if not keywords:
        for parameter, own in zip(model.parameters(), own_gradients()[rank], strict=True):
            torch.testing.assert_close(parameter.grad, 2 * own)
    model.enable_allreduce()
    model(INPUTS[rank]).square().sum().backward()
    for parameter, *shares in zip(model.parameters(), *own_gradients(), strict=True):
        torch.testing.assert_close(parameter.grad, 3 * sum(shares) * factor)


accumulate(1 / world)
accumulate(1, gradient_average=False)
accumulate(1 / world, delay_allreduce=True)


class Half(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.used(x)


delayed = similar_api.DistributedDataParallel(Half(), delay_allreduce=True)
for _ in range(2):
    delayed(INPUTS[rank]).sum().backward()

for wrong in ({"shared_param": True}, {"retain_allreduce_buffers": True}):
    try:
        similar_api.DistributedDataParallel(make_model(), **wrong)
    except (ValueError, NotImplementedError):
        continue
    raise AssertionError(f"{wrong} was taken")
print("gradients as apex leaves them", flush=True)
dist.destroy_process_group()
