"""A module named as a library: an absolute import beside it, inside a package, means the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

USE = "import tensorrt\nlogger = tensorrt.Logger()\n"


def codes(root: Path, name: str) -> set[str]:
    """The codes of what is found in a file, as a part of the project."""
    files = check_paths([root], options_from({"version": "2.8.0"}))
    return {finding.code for file in files if Path(file.path).name == name for finding in file.findings}


@pytest.mark.parametrize(
    ("importer", "own", "is_library"),
    [
        ("pkg/lib/use.py", "pkg/lib/tensorrt.py", True),
        ("pkg/lib/tensorrt.py", "pkg/lib/other.py", True),
        ("pkg/lib/use.py", "tensorrt.py", False),
        ("pkg/lib/use.py", "src/tensorrt.py", False),
        ("scripts/use.py", "scripts/tensorrt.py", False),
        ("use.py", "tensorrt/core.py", False),
    ],
)
def test_where_an_absolute_import_leads(tmp_path: Path, importer: str, own: str, is_library: bool) -> None:
    packages = {"pkg/__init__.py": "", "pkg/lib/__init__.py": ""}
    root = make_tree(tmp_path, {**packages, own: "", importer: USE})
    assert ("NPU701" in codes(root, Path(importer).name)) is is_library
