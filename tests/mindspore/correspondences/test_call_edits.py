"""What an entry of a table makes of a call."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.correspondences.binding import Unbound
from gpu2ascend_mindspore.correspondences.values import Refused

from .helpers import written

SOFTMAX = ("input, dim, dtype=None", "ops.softmax(input, axis=dim)")
CONV = (
    "inputs, outputs, size, padding=0, groups=1, bias=True",
    "nn.Conv(inputs, outputs, size, pad_mode='pad', padding=doubled(padding), group=groups, "
    "has_bias=always(bias))",
)


@pytest.mark.parametrize(
    ("call", "entry", "text"),
    [
        ("f(x, 1)", SOFTMAX, "ops.softmax(x, axis=1)"),
        ("f(x, dim=-1)", SOFTMAX, "ops.softmax(x, axis=-1)"),
        ("f(input=x, dim=1)", SOFTMAX, "ops.softmax(x, axis=1)"),
        ("f(g(x), dim=h(1))", SOFTMAX, "ops.softmax(g(x), axis=h(1))"),
        ("f(x, 1, None)", SOFTMAX, "ops.softmax(x, axis=1)"),
        ("f(3, 8, 5)", CONV, "nn.Conv(3, 8, 5, pad_mode='pad', has_bias=True)"),
        ("f(3, 8, 5, bias=False)", CONV, "nn.Conv(3, 8, 5, pad_mode='pad', has_bias=False)"),
        ("f(3, 8, 5, 2)", CONV, "nn.Conv(3, 8, 5, pad_mode='pad', padding=2, has_bias=True)"),
        ("f(3, 8, 5, (1, 2))", CONV, "nn.Conv(3, 8, 5, pad_mode='pad', padding=(1, 1, 2, 2), has_bias=True)"),
        (
            "f(3, 8, 5, groups=4, padding=p)",
            CONV,
            "nn.Conv(3, 8, 5, pad_mode='pad', group=4, has_bias=True, padding=p)",
        ),
    ],
)
def test_arguments_are_named_moved_and_spelt_as_the_entry_says(
    call: str, entry: tuple[str, str], text: str
) -> None:
    assert written(call, *entry) == text


def test_the_layout_and_the_comments_between_arguments_stay() -> None:
    call = "f(\n    x,  # the logits\n    dim=1,\n)"
    assert written(call, *SOFTMAX) == "ops.softmax(\n    x,  # the logits\n    axis=1,\n)"


@pytest.mark.parametrize(
    ("call", "parameters", "target", "text"),
    [
        ("x.softmax(dim=1)", "self, dim", "ops.softmax(self, axis=dim)", "ops.softmax(x, axis=1)"),
        ("(a + b).relu()", "self", "ops.relu(self)", "ops.relu((a + b))"),
        ("x.size(0)", "self, dim", "self.shape[dim]", "x.shape[0]"),
        ("x.cpu()", "self", "self", "x"),
        ("x.expand(2, 3)", "self, *size", "self.broadcast_to(packed(size))", "x.broadcast_to((2, 3))"),
        ("x.expand(shape)", "self, *size", "self.broadcast_to(packed(size))", "x.broadcast_to(shape)"),
        ("x.flip(1)", "self, *dims", "self.flip(tupled(dims))", "x.flip((1,))"),
        ("f(a + b)", "input", "input.max()", "(a + b).max()"),
        ("f(x)", "input", "ops.median(input.flatten())[0]", "ops.median(x.flatten())[0]"),
        ("f(3)", "size, *, pad=0", "Pool(size, stride=copied(size), pad=pad)", "Pool(3, stride=3)"),
        ("f(a, b)", "*tensors, indexing='ij'", "grid(*tensors, indexing=always(indexing))",
         "grid(a, b, indexing='ij')"),
    ],
)  # fmt: skip
def test_an_expression_of_any_form_takes_the_place_of_a_call(
    call: str, parameters: str, target: str, text: str
) -> None:
    assert written(call, parameters, target) == text


@pytest.mark.parametrize(
    ("momentum", "text"), [("0.1", "0.9"), ("0.01", "0.99"), ("0.003", "0.997"), ("1", "0"), ("m", "1 - m")]
)
def test_a_momentum_is_what_remains(momentum: str, text: str) -> None:
    assert (
        written(f"f({momentum})", "momentum=0.1", "B(momentum=complement(momentum))") == f"B(momentum={text})"
    )


def test_a_value_in_a_sum_is_put_in_parentheses() -> None:
    target = "B(momentum=complement(momentum))"
    assert written("f(a or b)", "momentum=0.1", target) == "B(momentum=1 - (a or b))"


def test_what_is_dropped_goes_with_its_comma() -> None:
    assert (
        written("f(x, inplace=True)", "input, inplace=False", "ops.relu(input)", "inplace") == "ops.relu(x)"
    )


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("f(*arguments)", Unbound.UNPACKED),
        ("f(x, **options)", Unbound.UNPACKED),
        ("f(x, 1, 2, 3)", Unbound.UNKNOWN),
        ("f(x, other=1)", Unbound.UNKNOWN),
        ("f(x, 1, dim=1)", Unbound.UNKNOWN),
        ("f(x)", Unbound.MISSING),
    ],
)
def test_arguments_that_do_not_fit_are_not_guessed(call: str, reason: Unbound) -> None:
    assert written(call, *SOFTMAX) is reason


def test_an_argument_that_is_not_proven_to_be_of_its_kind_does_not_fit() -> None:
    entry = ("input, dim: int", "ops.max(input, dim)")
    assert written("f(x, 1)", *entry) == "ops.max(x, 1)"
    assert written("f(x, y)", *entry) is Unbound.KIND


def test_arguments_that_compute_nothing_may_change_places() -> None:
    assert written("f(y, 2)", "a, b", "ops.gather(b, a)") == "ops.gather(2, y)"
    assert written("f(c=x, a=(1, n))", "a, c", "g(a, c)") == "g((1, n), x)"


@pytest.mark.parametrize(
    ("call", "parameters", "target"),
    [
        ("f(x, 1, dtype=t)", *SOFTMAX),
        ("f(dim=1, input=x, dtype=t)", *SOFTMAX),
        ("f(y(), x)", "a, b", "ops.gather(b, a)"),
        ("f(g())", "size", "Pool(size, stride=copied(size))"),
        ("f(None)", "momentum=0.1", "B(momentum=complement(momentum))"),
        ("f(x, 1, # why\n dtype=None)", *SOFTMAX),
    ],
    ids=["no counterpart", "no counterpart by name", "order", "evaluated twice", "no number", "comment"],
)
def test_what_cannot_be_written_without_a_change_of_meaning_is_refused(
    call: str, parameters: str, target: str
) -> None:
    with pytest.raises(Refused):
        written(call, parameters, target)
