"""Training on the device: forward, backward, optimizers, mixed precision, several devices."""

import pytest
import torch
import torch_npu
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def perceptron():
    return nn.Sequential(nn.Flatten(), nn.Linear(192, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))


def convolutional():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1, groups=2),
        nn.GroupNorm(2, 8),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


def transformer():
    layer = nn.TransformerEncoderLayer(24, 2, 32, dropout=0.1, batch_first=True)
    return nn.Sequential(
        nn.Flatten(2), nn.Unflatten(2, (8, 8)), nn.Flatten(1), nn.Unflatten(1, (8, 24)),
        nn.TransformerEncoder(layer, 2), nn.Flatten(), nn.Linear(192, 3),
    )  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell, self.head = cell(24, 12, batch_first=True), nn.Linear(12, 3)

    def forward(self, images):
        return self.head(self.cell(images.reshape(len(images), 8, 24))[0][:, -1])


def train(model, make_optimizer, steps=8, precision=None, scaler=None):
    torch.manual_seed(0)
    model = model().npu()
    optimizer = make_optimizer(model.parameters())
    images, labels = torch.randn(12, 3, 8, 8, device="npu"), torch.randint(0, 3, (12,), device="npu")
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast("npu", dtype=precision, enabled=precision is not None):
            loss = F.cross_entropy(model(images), labels)
        if scaler:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
        assert loss.is_npu and all(p.grad.is_npu for p in model.parameters())
        losses.append(loss.item())
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    "model",
    [perceptron, convolutional, transformer, lambda: Recurrent(nn.LSTM), lambda: Recurrent(nn.GRU)],
    ids=["perceptron", "convolutional", "transformer", "lstm", "gru"],
)
def test_models_train(model):
    train(model, lambda parameters: torch.optim.SGD(parameters, 0.05, momentum=0.9))


@pytest.mark.parametrize(
    "optimizer",
    [
        torch.optim.SGD,
        torch.optim.Adam,
        torch.optim.AdamW,
        torch.optim.RMSprop,
        torch_npu.optim.NpuFusedAdam,
        torch_npu.optim.NpuFusedAdamW,
        torch_npu.optim.NpuFusedSGD,
    ],
)
def test_optimizers_train(optimizer):
    train(perceptron, lambda parameters: optimizer(parameters, lr=0.01))


def test_fused_adamw():
    train(perceptron, lambda parameters: torch.optim.AdamW(parameters, fused=True))


@pytest.mark.parametrize("precision", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "scaler",
    [
        torch_npu.npu.amp.GradScaler,
        lambda: torch.amp.GradScaler("npu"),
        lambda: torch_npu.npu.amp.GradScaler(enabled=False),
        lambda: torch_npu.npu.amp.GradScaler(init_scale=128.0, dynamic=False),
        lambda: None,
    ],
    ids=["npu", "torch.amp", "off", "static", "none"],
)
def test_mixed_precision_trains(precision, scaler):
    train(convolutional, lambda p: torch.optim.SGD(p, 0.05), precision=precision, scaler=scaler())


@pytest.mark.parametrize(
    ("context", "dtype"),
    [
        (lambda: torch.autocast("npu"), torch.float16),
        (lambda: torch.autocast(device_type="npu", dtype=torch.bfloat16), torch.bfloat16),
        (lambda: torch.amp.autocast("npu", enabled=False), torch.float32),
        (lambda: torch_npu.npu.amp.autocast(), torch.float16),
        (lambda: torch_npu.npu.amp.autocast(True, torch.bfloat16), torch.bfloat16),
        (lambda: torch_npu.npu.amp.autocast(enabled=False), torch.float32),
    ],
)
def test_autocast(context, dtype):
    model, data = nn.Linear(4, 4).npu(), torch.ones(2, 4, device="npu")
    with context():
        product = model(data)
        assert product.dtype == dtype
        assert F.mse_loss(product, data).dtype == torch.float32
    assert torch_npu.npu.amp.autocast()(model)(data).dtype == torch.float16


def test_the_scaler_skips_a_step_that_overflows():
    model = nn.Linear(2, 1).npu()
    before = model.weight.detach().clone()
    optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch_npu.npu.amp.GradScaler(1024.0)
    scaler.scale(model(torch.full((1, 2), 3e38, device="npu")).sum() * 1e10).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(before, model.weight) and scaler.get_scale() == 512.0


def test_the_fifth_positional_argument_of_the_scaler_is_dynamic_not_enabled():
    assert torch_npu.npu.amp.GradScaler(1024.0, 2.0, 0.5, 2000, False).is_enabled()
    assert not torch_npu.npu.amp.GradScaler(1024.0, 2.0, 0.5, 2000, True, False).is_enabled()


