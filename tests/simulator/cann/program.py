"""A program for torch_npu of any release, from 2.1 on: what projects need first, each beside the CPU."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch_npu
from torch import nn
from torch.nn import functional as F

from gpu2ascend_simulator.cann.start import begin

GIB = 1 << 30
IMAGES, WORDS, ROWS = torch.randn(4, 3, 16, 16), torch.randint(0, 20, (4, 7)), torch.randn(4, 7, 5)
CLASSES = torch.tensor([0, 1, 2, 1])


class Encoder(nn.Module):
    """Words, encoded by attention."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, words: Any) -> Any:
        return self.head(self.encoder(self.embedding(words)).mean(1))


class Recurrent(nn.Module):
    """Rows, one after the other."""

    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.layers = kind(5, 6, 2, batch_first=True)  # type: ignore[call-arg, arg-type]
        self.head = nn.Linear(6, 3)

    def forward(self, rows: Any) -> Any:
        return self.head(self.layers(rows)[0][:, -1])


def convolutions() -> nn.Module:
    layers = (nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.GroupNorm(2, 8))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(8 * 49, 3))


def losses(device: str, model: nn.Module, inputs: Any, half: Any, optimizer: Any) -> list[float]:
    model = copy.deepcopy(model).to(device)
    steps = optimizer(model.parameters(), lr=0.01)
    found = []
    for _ in range(4):
        steps.zero_grad()
        with torch.autocast(device, half, enabled=half is not None):
            scores = model(inputs.to(device))
        loss = F.cross_entropy(scores.float(), CLASSES.to(device))
        loss.backward()
        steps.step()
        found.append(loss.item())
    return found


def train(model: nn.Module, inputs: Any, half: Any = None, optimizer: Any = torch.optim.AdamW) -> None:
    """The losses are the CPU's, which has float32 in any case."""
    expected = losses("cpu", model, inputs, None, optimizer)
    tolerance = 1e-3 if half is None else 0.1
    assert losses("npu", model, inputs, half, optimizer) == pytest.approx(expected, rel=tolerance)


def nothing_has_begun() -> None:
    assert not torch.npu.is_initialized()
    torch.ones(1).npu()
    assert torch.npu.is_initialized()


def two_devices() -> None:
    assert torch.npu.device_count() == 2
    assert torch.ones(1, device="npu:1").device.index == 1


def trainings() -> None:
    for optimizer in (torch.optim.AdamW, torch.optim.SGD):
        train(convolutions(), IMAGES, optimizer=optimizer)
    train(Encoder(), WORDS)
    train(Recurrent(nn.LSTM), ROWS)
    train(Recurrent(nn.GRU), ROWS)


def autocast() -> None:
    for half in (torch.float16, torch.bfloat16):
        train(convolutions(), IMAGES, half)


def scaler() -> None:
    scaler = torch_npu.npu.amp.GradScaler(init_scale=4.0)
    model = nn.Linear(4, 2).npu()
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with torch.npu.amp.autocast():
        loss = model(torch.randn(3, 4).npu()).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 4.0 and not torch.equal(model.weight, before)


def attention() -> None:
    query = torch.randn(2, 2, 5, 8)
    for is_causal in (False, True):
        expected, found = (
            F.scaled_dot_product_attention(*[tensor] * 3, is_causal=is_causal)
            for tensor in (query, query.npu())
        )
        assert torch.allclose(found.cpu(), expected, atol=1e-5)


def streams() -> None:
    stream = torch.npu.Stream()
    first, last = (torch.npu.Event(enable_timing=True) for _ in range(2))
    first.record()
    with torch.npu.stream(stream):
        doubled = torch.ones(4, device="npu") * 2
    torch.npu.current_stream().wait_stream(stream)
    last.record()
    torch.npu.synchronize()
    assert doubled.sum().item() == 8 and first.elapsed_time(last) >= 0


def saving() -> None:
    file = io.BytesIO()
    torch.save(nn.Linear(2, 2).npu().state_dict(), file)
    for place in ("npu:0", "cpu"):
        file.seek(0)
        assert torch.load(file, map_location=place)["weight"].device == torch.device(place)


def memory() -> None:
    with pytest.raises(RuntimeError, match=r"NPU out of memory\. Tried to allocate 3\.00 GiB"):
        torch.empty(3 * GIB, dtype=torch.uint8, device="npu")
    assert torch.npu.max_memory_allocated() > 0


def two_places() -> None:
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        torch.ones(2).npu() + torch.ones(2)


def random() -> None:
    draws = []
    for _ in range(2):
        torch.npu.manual_seed_all(1)
        draws.append(torch.randn(4, device="npu"))
    assert torch.equal(*draws) and not torch.equal(draws[0], torch.randn(4, device="npu"))


def loader() -> None:
    batches = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4, pin_memory=True)  # type: ignore[arg-type]
    assert sum(batch.npu(non_blocking=True).sum().item() for batch in batches) == 28


def fused() -> None:
    values = torch.randn(2, 8)
    expected = values * (values.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
    found = torch_npu.npu_rms_norm(values.npu(), torch.ones(8).npu())[0]
    assert torch.allclose(found.cpu(), expected, atol=1e-5)


def transfer() -> None:
    from torch_npu.contrib import transfer_to_npu  # noqa: F401 - it replaces names

    assert torch.cuda.is_available() and torch.ones(2).cuda().device.type == "npu"


CHECKS: tuple[Callable[[], None], ...] = (
    *(
        nothing_has_begun,
        two_devices,
        trainings,
        autocast,
        scaler,
        attention,
        streams,
        saving,
        memory,
        two_places,
        random,
    ),
    *(loader, fused, transfer),
)

if __name__ == "__main__":
    begin({}, compares=False)
    torch.manual_seed(0)
    for check in CHECKS:
        print(check.__name__, flush=True)
        check()
