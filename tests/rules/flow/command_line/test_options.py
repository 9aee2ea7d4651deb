"""What becomes of the value of an option: what the rules make of it as the default in the declaration."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.flow.command_line.options import Fate, fate_of
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

PARSER = """\
import argparse
import torch
p = argparse.ArgumentParser()
p.add_argument('--device'{})
args = p.parse_args()
x = torch.ones(2, device=args.device)
"""
DATACLASS = """\
from dataclasses import dataclass
import torch
from transformers import HfArgumentParser
@dataclass
class Args:
    device: str{}
(args,) = HfArgumentParser(Args).parse_args_into_dataclasses()
x = torch.ones(2, device=args.device)
"""


class Asking:
    """A file of another kind that asks for a value, in a project of its own."""

    def __init__(self) -> None:
        self.project: ProjectView = type(STANDALONE)()
        self.options: MigrationOptions = options_from({"version": "2.8.0"})

    def python_findings(self, source: SourceFile) -> tuple[Finding, ...]:
        return tuple(check(source, self.options))


def fate(text: str, value: str, option: str = "--device") -> Fate:
    return fate_of(("train.py", text), option, value, Asking())


@pytest.mark.parametrize(
    "declared",
    ["", ", default='cpu'", ", default='cuda:1', help='x'", ", type=str", ", choices=['cpu', 'cuda']"],
)
@pytest.mark.parametrize(("value", "becomes"), [("cuda", "npu"), ("cuda:0", "npu:0"), ("cpu", None)])
def test_a_value_becomes_what_it_would_as_the_default(declared: str, value: str, becomes: str | None) -> None:
    found = fate(PARSER.format(declared), value)
    assert found.is_known
    assert found.becomes == becomes


@pytest.mark.parametrize("declared", ["", " = 'cpu'"])
@pytest.mark.parametrize(("value", "becomes"), [("cuda", "npu"), ("cuda:1", "npu:1"), ("cpu", None)])
def test_a_field_of_a_dataclass_is_an_option(declared: str, value: str, becomes: str | None) -> None:
    assert fate(DATACLASS.format(declared), value) == Fate(True, becomes, becomes is not None)


def test_a_value_among_choices_that_are_no_default_becomes_what_the_choice_does() -> None:
    assert fate(PARSER.format(", choices=['cuda', 'cpu'], default='cpu'"), "cuda").becomes == "npu"


@pytest.mark.parametrize("declared", [", type=int", ", choices=['cpu', 'tpu']"])
def test_an_option_that_does_not_take_the_text_leaves_it(declared: str) -> None:
    assert fate(PARSER.format(declared), "cuda") == Fate(True)


def test_of_an_option_that_nobody_declares_nothing_is_known() -> None:
    assert fate(PARSER.format(""), "cuda", "--place") == Fate(False)
