"""Projects that are made device-agnostic: what must agree changes together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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


MEASURES = """\
import torch


def peak(device):
    return torch.cuda.max_memory_allocated(device)
"""
STARTS = """\
import torch
{imported}

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.ones(2, device=device)
if device == "cuda":
    print({called}(device))
"""


@pytest.mark.parametrize("version", ["2.8.0", "2.9.0"])
@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("from measures import peak", "peak"),
        ("import measures", "measures.peak"),
        ("from measures import peak as top", "top"),
    ],
)
def test_a_test_stays_before_a_function_of_another_file_that_stays_cudas(
    make: Callable[[Files], Path], run: Migrate, imported: str, called: str, version: str
) -> None:
    files = {"measures.py": MEASURES, "train.py": STARTS.format(imported=imported, called=called)}
    options = options_from({"version": version, "target": "accelerator"})
    test = 'if device == "cuda":' if version == "2.8.0" else 'if device != "cpu":'
    assert test in run(make(files), options=options).read("train.py")


FIELD = """\
from typing import Literal
import torch
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Settings(BaseModel):
    device: Literal["cpu", "cuda"] = DEVICE
    viewer: Literal["cpu", "cuda"] = "cpu"
"""


def test_a_field_whose_default_becomes_another_device_says_that_its_type_admits_none(
    make: Callable[[Files], Path], run: Migrate
) -> None:
    left = run(make({"settings.py": FIELD}), options=OPTIONS).outcomes["settings.py"].remaining
    assert [(item.finding.message.id, item.start_line) for item in left] == [("ACC106.admitted", 7)]
