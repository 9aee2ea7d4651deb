"""``--modelarts``: paths through a manager, and the package with it in the output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.cli.commands.projects.migrate import with_modelarts

from ..conftest import Run

SCRIPT = "import torch\nstate = torch.load(path)\n"
OTHER = "lines = open(name).read()\n"
"""Without a word of PyTorch's."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    (folder / "data.py").write_text(OTHER)
    return folder


def migrated(run: Run, project: Path, *flags: str) -> Path:
    done = run("migrate", "-i", str(project), "-o", str(project.parent / "out"), *flags)
    assert done.code in (0, 1), done.err
    return next((project.parent / "out").iterdir())


@pytest.mark.parametrize(
    "flags",
    [
        ("-v", "2.8.0", "--modelarts"),
        ("-v", "2.8.0", "-m"),
        ("-m", "-v", "2.8.0"),
        ("-v", "2.8.0", "-m", "distributed", "-m", "train.py"),
    ],
)
def test_the_flag_and_the_letter_alone_ask_for_it(run: Run, project: Path, flags: tuple[str, ...]) -> None:
    (project / "train.py").write_text(f"{SCRIPT}model = torch.nn.Linear(1, 1)\n")
    output = migrated(run, project, *flags)
    assert "ModelArtsPathManager().get_path(path)" in (output / "train.py").read_text()
    assert "open(ModelArtsPathManager().get_path(name))" in (output / "data.py").read_text()
    names = {path.name for path in (output / "ascend_modelarts_function").iterdir()}
    assert names == {"__init__.py", "modelarts_path_manager.py", "path_mapping_config.py"}


def test_the_letter_with_a_value_is_the_main_file(run: Run, project: Path) -> None:
    done = run(
        "migrate", "-i", str(project), "-o", str(project.parent / "out"), "-m", "none.py", "-v", "2.8.0"
    )
    assert done.code == 2 and "the main file none.py does not exist" in done.err


def test_the_package_is_imported_from_a_clean_process(run: Run, project: Path) -> None:
    output = migrated(run, project, "-v", "2.8.0", "-m")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from ascend_modelarts_function import ModelArtsPathManager\n"
        "from ascend_modelarts_function.path_mapping_config import PATH_MAPPING_CONFIG\n"
        "print(sorted(PATH_MAPPING_CONFIG), ModelArtsPathManager().get_path('a'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(output)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['input', 'output'] a\n"


def test_without_it_paths_stay(run: Run, project: Path) -> None:
    output = migrated(run, project, "-v", "2.8.0")
    assert (output / "data.py").read_text() == OTHER
    assert not (output / "ascend_modelarts_function").exists()


def test_migrating_the_output_again_keeps_the_mapping_of_the_user(run: Run, project: Path) -> None:
    output = migrated(run, project, "-v", "2.8.0", "-m")
    mapping = output / "ascend_modelarts_function" / "path_mapping_config.py"
    mapping.write_text('PATH_MAPPING_CONFIG = {"input": {"/d": "obs://b/d"}, "output": {}}\n')
    done = run("migrate", "-i", str(output), "-o", str(project.parent / "again"), "-v", "2.8.0", "-m")
    assert done.code in (0, 1), done.err
    again = next((project.parent / "again").iterdir())
    for name in ("train.py", "data.py", "ascend_modelarts_function/path_mapping_config.py"):
        assert (again / name).read_text() == (output / name).read_text()


def test_a_package_of_the_users_of_that_name_is_refused(run: Run, project: Path) -> None:
    (project / "ascend_modelarts_function.py").write_text("x = 1\n")
    done = run("migrate", "-i", str(project), "-o", str(project.parent / "out"), "-v", "2.8.0", "-m")
    assert done.code == 2 and "ascend_modelarts_function.py" in done.err
    assert not (project.parent / "out").exists()


