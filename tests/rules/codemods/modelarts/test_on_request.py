"""``--modelarts``: which arguments of a file go through the manager of paths, and which stay."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.modelarts.on_request import ModelArtsPaths
from gpu2ascend_rules.codemods.modelarts.path_calls import path_calls
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

ON = options_from({"version": "2.8.0", "modelarts": True})
IMPORT = "from ascend_modelarts_function import ModelArtsPathManager"
HEAD = "import io, json, os, torch\n"


def adapted(text: str, path: str = "train.py") -> str:
    """The text with the manager written short."""
    change = ModelArtsPaths().apply(SourceFile(text, path), ON)
    if change is None:
        return text
    return change.text.replace("ModelArtsPathManager().get_path", "GET").replace(f"{IMPORT}\n", "")


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("open(p)", "open(GET(p))"),
        ("open(mode='r', file=p)", "open(mode='r', file=GET(p))"),
        ("torch.save(x, p)", "torch.save(x, GET(p))"),
        ("torch.save(f=p, obj=x)", "torch.save(f=GET(p), obj=x)"),
        ("json.load(open(p))", "json.load(open(GET(p)))"),
        ("os.rename(a, b)", "os.rename(GET(a), GET(b))"),
        ("os.walk(\n    p  # all\n)", "os.walk(\n    GET(p)  # all\n)"),
        ("torch.load((p))", "torch.load(GET((p)))"),
    ],
)
def test_a_path_is_found_by_the_signature(call: str, after: str) -> None:
    assert adapted(f"{HEAD}x = {call}\n") == f"{HEAD}x = {after}\n"


@pytest.mark.parametrize(
    "call",
    [
        "open(0)",
        "open(__file__)",
        "open(*a)",
        "torch.load(io.BytesIO(b))",
        "json.load(f)",
        "torch.load(b'x')",
        "os.path.join(a, b)",
        "store.open(p)",
        "store.save(p)",
        "torch.load(ModelArtsPathManager().get_path(p))",
    ],
)
def test_what_is_no_path_or_is_wrapped_stays(call: str) -> None:
    assert adapted(f"{HEAD}x = {call}\n") == f"{HEAD}x = {call}\n"
    assert "GET(p)" in adapted(f"{HEAD}x = {call}\ny = open(p)\n")  # which shows that the file is looked at


def test_an_open_file_is_known_by_what_opened_it() -> None:
    text = f"{HEAD}with open(p, 'rb') as f:\n    a = torch.load(f)\ng = open(q)\nb = torch.load(g)\n"
    after = text.replace("open(p", "open(GET(p)").replace("open(q", "open(GET(q)")
    assert adapted(text) == after


def test_a_name_that_the_file_binds_itself_is_not_pythons() -> None:
    text = "def open(name):\n    pass\nopen(p)\n"
    assert adapted(text) == text
    assert adapted("open(p)\n") == "open(GET(p))\n"


def test_the_path_in_a_path_is_wrapped_once() -> None:
    text = "import numpy as np\nfrom pathlib import Path\nx = np.load(Path(p))\n"
    assert adapted(text) == text.replace("Path(p)", "Path(GET(p))")


@pytest.mark.parametrize(
    ("maker", "is_image"),
    [("Image.open(q).convert('L')", True), ("Image.fromarray(a)", True), ("Model()", False)],
)
def test_a_method_named_save_is_one_of_an_image_where_the_file_shows_it(maker: str, is_image: bool) -> None:
    text = f"from PIL import Image\nx = {maker}\nx.resize(s).save(p)\n"
    assert ("save(GET(p))" in adapted(text)) is is_image


def test_methods_of_a_library_need_its_import() -> None:
    assert adapted("import pandas\nf.to_csv(p)\n") == "import pandas\nf.to_csv(GET(p))\n"
    assert adapted("import other\nf.to_csv(p)\n") == "import other\nf.to_csv(p)\n"


@pytest.mark.parametrize(
    "name", ["torchvision.datasets.MNIST", "transformers.AutoModel.from_pretrained", "h5py.File"]
)
def test_names_of_libraries_with_many_classes(name: str) -> None:
    root = name.partition(".")[0]
    text = f"import {root}.x\nimport {root}\nx = {name}(p)\n"
    assert adapted(text).endswith(f"x = {name}(GET(p))\n")


def test_the_manager_is_imported_where_it_is_used_and_again_nothing_changes() -> None:
    text = '"""Doc."""\nfrom __future__ import annotations\nimport os\nx = os.listdir(p)\n'
    once = ModelArtsPaths().apply(SourceFile(text, "a.py"), ON)
    assert once is not None
    assert once.text.splitlines()[3] == IMPORT
    assert ModelArtsPaths().apply(SourceFile(once.text, "a.py"), ON) is None


def test_an_ignore_comment_leaves_a_line_as_it_is() -> None:
    text = "x = open(p)  # gpu2ascend: ignore[NPU990]\ny = open(q)\n"
    assert adapted(text) == text.replace("open(q)", "open(GET(q))")


def test_the_package_itself_and_projects_without_the_option_stay() -> None:
    off = options_from({"version": "2.8.0"})
    assert ModelArtsPaths().apply(SourceFile("open(p)\n", "a.py"), off) is None
    assert adapted("open(p)\n", "ascend_modelarts_function/modelarts_path_manager.py") == "open(p)\n"
    assert adapted("open(p)\n", "other/modelarts_path_manager.py") == "open(GET(p))\n"


def test_every_row_of_the_table_names_a_parameter() -> None:
    calls = path_calls()
    assert {"open", "torch.load", "pathlib.Path", ".save"} <= calls.keys()
    assert not {"json.load", "torch.utils.data.Dataset"} & calls.keys()  # which are given no path
    assert all(name for known in calls.values() for name, _ in known.parameters)
