"""The adapters call the operators of torch_npu with the right arguments, and compute what they stand for."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.execution.similar.compare import assert_same, random_tensor  # noqa: E402
from tests.execution.similar.double import Double  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROFILE = settings(max_examples=40)


@pytest.fixture
def npu(similar: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Double:
    """The double in torch_npu's place, for tensors that pass for ones on an NPU."""
    double = Double()
    monkeypatch.setattr(similar, "torch_npu", double)
    monkeypatch.setattr(similar, "_operator_for", lambda name, tensor: getattr(double, name))
    return double


def heads(batch: int, length: int, count: int, seed: int) -> torch.Tensor:
    return random_tensor((batch, length, count, 4), torch.float64, seed, gradient=False)


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None, causal: bool) -> Any:
    """What flash-attn computes, by torch: causal masks are aligned at the lower right."""
    groups = q.shape[2] // k.shape[2]
    q, k, v = (
        tensor.transpose(1, 2).repeat_interleave(n, 1) for tensor, n in ((q, 1), (k, groups), (v, groups))
    )
    kept = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    mask = kept if causal else None
    result = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    return result.transpose(1, 2)


class TestFlashAttention:
    def test_arguments(self, similar: ModuleType, npu: Double) -> None:
        q, k, v = heads(2, 3, 4, 0), heads(2, 5, 2, 1), heads(2, 5, 2, 2)
        similar.flash_attn_func(q, k, v, 0.25, 0.5)
        name, positional, named = npu.last
        assert name == "npu_fusion_attention"
        assert positional[0] is q and positional[1] is k and positional[2] is v
        assert positional[3:] == (4, "BSND")
        assert named == {"keep_prob": 0.75, "scale": 0.5}

    def test_defaults(self, similar: ModuleType, npu: Double) -> None:
        q = heads(1, 3, 2, 0)
        similar.flash_attn_func(q, q, q)
        assert npu.last[2] == {"keep_prob": 1.0, "scale": 0.5}

    def test_a_causal_call_brings_the_mask_without_which_its_mode_is_ignored(
        self, similar: ModuleType, npu: Double
    ) -> None:
        q = heads(1, 3, 2, 0)
        similar.flash_attn_func(q, q, q, causal=True)
        named = npu.last[2]
        mask = named.pop("atten_mask")
        assert named == {"keep_prob": 1.0, "scale": 0.5, "sparse_mode": 3}
        assert mask.dtype == torch.bool and mask.shape == (2048, 2048)
        assert torch.equal(mask, torch.ones(2048, 2048, dtype=torch.bool).triu(1))
        similar.flash_attn_func(q, q, q, causal=True)
        assert npu.last[2]["atten_mask"] is mask

    @PROFILE
    @given(
        data=st.data(),
        causal=st.booleans(),
        scale=st.sampled_from([None, 0.3]),
        groups=st.sampled_from([1, 2]),
    )
    def test_numerics(self, similar: ModuleType, data: Any, causal: bool, scale: Any, groups: int) -> None:
        lengths = data.draw(st.tuples(st.integers(1, 5), st.integers(0, 4)))
        q = heads(2, lengths[0], 2 * groups, 0)
        k, v = heads(2, sum(lengths), 2, 1), heads(2, sum(lengths), 2, 2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(similar, "torch_npu", Double())
            result = similar.flash_attn_func(q, k, v, softmax_scale=scale, causal=causal)
        torch.testing.assert_close(result, reference(q, k, v, scale, causal))

    @pytest.mark.parametrize(
        "extra",
        [
            {"window_size": (1, 1)},
            {"softcap": 2.0},
            {"alibi_slopes": torch.ones(2)},
            {"deterministic": True},
            {"return_attn_probs": True},
        ],
    )
    def test_what_the_operator_lacks_is_refused(
        self, similar: ModuleType, npu: Double, extra: dict[str, Any]
    ) -> None:
        q, ends = heads(1, 3, 2, 0), torch.tensor([0, 3])
        with pytest.raises(NotImplementedError):
            similar.flash_attn_func(q, q, q, **extra)
        with pytest.raises(NotImplementedError):
            similar.flash_attn_varlen_func(q[0], q[0], q[0], ends, ends, 3, 3, **extra)
        assert npu.calls == []

    def test_neutral_extras_are_taken(self, similar: ModuleType, npu: Double) -> None:
        q = heads(1, 3, 2, 0)
        similar.flash_attn_func(
            q, q, q, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False
        )
        assert len(npu.calls) == 1

    def test_rows_without_any_key_are_refused(self, similar: ModuleType, npu: Double) -> None:
        with pytest.raises(NotImplementedError):
            similar.flash_attn_func(heads(1, 3, 2, 0), heads(1, 2, 2, 0), heads(1, 2, 2, 0), causal=True)


class TestVariableLengths:
    def test_arguments(self, similar: ModuleType, npu: Double) -> None:
        q, k = heads(1, 5, 4, 0)[0], heads(1, 6, 4, 1)[0]
        ends_q, ends_k = torch.tensor([0, 2, 5], dtype=torch.int32), torch.tensor([0, 2, 6])
        similar.flash_attn_varlen_func(q, k, k, ends_q, ends_k, 3, 4, 0.5, causal=True)
        _, positional, named = npu.last
        assert positional[0] is q and positional[1] is k and positional[2] is k
        assert positional[3:] == (4, "TND")
        assert named.pop("atten_mask").shape == (2048, 2048)
        assert named == {
            "actual_seq_qlen": (2, 5),
            "actual_seq_kvlen": (2, 6),
            "keep_prob": 0.5,
            "scale": 0.5,
            "sparse_mode": 3,
        }
        assert all(type(end) is int for end in (*named["actual_seq_qlen"], *named["actual_seq_kvlen"]))

    @PROFILE
    @given(
        lengths=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1), causal=st.booleans()
    )
    def test_numerics(self, similar: ModuleType, lengths: list[tuple[int, int]], causal: bool) -> None:
        pairs = [(first, first + more) for first, more in lengths]
        parts = [
            (heads(1, a, 2, n), heads(1, b, 2, n + 50), heads(1, b, 2, n + 90))
            for n, (a, b) in enumerate(pairs)
        ]
        q, k, v = (torch.cat([part[i][0] for part in parts]) for i in range(3))
        ends = [torch.tensor([0, *(pair[i] for pair in pairs)]).cumsum(0) for i in (0, 1)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(similar, "torch_npu", Double())
            result = similar.flash_attn_varlen_func(q, k, v, *ends, 9, 9, causal=causal)
        expected = torch.cat([reference(*part, None, causal)[0] for part in parts])
        torch.testing.assert_close(result, expected)


class TestMemoryEfficientAttention:
    def test_arguments(self, similar: ModuleType, npu: Double) -> None:
        q = heads(1, 3, 2, 0)
        similar.memory_efficient_attention(q, q, q, None, 0.5, 0.25)
        assert npu.last[1][3:] == (2, "BSND")
        assert npu.last[2] == {"keep_prob": 0.5, "scale": 0.25}
        similar.memory_efficient_attention(query=q, key=q, value=q, p=0.0, op=None)
        assert npu.last[2] == {"keep_prob": 1.0, "scale": 0.5}

    def test_numerics_with_and_without_heads(self, similar: ModuleType, npu: Double) -> None:
        q, k = heads(2, 3, 2, 0), heads(2, 5, 2, 1)
        expected = reference(q, k, k, None, False)
        torch.testing.assert_close(similar.memory_efficient_attention(q, k, k), expected)
        one = similar.memory_efficient_attention(q[:, :, 0], k[:, :, 0], k[:, :, 0])
        torch.testing.assert_close(one, expected[:, :, 0])

    def test_a_bias_is_refused(self, similar: ModuleType, npu: Double) -> None:
        q = heads(1, 3, 2, 0)
        with pytest.raises(NotImplementedError):
            similar.memory_efficient_attention(q, q, q, torch.zeros(3, 3))


class TestWrittenOutFormulas:
    """On the CPU they are the formulas that they stand for; on an NPU, one operator."""

    @PROFILE
    @given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=4), half=st.integers(1, 4))
    def test_on_the_cpu(self, similar: ModuleType, shape: list[int], half: int) -> None:
        x = random_tensor((*shape, 2 * half), torch.float64, 5)
        assert_same(
            lambda t: similar.rms_norm(t, 1e-5),
            lambda t: t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-5),
            x,
        )
        assert_same(
            similar.swiglu, lambda t: torch.nn.functional.silu(t.chunk(2, -1)[0]) * t.chunk(2, -1)[1], x
        )
        for kind in ("none", "tanh"):
            assert_same(lambda t, k=kind: similar.geglu(t, k), lambda t, k=kind: _geglu(t, k), x)
        cos, sin = (random_tensor((*shape, 2 * half), torch.float64, n) for n in (6, 7))
        assert_same(similar.rotary_mul, _rotated, x, cos, sin)

    def test_arguments_and_numerics_on_an_npu(self, similar: ModuleType, npu: Double) -> None:
        x = random_tensor((2, 3, 4, 6), torch.float64, 8)
        expected = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        torch.testing.assert_close(similar.rms_norm(x, 1e-5), expected)
        name, positional, named = npu.last
        assert (name, named) == ("npu_rms_norm", {"epsilon": 1e-5})
        assert positional[0] is x and torch.equal(positional[1], torch.ones(6, dtype=x.dtype))
        similar.swiglu(x)
        assert (npu.last[0], npu.last[2]) == ("npu_swiglu", {"dim": -1}) and npu.last[1][0] is x
        for kind, number in (("none", 0), ("tanh", 1)):
            torch.testing.assert_close(similar.geglu(x, kind), _geglu(x, kind))
            assert (npu.last[0], npu.last[2]) == ("npu_geglu", {"dim": -1, "approximate": number})
        torch.testing.assert_close(similar.geglu(x), _geglu(x, "none"))
        cos, sin = (random_tensor((2, 1, 4, 6), torch.float64, n) for n in (6, 7))
        torch.testing.assert_close(similar.rotary_mul(x, cos, sin), _rotated(x, cos, sin))
        assert npu.last[0] == "npu_rotary_mul"
        assert [a is b for a, b in zip(npu.last[1], (x, cos, sin), strict=True)] == [True] * 3

    @pytest.mark.parametrize(
        ("shape", "angles"),
        [((3, 4, 6), (3, 4, 6)), ((2, 3, 4, 6), (4, 6)), ((2, 3, 4, 896), (1, 1, 4, 896))],
    )
    def test_shapes_that_the_rotary_operator_does_not_take(
        self, similar: ModuleType, npu: Double, shape: tuple[int, ...], angles: tuple[int, ...]
    ) -> None:
        x, cos, sin = (random_tensor(s, torch.float64, n) for n, s in enumerate((shape, angles, angles)))
        torch.testing.assert_close(similar.rotary_mul(x, cos, sin), _rotated(x, cos, sin))
        assert npu.calls == []
        taken = [random_tensor(s, torch.float64, 9) for s in ((2, 3, 4, 6), (1, 1, 4, 6), (1, 1, 4, 6))]
        similar.rotary_mul(*taken)
        assert [call[0] for call in npu.calls] == ["npu_rotary_mul"]

    def test_a_tensor_of_epsilon_is_left_to_the_formula(self, similar: ModuleType, npu: Double) -> None:
        similar.rms_norm(torch.ones(2), torch.tensor(1e-5))
        assert npu.calls == []
        similar.rms_norm(torch.ones(2), 1e-5)
        assert [call[0] for call in npu.calls] == ["npu_rms_norm"]


