"""Code that runs on the host: its tensors are on the CPU, and it is no step of a training."""

from __future__ import annotations

import re

from tree_sitter import Node

from ...text.source_file import SourceFile
from ...text.syntax import enclosing, field, text_of

_HOST_CLASSES = ("Data", "Sampler", "Collat")
_TEST_FILE = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def is_host_data(node: Node) -> bool:
    """Whether code belongs to a data set, a sampler or what collates batches."""
    owner = enclosing(node, "class_definition")
    name = field(owner, "name")
    return name is not None and any(word in text_of(name) for word in _HOST_CLASSES)


def is_test_path(path: str) -> bool:
    """Whether a file of a project is one of its tests, by its path."""
    return _TEST_FILE.search(path) is not None


def is_unit_test(source: SourceFile) -> bool:
    """Whether a file is run by a test runner: programs that evaluate a model are often ``test_…``, too."""
    return is_test_path(source.path) and b"__main__" not in source.data
