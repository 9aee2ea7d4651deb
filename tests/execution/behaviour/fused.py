"""Fused operators: what they compute, compared with plain PyTorch on the CPU, forwards and backwards."""

import math

import pytest
import torch
import torch_npu
from torch.nn import functional as F


def pair(*shape):
    """A tensor of the CPU and the same on the NPU, both with gradients."""
    torch.manual_seed(len(shape) + sum(shape))
    host = torch.randn(*shape)
    return host.clone().requires_grad_(), host.to("npu").requires_grad_()


def agree(plain, fused, *inputs, tolerance=1e-5):
    """Both results and all gradients are equal."""
    torch.testing.assert_close(fused.cpu(), plain, rtol=tolerance, atol=tolerance)
    plain.square().sum().backward()
    fused.square().sum().backward()
    for host, device in inputs:
        torch.testing.assert_close(device.grad.cpu(), host.grad, rtol=10 * tolerance, atol=10 * tolerance)


def test_rms_norm():
    x, gamma = pair(2, 3, 8), pair(8)
    plain = x[0] * torch.rsqrt(x[0].pow(2).mean(-1, keepdim=True) + 1e-6) * gamma[0]
    agree(plain, torch_npu.npu_rms_norm(x[1], gamma[1])[0], x, gamma)


def test_norms_of_sums():
    first, second, gamma, beta = pair(2, 8), pair(3, 2, 8)[1][0], pair(8), pair(4, 8)[1][0]
    total = first[0] + second.cpu()
    norm, _, same = torch_npu.npu_add_rms_norm(first[1], second, gamma[1])
    torch.testing.assert_close(norm.cpu(), F.rms_norm(total, (8,), gamma[0], 1e-6), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(same.cpu(), total)
    norm, mean, _, same = torch_npu.npu_add_layer_norm(first[1], second, gamma[1], beta, 1e-5, True)
    torch.testing.assert_close(norm.cpu(), F.layer_norm(total, (8,), gamma[0], beta.cpu()))
    torch.testing.assert_close(mean.cpu().squeeze(-1), total.mean(-1))
    torch.testing.assert_close(same.cpu(), total)


def test_gates():
    x = pair(2, 3, 8)
    first, second = x[0].chunk(2, -1)
    agree(F.silu(first) * second, torch_npu.npu_swiglu(x[1]), x)
    x = pair(2, 3, 8)
    first, second = x[0].chunk(2, -1)
    agree(first * F.gelu(second, approximate="tanh"), torch_npu.npu_geglu(x[1])[0], x)
    left = torch_npu.npu_geglu(x[1], -1, 0, True)[0]
    torch.testing.assert_close(left.cpu(), second * F.gelu(first))


def test_activations():
    x = pair(5, 7)
    agree(F.silu(x[0]), torch_npu.npu_silu(x[1]), x)
    torch.testing.assert_close(torch_npu.npu_mish(x[1]).cpu(), F.mish(x[0]))
    torch.testing.assert_close(torch_npu.npu_fast_gelu(x[1]).cpu(), F.gelu(x[0]), rtol=0, atol=0.03)
    if torch_npu.__version__ >= "2.1" and hasattr(torch_npu, "npu_gelu"):
        torch.testing.assert_close(
            torch_npu.npu_gelu(x[1], approximate="tanh").cpu(), F.gelu(x[0], approximate="tanh")
        )


def test_masked_softmax():
    x = pair(1, 2, 4, 4)
    mask = torch.ones(1, 1, 4, 4, dtype=torch.bool).triu(1)
    plain = (x[0] * 0.5).masked_fill(mask, -math.inf).softmax(-1)
    agree(plain, torch_npu.npu_scaled_masked_softmax(x[1], mask.npu(), 0.5), x)
    torch.testing.assert_close(
        torch_npu.npu_scaled_masked_softmax(x[1], mask.npu(), 0.5, True).cpu(), plain, rtol=1e-5, atol=1e-6
    )


def test_rotary_positions():
    x = pair(1, 2, 3, 8)
    cos, sin = torch.randn(1, 1, 3, 8), torch.randn(1, 1, 3, 8)
    first, second = x[0].chunk(2, -1)
    agree(
        x[0] * cos + torch.cat((-second, first), -1) * sin,
        torch_npu.npu_rotary_mul(x[1], cos.npu(), sin.npu()),
        x,
    )
    with pytest.raises(RuntimeError, match="four dimensions"):
        torch_npu.npu_rotary_mul(x[1][0], cos.npu(), sin.npu())


def heads(tensor, layout, count):
    """A tensor (batch, heads, sequence, dimension) in a layout."""
    return {
        "BNSD": lambda: tensor,
        "BSND": lambda: tensor.transpose(1, 2),
        "BSH": lambda: tensor.transpose(1, 2).flatten(2),
        "SBH": lambda: tensor.permute(2, 0, 1, 3).flatten(2),
    }[layout]()


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH"])
@pytest.mark.parametrize("is_causal", [False, True])
def test_attention(layout, is_causal):
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 4, 5, 8) for _ in range(3))
    plain = F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    mask = torch.ones(5, 5, dtype=torch.bool, device="npu").triu(1) if is_causal else None
    given = [heads(item, layout, 4).npu() for item in (query, key, value)]
    fused = torch_npu.npu_fusion_attention(*given, 4, layout, atten_mask=mask, scale=8**-0.5)[0]
    torch.testing.assert_close(fused.cpu(), heads(plain, layout, 4), rtol=1e-4, atol=1e-5)


