"""What advice says to write computes the same, on torch's CPU build."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

pytestmark = [pytest.mark.execution]


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def test_adv101_masked_fill() -> None:
    x = torch.randn(5, 7)
    written, filled = x.clone(), x.clone()
    written[written < 0] = 2
    filled.masked_fill_(filled < 0, 2)
    assert torch.equal(written, filled)


def test_adv102_index_select() -> None:
    x, index = torch.randn(9, 3), torch.tensor([4, 0, 4])
    assert torch.equal(x[index], torch.index_select(x, 0, index))


def test_adv114_sum_with_the_mask() -> None:
    x = torch.randn(6, 4, requires_grad=True)
    mask = x.detach() > 0
    selected, kept = x[mask].mean(), (x * mask).sum() / mask.sum()
    assert torch.allclose(selected, kept)
    gradients = [torch.autograd.grad(value, x)[0] for value in (selected, kept)]
    assert torch.allclose(*gradients)


def test_adv115_clamp_in_place_of_max() -> None:
    for count in (torch.tensor(0.0), torch.tensor(3.0)):
        assert float(count.clamp(min=1)) == float(max(count, 1))


@pytest.mark.parametrize("size", [3, 4])
def test_adv117_product_on_the_vector_unit(size: int) -> None:
    m, v = torch.randn(2, 5, size, size), torch.randn(2, 5, size)
    assert torch.allclose(
        (m * v.unsqueeze(-2)).sum(-1), torch.matmul(m, v.unsqueeze(-1)).squeeze(-1), atol=1e-6
    )


@pytest.mark.parametrize("is_training", [True, False])
def test_adv118_attention_without_weights(is_training: bool) -> None:
    layer = torch.nn.MultiheadAttention(16, 4).train(is_training)
    q, k = torch.randn(3, 2, 16), torch.randn(5, 2, 16)
    assert torch.allclose(layer(q, k, k)[0], layer(q, k, k, need_weights=False)[0], atol=1e-6)


def test_adv125_columns_at_once() -> None:
    box = torch.randn(4, 3)
    assert torch.equal(torch.cat((box[..., 0:1], box[..., 1:2], box[..., 2:3]), -1), box[..., 0:3])
    assert all(torch.equal(box[..., i], column) for i, column in enumerate(box.unbind(-1)))


def test_adv126_rows_at_once() -> None:
    x, layer = torch.randn(2, 5, 8), torch.nn.Linear(8, 3)
    rows = torch.stack([layer(x[:, i]) for i in range(5)], 1)
    assert torch.allclose(rows, layer(x.flatten(0, 1)).view(2, 5, 3), atol=1e-6)
    lengths, mask = torch.tensor([2, 4, 0]), torch.zeros(3, 4)
    for i, length in enumerate(lengths):
        mask[i, :length] = 1
    assert torch.equal(mask.bool(), torch.arange(4) < lengths[:, None])


def test_adv127_frozen_batch_norm() -> None:
    x, w, b, mean = torch.randn(2, 3, 4, 4), torch.randn(3), torch.randn(3), torch.randn(3)
    var = torch.rand(3) + 0.1
    scale = w.view(1, -1, 1, 1) * (var.view(1, -1, 1, 1) + 1e-5).rsqrt()
    by_hand = x * scale + (b.view(1, -1, 1, 1) - mean.view(1, -1, 1, 1) * scale)
    assert torch.allclose(by_hand, F.batch_norm(x, mean, var, w, b, False, 0.0, 1e-5), atol=1e-5)


def test_adv128_keys_below_two_to_the_24_are_exact_in_float32() -> None:
    keys = torch.randint(0, 2**24, (1000,))
    assert torch.equal(keys.float().long(), keys)
    assert torch.equal(keys[keys.float().argsort()], keys.sort().values)
