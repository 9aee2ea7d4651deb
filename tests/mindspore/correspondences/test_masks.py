"""Logits that are masked with ``-inf`` get losses that know them; attention and bounds do not count."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.correspondences.entry import Entry
from gpu2ascend_mindspore.correspondences.masks import masks_logits
from gpu2ascend_mindspore.correspondences.table import entries


@pytest.mark.parametrize(
    "line",
    [
        "sim = sim.masked_fill(mask, float('-inf'))",
        'sim.masked_fill_(torch.eye(2 * n, dtype=torch.bool), -float("inf"))',
        "logits = torch.where(legal, logits, -torch.inf)",
        "logits[~legal] = -math.inf",
        "sim.fill_diagonal_(-np.inf)",
        "mask = torch.full((n, n), float('-inf'))",
    ],
)
def test_masks_of_logits(line: str) -> None:
    assert masks_logits(f"{line}\nreturn F.cross_entropy(sim, y)\n".encode())
    assert masks_logits(f"{line}\nreturn F.nll_loss(F.log_softmax(sim, 1), y)\n".encode())


@pytest.mark.parametrize(
    "line",
    [
        "best = float('-inf')",
        "best = -np.inf",
        "w = w.masked_fill(mask == 0, float('-inf'))\nw = F.softmax(w, dim=-1)",
        "sim = sim.masked_fill(mask, -1e9)",
        "x = torch.full((2,), float('inf'))",
    ],
)
def test_no_masks_of_logits(line: str) -> None:
    assert not masks_logits(f"{line}\nreturn F.cross_entropy(sim, y)\n".encode())


def test_only_where_there_are_masks_a_loss_is_another() -> None:
    usual, masked = entries(), entries(masked=True)
    other = {api for api in usual if _targets(masked[api]) != _targets(usual[api])}
    assert {api.rpartition(".")[2] for api in other} == {
        "CrossEntropyLoss",
        "NLLLoss",
        "cross_entropy",
        "nll_loss",
    }
    assert all(one.is_of_helper for api in other for one in masked[api])


def _targets(known: tuple[Entry, ...]) -> list[str]:
    return [one.target_text for one in known]
