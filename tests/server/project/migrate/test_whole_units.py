"""A unit of words is edited as a whole: notebooks are members, and what cannot be read or parsed holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from

PLACES = """import torch

def put(x, kind):
    assert kind in ("cpu", "cuda")
    return x.to(kind)
"""
TRAIN = """import torch
from places import put

model = put(torch.nn.Linear(2, 2), "cuda")
model(put(torch.ones(1, 2), "cuda")).sum().backward()
"""
CALL = "from places import put\nput(model, 'cuda')\n"


def notebook(text: str) -> bytes:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def outcomes(tmp_path: Path, files: dict[str, bytes]) -> dict[str, FileOutcome]:
    for name, data in {"places.py": PLACES.encode(), "train.py": TRAIN.encode(), **files}.items():
        (tmp_path / name).write_bytes(data)
    found: dict[str, FileOutcome] = {}
    request = MigrationRequest(
        input=tmp_path, output=Path(), options=options_from({"version": "2.8.0"}), jobs=1, write=False
    )
    migrate(request, on_file=lambda outcome: found.update({outcome.path: outcome}))
    return found


def diffs(found: dict[str, FileOutcome]) -> set[str]:
    return {path for path, outcome in found.items() if outcome.diff and '"cuda"' in outcome.diff}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("old.py", f"print 'x'\n{CALL}".encode()),
        ("latin.py", CALL.encode() + "# ü\n".encode("latin-1")),
        ("part.ipynb", b'{"cells": [' + CALL.encode()),
    ],
    ids=["no Python 3", "undecodable", "no notebook"],
)
def test_what_cannot_be_read_or_parsed_holds_the_unit_that_it_may_belong_to(
    tmp_path: Path, name: str, data: bytes
) -> None:
    found = outcomes(tmp_path, {name: data})
    held = [item.finding for item in found["train.py"].remaining if item.finding.severity is Severity.ERROR]
    if name.endswith(".ipynb"):  # nothing of it says what it imports
        assert not held
    else:
        assert not diffs(found)
        assert [name in str(dict(item.message.arguments)["held"]) for item in held] == [True]


def test_what_cannot_be_parsed_holds_nothing_else(tmp_path: Path) -> None:
    found = outcomes(tmp_path, {"old.py": b"print 'x'\nimport torch\ntorch.zeros(1).to('cuda')\n"})
    assert diffs(found) == {"places.py", "train.py"}


def test_a_notebook_is_a_member_of_the_unit(tmp_path: Path) -> None:
    call = "from places import put\nkinds = {'one': 'cuda'}\nput(model, kinds['one'])\n"
    found = outcomes(tmp_path, {"play.ipynb": notebook(call)})
    assert "kinds = {'one': 'npu'}" in (found["play.ipynb"].diff or "")
