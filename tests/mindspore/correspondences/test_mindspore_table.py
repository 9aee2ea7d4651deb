"""What must be written for APIs that MindSpore has with other defaults, from public descriptions of these.

That both sides give the same is proved by running them: ``python -m tools.mindspore_tables``.
"""

from __future__ import annotations

import re

import pytest

from gpu2ascend_mindspore.correspondences.entry import read_entry
from gpu2ascend_mindspore.correspondences.table import entries
from gpu2ascend_mindspore.data import load_tsv
from tools.mindspore_tables.samples import calls, tensors

from .helpers import written

TABLE = "mindspore_apis"


def test_every_row_can_be_read() -> None:
    entries = [read_entry(row) for row in load_tsv(TABLE) if row["target"] != "none"]
    assert len(entries) > 700
    assert all(entry.api.startswith(("torch.", "einops.")) for entry in entries)


def test_what_is_compiled_has_other_text_for_what_the_table_has() -> None:
    usual, compiled = entries(), entries(compiled=True)
    other = {
        api
        for api, forms in compiled.items()
        if [one.target_text for one in forms] != [one.target_text for one in usual[api]]
    }
    assert "torch.Tensor.transpose" in other and usual.keys() == compiled.keys()
    helped = {api for api in other if any(one.is_of_helper for one in usual[api])}
    assert other - helped == {row["api"] for row in load_tsv("mindspore_compiled_apis")}


def test_what_is_compiled_calls_no_helper_that_the_compiler_refuses() -> None:
    assert [one.target_text for one in entries()["torch.einsum"]] == [
        "like_torch.einsum(equation, *operands)"
    ]
    compiled = entries(compiled=True)
    assert compiled["torch.einsum"] == ()
    assert [one.is_of_helper for one in compiled["torch.sort"]] == [True]


def test_samples_write_to_each_place_once() -> None:
    """Which of two values written to one place stays is defined in neither framework."""
    written = [call for call, _ in calls() if re.search(r"\bscatter\(", call) and call.endswith("Y)")]
    assert written and all("ONCE" in call for call in written)
    assert all(len(set(row)) == len(row) for row in tensors()["ONCE"].tolist())


def test_no_entry_stands_twice() -> None:
    keys = [(row["api"], row["parameters"]) for row in load_tsv(TABLE)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("api", "call", "text"),
    [
        ("torch.nn.Conv2d", "f(3, 8, 5)", "nn.Conv2d(3, 8, 5, pad_mode='pad', has_bias=True)"),
        (
            "torch.nn.Conv2d",
            "f(3, 8, 3, padding='same')",
            "nn.Conv2d(3, 8, 3, pad_mode='same', has_bias=True)",
        ),
        ("torch.nn.BatchNorm2d", "f(8, momentum=0.01)", "nn.BatchNorm2d(8, momentum=0.99)"),
        ("torch.nn.LayerNorm", "f(64)", "nn.LayerNorm((64,), epsilon=1e-05)"),
        ("torch.nn.LeakyReLU", "f()", "nn.LeakyReLU(alpha=0.01)"),
        ("torch.nn.GELU", "f()", "nn.GELU(approximate=False)"),
        ("torch.nn.MaxPool2d", "f(2)", "nn.MaxPool2d(2, stride=2, pad_mode='pad')"),
        ("torch.nn.SmoothL1Loss", "f()", "nn.SmoothL1Loss(reduction='mean')"),
        ("torch.nn.Embedding", "f(9, 4)", "nn.Embedding(9, 4, embedding_table=Normal(1.0))"),
        ("torch.std", "f(x, 1)", "ops.std(x, axis=1, ddof=1)"),
        ("torch.var", "f(x, 1, unbiased=False)", "ops.var(x, axis=1, ddof=0)"),
        ("torch.full", "f((2,), 0.5)", "ops.full((2,), 0.5, dtype=ms.float32)"),
        ("torch.linalg.inv", "f(x)", "ops.inverse(x)"),
        ("torch.meshgrid", "f(a, b)", "ops.meshgrid(a, b, indexing='ij')"),
        ("torch.flatten", "f(x)", "x.flatten()"),
        ("torch.nn.functional.avg_pool2d", "f(x, 2)", "ops.avg_pool2d(x, 2, stride=2)"),
    ],
)
def test_what_differs_is_spelt_out(api: str, call: str, text: str) -> None:
    made = []
    for row in load_tsv(TABLE):
        if row["api"] == api and row["parameters"] not in ("name", "-"):
            answer = written(call, row["parameters"], row["target"], row["dropped"])
            made += [answer] if isinstance(answer, str) else []
    assert made[:1] == [text]


@pytest.mark.parametrize("api", ["torch.unique", "torch.unique_consecutive", "torch.svd"])
def test_what_runs_and_differs_has_no_entry(api: str) -> None:
    assert {row["target"] for row in load_tsv(TABLE) if row["api"] == api} <= {"none"}


def test_a_layer_that_differs_is_the_function_that_agrees() -> None:
    found = [row["target"] for row in load_tsv(TABLE) if row["api"] == "torch.nn.KLDivLoss"]
    assert found == ["partial(ops.kl_div, reduction=reduction)"]
