"""What makes shapes dynamic as far as the text shows it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.detection.hints import dynamic_hints
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = (
    "import random, torch, torchvision\nimport torch.nn.functional as F\n"
    "from torch.utils.data import DataLoader\nfrom torch.nn.utils.rnn import pad_sequence\n"
)


def hints(code: str) -> list[tuple[str, str]]:
    source = SourceFile(HEAD + code + "\n", "a.py")
    found = list(dynamic_hints(source))
    return [(item.message.id.removeprefix("DYN001."), source.slice(item.start, item.end)) for item in found]


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("torch.nonzero(x)", "values"),
        ("x.masked_select(m)", "values"),
        ("torch.unique(x)", "values"),
        ("torchvision.ops.nms(b, s, 0.5)", "values"),
        ("x[x > 0]", "mask"),
        ("pad_sequence(xs)", "padded"),
        ("DataLoader(d, 4, True)", "tail"),
        ("DataLoader(d, batch_size=n, sampler=s, drop_last=False)", "tail"),
        ("F.interpolate(x, size=random.choice(sizes))", "resized"),
    ],
)
def test_a_place_is_named_with_its_cause(code: str, key: str) -> None:
    assert hints(f"y = {code}") == [(key, code)]


def test_a_name_is_followed_to_what_it_was_given() -> None:
    assert hints("mask = x > 0\ny = x[mask]\nz = x[~mask]") == [("mask", "x[mask]"), ("mask", "x[~mask]")]
    assert hints("size = random.randint(8, 16)\ny = F.interpolate(x, size)") == [
        ("resized", "F.interpolate(x, size)")
    ]


@pytest.mark.parametrize(
    "code",
    [
        "x.unique()",
        "y[x > 0] = 1",
        "y = names[x is None]",
        "y = x[0]",
        "DataLoader(d, 4, shuffle=True, drop_last=True)",
        "DataLoader(d, batch_size=4)",
        "DataLoader(d, 1, True)",
        "F.interpolate(x, size=(8, 8))",
        "torch.bincount(x, minlength=4)",
        "store.pad_sequence(x)",
    ],
)
def test_what_keeps_its_shape_is_not_named(code: str) -> None:
    assert hints(code) == []
    assert hints(f"{code}\ntorch.nonzero(x)") == [("values", "torch.nonzero(x)")]
