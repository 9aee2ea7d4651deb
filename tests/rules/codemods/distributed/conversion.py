"""A program as text, through the distributed rule: what the tests of its steps look at."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from textwrap import dedent
from typing import NamedTuple

from gpu2ascend_rules.codemods.distributed import distribute
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.project_view import STANDALONE, Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

ENTRY = "train.py"


class Files(Standalone):
    """A project of the files that it is given, all in one directory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def has_module(self, importer_path: str, module: str) -> bool:
        return self.find_module(importer_path, module) is not None

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        path = module.lstrip(".").replace(".", "/") + ".py"
        return (path, self._files[path]) if path in self._files else None


class Converted(NamedTuple):
    """A program after the rule."""

    files: dict[str, str]
    said: dict[str, list[str]]
    """The message ids of what is left to a person, by file."""

    @property
    def text(self) -> str:
        """The entry script."""
        return self.files[ENTRY]

    @property
    def left(self) -> list[str]:
        """What is left to a person in the entry script, without what every script gets."""
        return [item for item in self.said.get(ENTRY, []) if item not in ("NPU427.batch", "NPU427.seed")]


def converted(
    entry: str, model: str = "model", version: str = "2.8.0", ignore: tuple[str, ...] = (), **modules: str
) -> Converted:
    """A program after the distributed rule; ``modules`` are files beside the entry script, by name."""
    files = {ENTRY: dedent(entry), **{f"{name}.py": dedent(text) for name, text in modules.items()}}
    options = options_from(
        {"version": version, "distributed": True, "main_file": ENTRY, "target_model": model, "ignore": ignore}
    )
    outcome = distribute(SourceFile(files[ENTRY], ENTRY), options, Files(files) if modules else STANDALONE)
    texts = {
        path: outcome.files[path].text if path in outcome.files else text for path, text in files.items()
    }
    for text in texts.values():
        ast.parse(text)
    said = {path: [item.message.id for item in change.findings] for path, change in outcome.files.items()}
    return Converted(texts, said)


def errors(entry: str, model: str = "model") -> list[str]:
    """The message ids of what would go wrong in the entry script, if nobody acted."""
    options = options_from(
        {"version": "2.8.0", "distributed": True, "main_file": ENTRY, "target_model": model}
    )
    found = distribute(SourceFile(dedent(entry), ENTRY), options, STANDALONE).files[ENTRY].findings
    return [item.message.id for item in found if item.severity is Severity.ERROR]


def script(
    loader: str = "DataLoader(data, batch_size=4, shuffle=True)", body: str = "", before: str = ""
) -> str:
    """A small training script around the making of its loader, with more in the loop over epochs."""
    return f"""\
import torch
from torch import nn
from torch.utils.data import DataLoader
{before}

def main():
    model = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = {loader}
    for epoch in range(3):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
{body}

if __name__ == "__main__":
    main()
"""
