"""Import lines that other files of the project import from stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.index.survey import survey_project
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.server.project.samples import make_tree

APEX = "import torch\nfrom apex.parallel import convert_syncbn_model\n"
PAIR = "from apex.optimizers import FusedAdam, FusedSGD as SGD\n"


def view_of(directory: Path, files: dict[str, str], *, surveyed: bool) -> ProjectFiles:
    root = make_tree(directory, files)
    if not surveyed:
        return ProjectFiles(root)
    survey = survey_project(root, Excludes(()), lambda number, name: None, lambda: False)
    return ProjectFiles(root, survey.facts)


@pytest.mark.parametrize("surveyed", [True, False])
@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
@pytest.mark.parametrize(
    ("path", "text", "other"),
    [
        ("layers.py", APEX, "from layers import convert_syncbn_model\n"),
        ("pkg/layers.py", APEX, "from pkg.layers import (\n    x,\n    convert_syncbn_model as c,\n)\n"),
        ("layers.py", APEX, "def f():\n    from .layers import convert_syncbn_model\n"),
        ("layers.py", APEX, "from layers import *\n"),
        ("layers.py", APEX, "import layers\nm = layers.convert_syncbn_model(m)\n"),
        ("pkg/layers.py", APEX, "import pkg.layers as L\nm = L.convert_syncbn_model(m)\n"),
        ("common.py", PAIR, "from common import SGD\n"),
    ],
)
def test_an_import_that_another_file_needs_is_reported_and_stays(
    tmp_path: Path, path: str, text: str, other: str, version: str, surveyed: bool
) -> None:
    view = view_of(tmp_path, {path: text, "train.py": other}, surveyed=surveyed)
    source, options = SourceFile(text, path), options_from({"version": version})
    assert apply_fixes(source, options, view).text == text
    assert "NPU317.handed_on" in {item.message.id for item in check(source, options, view)}


@pytest.mark.parametrize("surveyed", [True, False])
def test_an_import_that_no_other_file_needs_goes(tmp_path: Path, surveyed: bool) -> None:
    view = view_of(tmp_path, {"layers.py": APEX, "train.py": "from layers import other\n"}, surveyed=surveyed)
    options = options_from({"version": "2.8.0"})
    assert apply_fixes(SourceFile(APEX, "layers.py"), options, view).text == "import torch\n"


@pytest.mark.parametrize(
    "text",
    [
        PAIR + "o = FusedAdam(p, bias_correction=other())\n",
        PAIR + "print(SGD)\n",
        "from apex.parallel import (\n    SyncBatchNorm,  # layers\n    Reducer,\n)\nr = Reducer(m)\n",
    ],
)
def test_one_name_of_an_import_does_not_go_while_its_neighbours_stay(text: str) -> None:
    assert text.partition("\n")[0] in apply_fixes(SourceFile(text), options_from({"version": "2.8.0"})).text
    assert "NPU317" not in [item.code for item in check(SourceFile(text), options_from({"version": "2.8.0"}))]


def test_all_names_go_together() -> None:
    text = "import torch\n" + PAIR + "x = 1\n"
    assert apply_fixes(SourceFile(text), options_from({"version": "2.8.0"})).text == "import torch\nx = 1\n"
