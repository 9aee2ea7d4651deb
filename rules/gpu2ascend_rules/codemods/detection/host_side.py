"""Code that runs on the host: its tensors are on the CPU, and it is no step of a training."""

from __future__ import annotations

import re

from tree_sitter import Node

from ...text.plain.python_files import is_test_path
from ...text.source_file import SourceFile
from ...text.syntax import enclosing, field, text_of

_RUNNERS = re.compile(rb"\b(unittest|pytest|absltest)\.main\(|\brun_tests\(")
_HOST_CLASSES = ("Data", "Sampler", "Collat")


def is_host_data(node: Node) -> bool:
    """Whether code belongs to a data set, a sampler or what collates batches."""
    owner = enclosing(node, "class_definition")
    name = field(owner, "name")
    return name is not None and any(word in text_of(name) for word in _HOST_CLASSES)


def is_unit_test(source: SourceFile) -> bool:
    """Whether a file is run by a test runner: programs that evaluate a model are often ``test_…``, too."""
    is_run_so = b"__main__" not in source.data or _RUNNERS.search(source.data) is not None
    return is_test_path(source.path) and is_run_so