def _geglu(x: torch.Tensor, approximate: str) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return first * torch.nn.functional.gelu(second, approximate=approximate)


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class TestApex:
    @PROFILE
    @given(
        shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
        count=st.integers(1, 3),
        affine=st.booleans(),
        on_npu=st.booleans(),
    )
    def test_rms_norm(
        self, similar: ModuleType, shape: list[int], count: int, affine: bool, on_npu: bool
    ) -> None:
        normalized = shape[-min(count, len(shape)) :]
        theirs = torch.nn.RMSNorm(normalized, 1e-5, affine, dtype=torch.float64)
        ours = similar.FusedRMSNorm(normalized, 1e-5, affine, True).double()
        assert {k: v.shape for k, v in ours.state_dict().items()} == {
            k: v.shape for k, v in theirs.state_dict().items()
        }
        with pytest.MonkeyPatch.context() as patch:
            if on_npu:
                double = Double()
                patch.setattr(similar, "_operator_for", lambda name, tensor: getattr(double, name))
            assert_same(ours, theirs, random_tensor((2, *shape), torch.float64, 9))

    def test_adam(self, similar: ModuleType, npu: Double) -> None:
        parameters = object()
        assert similar.FusedAdam(parameters, 0.1, True, (0.8, 0.9), 1e-6, True, 0.01) == "NpuFusedAdamW"
        expected = {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-6, "weight_decay": 0.01}
        assert npu.last == ("NpuFusedAdamW", (parameters,), expected)
        similar.FusedAdam(parameters, adam_w_mode=False, set_grad_none=False)
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}
        assert npu.last == ("NpuFusedAdam", (parameters,), defaults)

    def test_sgd(self, similar: ModuleType, npu: Double) -> None:
        similar.FusedSGD([1], 0.1, 0.9, 0.0, 0.01, True, materialize_master_grads=False)
        named = {"lr": 0.1, "momentum": 0.9, "dampening": 0.0, "weight_decay": 0.01, "nesterov": True}
        assert npu.last == ("NpuFusedSGD", ([1],), named)

    @pytest.mark.parametrize(
        ("name", "extra"),
        [
            ("FusedAdam", {"bias_correction": False}),
            ("FusedAdam", {"amsgrad": True}),
            ("FusedAdam", {"capturable": True}),
            ("FusedAdam", {"master_weights": True}),
            ("FusedSGD", {"wd_after_momentum": True}),
        ],
    )
    def test_what_the_optimizers_lack_is_refused(
        self, similar: ModuleType, npu: Double, name: str, extra: dict[str, Any]
    ) -> None:
        with pytest.raises(NotImplementedError):
            getattr(similar, name)([1], lr=0.1, **extra)
        assert npu.calls == []
