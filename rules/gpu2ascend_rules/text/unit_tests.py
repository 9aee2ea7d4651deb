"""Files that a test runner runs: what is in them is no step of a training."""

from __future__ import annotations

import re

from .plain.python_files import is_test_path
from .source_file import SourceFile

_IN_FOLDER = re.compile(r"(?:^|/)tests?/")
_TEST = re.compile(rb"^def test_\w+\(", re.M)
_RUNNERS = re.compile(rb"\b(unittest|pytest|absltest)\.main\(|\brun_tests\(")


def is_unit_test(source: SourceFile) -> bool:
    """Whether a file is run by a test runner: programs that evaluate a model are often ``test_…``, too."""
    if not is_test_path(source.path):
        return False
    has_tests = _IN_FOLDER.search(source.path) is not None and _TEST.search(source.data) is not None
    return b"__main__" not in source.data or has_tests or _RUNNERS.search(source.data) is not None
