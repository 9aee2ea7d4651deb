"""Which folders are imported by what is listed or configured, and which are only named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.project.entries.found_programs import CLASS, MAIN, programs


def test_a_configuration_in_python_names_the_folder_that_is_imported(tmp_path: Path) -> None:
    files = {
        "tools/go.py": "import_module(place)\n" + MAIN,
        "configs/small.py": "plugin = True\nplugin_dir = 'parts/lib/'\n",
        "parts/lib/agent.py": CLASS,
        "parts/other.py": CLASS,
    }
    found = programs(tmp_path, files)
    assert found.way_of("parts/lib/agent.py").reached_from == ("tools/go.py",)
    assert found.way_of("parts/other.py").reached_from == ()


@pytest.mark.parametrize("names", ["['read']", "(\n    'read',\n)", "[]"])
def test_a_module_that_lists_files_of_data_imports_nothing_by_it(tmp_path: Path, names: str) -> None:
    data = f"import os\n__all__ = {names}\ndef read(d):\n    return os.listdir(d)\n"
    files = {"go.py": "import lib.data\n" + MAIN, "lib/data.py": data, "lib/agent.py": CLASS}
    assert programs(tmp_path, files).way_of("lib/agent.py").reached_from == ()


def test_a_folder_that_is_only_named_is_not_imported(tmp_path: Path) -> None:
    base = "names = ['lib']\nimport_module(table[name])\n"
    files = {"go.py": "import exp.base\n" + MAIN, "exp/base.py": base, "lib/agent.py": CLASS}
    assert programs(tmp_path, files).way_of("lib/agent.py").reached_from == ()