def of_weights(project: Path) -> None:
    text = "model = torch.nn.Linear(3, 2)\nmodel.load_state_dict(torch.load(path))\n"
    (project / "train.py").write_text(f"import torch\n\n{text}")


def test_mindspore_has_the_same_manager_in_a_package_of_its_name(run: Run, project: Path) -> None:
    of_weights(project)
    output = migrated(run, project, "--target", "mindspore", "--modelarts")
    text = (output / "train.py").read_text()
    assert "from x2ms_adapter.modelarts import ModelArtsPathManager\n" in text
    assert "like_torch.load(ModelArtsPathManager().get_path(path))" in text
    assert "open(ModelArtsPathManager().get_path(name))" in (output / "data.py").read_text()
    assert not (output / "ascend_modelarts_function").exists()


def test_the_package_for_mindspore_is_imported_from_a_clean_process(run: Run, project: Path) -> None:
    output = migrated(run, project, "--target", "mindspore", "--modelarts")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from x2ms_adapter.modelarts import ModelArtsPathManager\n"
        "from x2ms_adapter.modelarts.path_mapping_config import PATH_MAPPING_CONFIG\n"
        "print(sorted(PATH_MAPPING_CONFIG), ModelArtsPathManager().get_path('a'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(output)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "['input', 'output'] a\n"


def test_converting_the_output_again_keeps_the_mapping_of_the_user(run: Run, project: Path) -> None:
    output = migrated(run, project, "--target", "mindspore", "--modelarts")
    mapping = output / "x2ms_adapter" / "modelarts" / "path_mapping_config.py"
    mapping.write_text('PATH_MAPPING_CONFIG = {"input": {"/d": "obs://b/d"}, "output": {}}\n')
    target = ("--target", "mindspore", "--modelarts")
    done = run("migrate", "-i", str(output), "-o", str(project.parent / "again"), *target)
    assert done.code in (0, 1), done.err
    again = next((project.parent / "again").iterdir())
    name = "x2ms_adapter/modelarts/path_mapping_config.py"
    assert (again / name).read_text() == mapping.read_text()


def test_an_older_adapter_of_mindspore_is_refused(run: Run, project: Path) -> None:
    (project / "x2ms_adapter").mkdir()
    (project / "x2ms_adapter" / "__init__.py").write_text("x = 1\n")
    target = ("--target", "mindspore", "--modelarts")
    done = run("migrate", "-i", str(project), "-o", str(project.parent / "out"), *target)
    assert done.code == 2 and "x2ms_adapter" in done.err
    assert not (project.parent / "out").exists()


def test_what_to_do_is_said_in_both_languages(run: Run, project: Path) -> None:
    words = {"en": "Fill in ascend_modelarts_function/path_mapping_config.py", "zh": "请填写"}
    for language, word in words.items():
        target = str(project.parent / language)
        done = run("migrate", "-i", str(project), "-o", target, "-v", "2.8.0", "-m", "--language", language)
        assert word in done.err


def test_it_is_a_field_of_the_form(run: Run) -> None:
    schema = json.loads(run("options", "--json").out)["schema"]["properties"]["modelarts"]
    assert schema["type"] == "boolean" and schema["flags"] == ["--modelarts"] and schema["title"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("-m", "--modelarts"),
        ("-m -v 2.8.0", "--modelarts -v 2.8.0"),
        ("-v 2.8.0 -m", "-v 2.8.0 --modelarts"),
        ("-m distributed -m train.py", "--modelarts distributed -m train.py"),
        ("-m train.py", "-m train.py"),
        ("-m train.py -m", "-m train.py --modelarts"),
        ("distributed -m", "distributed -m"),
        ("distributed -t model -m", "distributed -t model -m"),
        ("-i proj -- -m", "-i proj -- -m"),
        ("", ""),
    ],
)
def test_an_m_without_a_value_before_the_word_distributed_is_short_for_it(given: str, expected: str) -> None:
    assert with_modelarts(given.split()) == expected.split()
