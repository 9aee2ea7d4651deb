"""Each two flags of a command go together, or are refused by name: generated from the commands' own parsers.

A new flag fails here until it has a value below, with which it is tried beside every other one.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from pathlib import Path

import pytest

from gpu2ascend.cli.commands.projects import analyze, check, migrate, survey
from gpu2ascend.cli.commands.running import verify
from gpu2ascend.texts.catalogue import Texts
from tests.sampling import shares

from .conftest import Ran, Run, make_project

pytestmark = pytest.mark.slow

TRAIN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from lib import make


def main():
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,))), batch_size=4)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            torch.matmul(x.cuda(), x.cuda().t())
            optimizer.step()
    torch.cuda.nvtx.mark("done")
    make(where="cuda")


if __name__ == "__main__":
    main()
"""
FROM_CPU = """\
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader([(torch.ones(2), torch.ones(1))]):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LIBRARY = """\
import torch

def make(where):
    layer = torch.nn.Linear(torch.arange(3).numel(), 1)
    return layer, torch.special.bessel_j0(torch.ones(2, device=where))
"""
FILES = {
    "train.py": TRAIN,
    "cpu.py": FROM_CPU,
    "lib.py": LIBRARY,
    "sub/more.py": "import torch\ntorch.cuda.synchronize()\n",
    "Dockerfile": "FROM nvidia/cuda:11.8.0-devel-ubuntu22.04\nRUN pip install torch\n",
}
RULES = {"rules": {"FuncNameModifyRule": [{"old_name": "make", "new_name": "build"}]}}
APIS = "3rd-party API\nlib.make\n"
VALUES: dict[str, tuple[str, ...]] = {
    "device": ("python",),
    "target": ("accelerator", "mindspore"),
    "version": ("2.8.0",),
    "mindspore_version": ("2.7.0",),
    "mindspore_api": ("mint",),
    "hardware": ("A3",),
    "api_style": ("torch.npu",),
    "custom_rule": ("rules.json",),
    "image": ("quay.io/ascend/cann:9",),
    "main_file": ("train.py",),
    "target_model": ("model",),
    "launcher": ("torchrun",),
    "nnodes": ("2",),
    "amp_model": ("model",),
    "api_files": ("apis.csv",),
    "modes": ("torch_apis", "third_party", "affinity_apis", "dynamic_shape", "advice"),
    "select": ("NPU1,NPU2",),
    "ignore": ("NPU110",),
    "severities": ("NPU1=hint",),
    "exclude": ("sub",),
    "copy": ("sub",),
    "entries": ("cpu.py",),
    "large_files": ("copy",),
    "max_file_size": ("1",),
    "jobs": ("2",),
    "lines": ("3",),
    "order": ("NPU110-0123abcd",),
    "language": ("zh",),
    "output_format": ("json", "sarif", "github", "gitlab", "junit"),
    "stdin_filename": ("x.py",),
    "html": ("page.html",),
    "output": ("out",),
    "input": ("p",),
    "json": ("document.json",),
    "resume": ("journal",),
    "backend": ("threading",),
    "scheduler": ("tcp://127.0.0.1:1",),
    "nproc": ("2",),
    "steps": ("1",),
    "timeout": ("60",),
    "seed": ("1",),
    "since": ("HEAD",),
    "compare": ("p",),
    "data": ("fake",),
    "deletions": ("keep", "follow"),
    "branch": ("npu",),
    "python": ("python3",),
    "index_url": ("http://127.0.0.1:1",),
    "torch_index_url": ("http://127.0.0.1:1",),
}
"""What each flag that takes a value is given, by the name that the parser gives it."""
BASES = {
    "migrate": (migrate._parser, ("-i", "p", "-o", "out", "-v", "2.7.1", "--jobs", "1"), {"input", "output"}),
    "check": (check._parser, ("p", "-v", "2.7.1", "--jobs", "1"), set()),
    "analyze": (analyze._parser, ("p", "-v", "2.7.1", "--jobs", "1"), {"input"}),
    "survey": (survey._parser, ("projects", "-v", "2.7.1", "--jobs", "1"), {"jobs"}),
    "verify": (verify._parser, ("nowhere",), set()),
}
"""The command lines that the flags are added to, and the flags that these have already."""
Given = tuple[str, ...]
SHARES = 4
"""Parts of the pairs of a command, each a case of its own."""


def flags_of(command: str) -> Iterator[Given]:
    """Each flag of a command with each of its values, as words of a command line."""
    make, _, given = BASES[command]
    for action in make(Texts("en"))._actions:
        long = [spelling for spelling in action.option_strings if spelling.startswith("--")]
        ends_by_itself = "--watch" not in long
        is_opposite = isinstance(action, argparse._StoreFalseAction)
        if not long or not ends_by_itself or is_opposite or action.dest in given or action.dest == "help":
            continue
        if action.nargs == 0:
            yield (long[0],)
        else:
            yield from ((long[0], value) for value in VALUES[action.dest])


def ran_afresh(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch, command: str, *flags: str) -> Ran:
    """What a command line does in a directory that has nothing but the projects."""
    for place in ("p", "projects/a"):
        make_project(root / place, FILES)
    (root / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
    (root / "apis.csv").write_text(APIS, encoding="utf-8")
    monkeypatch.chdir(root)
    return run(command, *BASES[command][1], *flags)


def is_wrong(ran: Ran, root: Path) -> bool:
    """Whether a command ended in another way than with its result, or with a refusal and nothing written."""
    is_refused = ran.code == 2
    is_told = ran.err.startswith(("gpu2ascend: error: ", "gpu2ascend: 错误："))
    written = [name for name in ("out", "page.html", "document.json") if (root / name).exists()]
    if is_refused and (not is_told or written):
        return True
    return ran.code not in (0, 1, 2) or "Traceback" in ran.err + ran.out


def wrong_pairs(
    run: Run,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    flags: Iterable[Given],
    share: int = 0,
) -> list[tuple[Given, Given, str]]:
    """Each two flags of a share of the pairs with which a command ended wrongly, and what it said."""
    wrong: list[tuple[Given, Given, str]] = []
    for number, (one, other) in enumerate(islice(combinations(flags, 2), share, None, SHARES)):
        root = place / str(number)
        ran = ran_afresh(run, root, monkeypatch, command, *one, *other)
        if is_wrong(ran, root):
            wrong.append((one, other, ran.err))
        shutil.rmtree(root)
    return wrong


def traced(*words: str | Path) -> Ran:
    """What no command may end with."""
    return Ran(1, "", "Traceback (most recent call last):\n")


@pytest.mark.parametrize("share", shares(SHARES))
@pytest.mark.parametrize("command", BASES)
def test_two_flags_go_together_or_are_refused_by_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, share: int
) -> None:
    assert wrong_pairs(run, tmp_path, monkeypatch, command, flags_of(command), share) == []
    assert len(wrong_pairs(traced, tmp_path, monkeypatch, command, [("--a",), ("--b",)])) == 1


ALIKE = {
    "--jobs": "how many processes do it, not what they do",
    "--advice": "on, until a project's settings turn it off",
    "--project-settings": "on, until an option turns it off",
    "--api-style": "counts where something is written",
    "--similar": "the project has nothing of which there is an equivalent",
    "--max-file-size": "no file has a megabyte",
    "--severity": "a report for people does not show severities",
    "--force-exclude": "counts for files that are named",
}
"""Flags of commands that read after which the report is as it was, and why."""


@pytest.mark.parametrize("command", ["check", "analyze"])
def test_a_flag_shows_in_the_report_or_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    usual = ran_afresh(run, tmp_path / "usual", monkeypatch, command)
    unseen = set()
    for number, flags in enumerate(flags_of(command)):
        ran = ran_afresh(run, tmp_path / str(number), monkeypatch, command, *flags)
        written = [path for path in (tmp_path / str(number)).glob("*") if path.name in ("out", "page.html")]
        if ran == usual and not written:
            unseen.add(flags[0])
    assert usual.code == 1
    assert unseen <= ALIKE.keys()
