"""What is known of a value, in the usual ways to write where it comes from.

Each piece asks for the receiver of ``.PROBE``: what kind it likely is, of which of PyTorch's classes it
certainly is an instance, which expressions give it, and where the walk to them ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from tests.pieces import agree
from tests.rules.probing import receiver_of_probe

HEAD = """\
import copy, os
import numpy as np
import torch
import torch.nn as nn
from typing import Optional, Union
from lib import Base
"""
OPTIONS = options_from({"version": "2.8.0"})
SAMPLES = sorted(Path(__file__).with_name("samples").glob("*.txt"))


def shown(node: Node) -> str:
    """An expression in one line."""
    return " ".join(text_of(node).split())


def outcome(piece: str) -> Iterator[str]:
    """What is known of the value that a piece asks for."""
    context = Context(SourceFile(f"{HEAD}{piece}\n", "train.py"), OPTIONS)
    value = receiver_of_probe(context.source)
    instance = context.instances.of(value)
    yield f"kind: {context.kind(value).name}"
    if instance is not None:
        own = " of its own" if instance.definition is not None else ""
        yield f"class: {instance.class_name or 'none of torch'}{own}"
    yield f"from: {', '.join(map(shown, context.origins(value))) or 'nowhere'}"
    for place in context.types.unfollowed(value):
        yield f"ends: {place.stop.name} `{shown(place.node)}`"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_what_is_known_of_each_value(path: Path) -> None:
    agree(path, outcome)
