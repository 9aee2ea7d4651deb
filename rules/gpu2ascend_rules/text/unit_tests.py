"""Files that a test runner runs: what is in them is no step of a training."""

from __future__ import annotations

import re

from .plain.python_files import is_test_path
from .source_file import SourceFile

_RUNNERS = re.compile(rb"\b(unittest|pytest|absltest)\.main\(|\brun_tests\(")


def is_unit_test(source: SourceFile) -> bool:
    """Whether a file is run by a test runner: programs that evaluate a model are often ``test_…``, too."""
    is_run_so = b"__main__" not in source.data or _RUNNERS.search(source.data) is not None
    return is_test_path(source.path) and is_run_so