def test_attention_of_packed_sequences():
    torch.manual_seed(0)
    query, key, value = (torch.randn(7, 2, 8) for _ in range(3))
    parts = [
        F.scaled_dot_product_attention(*(item[part].transpose(0, 1)[None] for item in (query, key, value)))
        for part in (slice(0, 3), slice(3, 7))
    ]
    plain = torch.cat([part[0].transpose(0, 1) for part in parts])
    fused = torch_npu.npu_fusion_attention(
        query.npu(),
        key.npu(),
        value.npu(),
        2,
        "TND",
        scale=8**-0.5,
        actual_seq_qlen=[3, 7],
        actual_seq_kvlen=[3, 7],
    )[0]
    torch.testing.assert_close(fused.cpu(), plain, rtol=1e-4, atol=1e-5)


def test_tokens_go_to_their_experts_and_come_back():
    tokens, probabilities = pair(4, 6), torch.rand(4, 2)
    experts = torch.tensor([[0, 1], [1, 2], [2, 0], [0, 1]])
    permuted, places = torch_npu.npu_moe_token_permute(tokens[1], experts.npu())
    order = experts.flatten().argsort(stable=True)
    torch.testing.assert_close(permuted.cpu(), tokens[0][order // 2])
    back = torch_npu.npu_moe_token_unpermute(permuted, places, probabilities.npu())
    torch.testing.assert_close(back.cpu(), tokens[0] * probabilities.sum(-1, keepdim=True))


def test_what_moves_and_multiplies():
    x, weight, bias = pair(2, 3, 4), pair(5, 4), pair(5)
    agree(F.linear(x[0], weight[0], bias[0]), torch_npu.npu_linear(x[1], weight[1], bias[1]), x, weight, bias)
    assert torch.equal(torch_npu.npu_format_cast(x[1], 29), x[1])
    turned = torch_npu.npu_confusion_transpose(x[1], (0, 2, 1), (2, 12), True)
    torch.testing.assert_close(turned.cpu(), x[0].permute(0, 2, 1).reshape(2, 12))
    logits, target = pair(6, 3), torch.tensor([0, 1, 2, 0, 1, -100])
    loss = torch_npu.npu_cross_entropy_loss(logits[1], target.npu())[0]
    agree(F.cross_entropy(logits[0], target), loss, logits)


def test_they_refuse_tensors_of_the_cpu():
    with pytest.raises(RuntimeError, match="at least two devices"):
        torch_npu.npu_swiglu(torch.randn(2, 8))
    with pytest.raises(RuntimeError, match="at least two devices"):
        torch_npu.npu_rms_norm(torch.randn(2, 8).npu(), torch.ones(8))


@pytest.mark.parametrize(
    ("fused", "plain", "how"),
    [
        ("NpuFusedAdam", torch.optim.Adam, {}),
        ("NpuFusedAdamW", torch.optim.AdamW, {"weight_decay": 0.1}),
        ("NpuFusedSGD", torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
        ("NpuFusedAdadelta", torch.optim.Adadelta, {}),
        ("NpuFusedRMSprop", torch.optim.RMSprop, {"momentum": 0.5}),
    ],
)
def test_fused_optimizers_step_like_torchs(fused, plain, how):
    torch.manual_seed(0)
    host = torch.nn.Linear(3, 2)
    device = torch.nn.Linear(3, 2)
    device.load_state_dict(host.state_dict())
    device = device.npu()
    of_device = getattr(torch_npu.optim, fused)(device.parameters(), **how)
    steps = [(host, plain(host.parameters(), **how)), (device, of_device)]
    for _ in range(3):
        x = torch.randn(4, 3)
        for model, optimizer in steps:
            optimizer.zero_grad()
            model(x.to(model.weight.device)).square().sum().backward()
            optimizer.step()
    torch.testing.assert_close(device.weight.cpu(), host.weight, rtol=1e-4, atol=1e-6)
    assert of_device.clip_grad_norm_fused_(0.1).item() > 0
