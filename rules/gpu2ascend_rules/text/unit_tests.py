"""Files that a test runner runs: what is in them is no step of a training."""

from __future__ import annotations

import re

from .plain.python_files import is_test_path
from .source_file import SourceFile

_IN_FOLDER = re.compile(r"(?:^|/)tests?/")
_TEST = re.compile(rb"^[ \t]*(?:async[ \t]+)?def test[A-Z_]\w*\(", re.M)
_CASE = re.compile(rb"^[ \t]*class \w+\([^()]*\bTestCase\b", re.M)
_RUNNERS = re.compile(
    rb"\b(unittest|pytest|absltest)\.main\(|\brun_tests\("
    rb"|^[ \t]*from[ \t]+(?:unittest|absl\.testing\.absltest)[ \t]+import\b[^\n]*\bmain\b",
    re.M,
)

_OPTIONS = re.compile(rb"^\w+[ \t]*=[ \t]*(?:argparse\.)?ArgumentParser\(", re.M)
"""At the top of a module: a program that is run as it is."""


def is_unit_test(source: SourceFile) -> bool:
    """Whether a file is run by a test runner: programs that evaluate a model are often ``test_…``, too."""
    if not is_test_path(source.path):
        return False
    data = source.data
    if _CASE.search(data) is not None or _RUNNERS.search(data) is not None:
        return True
    if b"__main__" not in data:
        return _OPTIONS.search(data) is None or _TEST.search(data) is not None
    return _IN_FOLDER.search(source.path) is not None and _TEST.search(data) is not None
