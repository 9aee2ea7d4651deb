"""The part of the data that each process has."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\nfrom torch.utils.data.distributed import DistributedSampler\n\n"
COUNT = "mint.distributed.get_world_size(), mint.distributed.get_rank()"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("DistributedSampler(data)", f"ds.DistributedSampler({COUNT}, shuffle=True)"),
        (
            "DistributedSampler(data, num_replicas=n, rank=r, shuffle=False)",
            f"ds.DistributedSampler({COUNT}, shuffle=False)",
        ),
        ("DistributedSampler(data, 4, 1)", "ds.DistributedSampler(4, 1, shuffle=True)"),
    ],
)
def test_the_sampler_is_that_of_mindspore(before: str, after: str) -> None:
    text = converted(f"{HEAD}sampler = {before}\nsampler.set_epoch(3)\n", distributed=True).text
    assert text.endswith(f"sampler = {after}\nsampler.seed = 3\n")


def test_one_that_drops_the_rest_keeps_the_file() -> None:
    text = f"{HEAD}sampler = DistributedSampler(data, drop_last=True)\n"
    assert "argument" in converted(text, distributed=True).blockers.values()


def test_without_the_option_the_place_says_how() -> None:
    assert converted(f"{HEAD}s = DistributedSampler(d)\n").blockers == {"DistributedSampler(d)": "processes"}
