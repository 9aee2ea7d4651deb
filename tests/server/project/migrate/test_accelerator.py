"""Projects that are made device-agnostic: what must agree changes together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpu2ascend_rules.options.options import options_from
from tests.server.project.conftest import Migrate
from tests.server.project.samples import Files

OPTIONS = options_from({"version": "2.9.0", "target": "accelerator"})
TRAIN = """\
import argparse
import torch
p = argparse.ArgumentParser()
p.add_argument("--place", default="cuda", choices=["cuda", "cpu"])
p.add_argument("--shown", default="gpu", choices=["cuda", "cpu"])
a = p.parse_args()
x = torch.ones(2, device=a.place)
"""


def test_an_option_takes_the_device_that_it_has_by_default(
    make: Callable[[Files], Path], run: Migrate
) -> None:
    text = run(make({"train.py": TRAIN}), options=OPTIONS).read("train.py")
    assert '"--place", default=get_device().type, choices=[get_device().type, "cpu"]' in text
    assert '"--shown", default="gpu", choices=["cuda", "cpu"]' in text