def test_the_scaler_takes_no_loss_of_the_cpu():
    with pytest.raises(ValueError, match="Device type of outputs should be npu"):
        torch_npu.npu.amp.GradScaler().scale(torch.ones(()))
    assert torch_npu.npu.amp.GradScaler(enabled=False).scale(torch.ones(())).item() == 1.0


def test_custom_functions_under_autocast():
    class Double(torch.autograd.Function):
        @staticmethod
        @torch_npu.npu.amp.custom_fwd(cast_inputs=torch.float32)
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        @torch_npu.npu.amp.custom_bwd
        def backward(ctx, gradient):
            return 2 * gradient

    data = torch.ones(2, device="npu", dtype=torch.float16, requires_grad=True)
    with torch_npu.npu.amp.autocast():
        result = Double.apply(data)
    assert result.dtype == torch.float32
    result.sum().backward()
    assert data.grad.tolist() == [2.0, 2.0]


def test_a_model_over_two_devices():
    first, second = nn.Linear(2, 2).to("npu:0"), nn.Linear(2, 2).to("npu:1")
    second(first(torch.ones(1, 2, device="npu:0")).to("npu:1")).sum().backward()
    assert first.weight.grad.device.index == 0 and second.weight.grad.device.index == 1


@pytest.mark.parametrize("reentrant", [True, False])
def test_activation_checkpointing_repeats_its_dropout(reentrant):
    model = nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5)).npu()
    data = torch.ones(4, 64, device="npu", requires_grad=True)
    result = checkpoint(model, data, use_reentrant=reentrant)
    result.sum().backward()
    dropped = result == 0
    torch.testing.assert_close(model[0].bias.grad, (~dropped).float().sum(0) * 2)


def test_results_equal_those_of_the_cpu():
    torch.manual_seed(0)
    for model in (convolutional(), Recurrent(nn.LSTM), Recurrent(nn.GRU), transformer().eval()):
        images = torch.randn(4, 3, 8, 8)
        model.zero_grad()
        expected = model(images)
        expected.sum().backward()
        gradients = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        there = model.npu()(images.npu())
        torch.testing.assert_close(there.cpu(), expected, rtol=1e-4, atol=1e-5)
        there.sum().backward()
        for parameter, gradient in zip(model.parameters(), gradients, strict=True):
            torch.testing.assert_close(parameter.grad.cpu(), gradient, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("layout", ["BSND", "BNSD", "BSH", "SBH", "TND"])
@pytest.mark.parametrize("causal", [False, True])
def test_fused_attention(layout, causal):
    query, key, value = (torch.randn(2, 4, 6, 8, device="npu") for _ in range(3))  # batch, heads, sequence
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
    how = {
        "BSND": lambda x: x.transpose(1, 2),
        "BNSD": lambda x: x,
        "BSH": lambda x: x.transpose(1, 2).flatten(2),
        "SBH": lambda x: x.permute(2, 0, 1, 3).flatten(2),
        "TND": lambda x: x.transpose(1, 2).flatten(0, 1),
    }[layout]
    options = {"keep_prob": 1.0, "scale": 8**-0.5}
    if causal:
        mask = torch.triu(torch.ones([2048, 2048], device="npu"), diagonal=1).bool()
        options |= {"atten_mask": mask, "sparse_mode": 3}
    if layout == "TND":
        options |= {"actual_seq_qlen": (6, 12), "actual_seq_kvlen": (6, 12)}
    result = torch_npu.npu_fusion_attention(*map(how, (query, key, value)), 4, layout, **options)[0]
    torch.testing.assert_close(result, how(expected))


def test_fused_attention_without_a_mask_is_full_whatever_the_mode():
    query = torch.randn(1, 2, 4, 8, device="npu")
    result = torch_npu.npu_fusion_attention(query, query, query, 2, "BNSD", scale=8**-0.5, sparse_mode=3)[0]
    torch.testing.assert_close(result, F.scaled_dot_product_attention(query, query, query))


def test_norm_and_gates():
    data, weight = torch.randn(3, 8, device="npu"), torch.randn(8, device="npu")
    torch.testing.assert_close(
        torch_npu.npu_rms_norm(data, weight, epsilon=1e-5)[0], F.rms_norm(data, (8,), weight, 1e-5)
    )
    first, second = data.chunk(2, -1)
    torch.testing.assert_close(torch_npu.npu_swiglu(data), F.silu(first) * second)
