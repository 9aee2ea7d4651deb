"""``--similar``: the equivalents in the files, and the package of those that are used beside them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.similar.assemble import parts_of
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, Files, make_tree, tree

Make = Callable[[Files], Path]
ON = options_from({"version": "1.8.1", "replace_unsupported": True})
PADS = "import torch\n\nlayer = torch.nn.ReflectionPad2d(1)\n"
CONVOLVES = "import torch\n\nlayer = torch.nn.Conv3d(1, 1, 3)\n"
MODULE = "ascend_function/similar_api.py"


def defined(text: str) -> set[str]:
    return {node.name for node in ast.parse(text).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def test_only_what_is_used_is_there_with_what_it_needs(run: Migrate, make: Make) -> None:
    done = run(make({"pkg/net.py": PADS}), options=ON)
    after = tree(done.output)
    assert "similar_api.ReflectionPad2d(1)" in after["pkg/net.py"].decode()
    assert {"ascend_function/__init__.py", "ascend_function/README.md", MODULE} <= set(after)
    names = defined(after[MODULE].decode())
    assert {"ReflectionPad2d", "pad"} <= names
    assert not names & {"Conv3d", "SyncBatchNorm", "ReplicationPad2d"}
    assert 0 < done.result.summary.replaced <= done.result.summary.edits


def test_how_it_is_found_is_reported_and_written_down(run: Migrate, make: Make) -> None:
    done = run(make({"net.py": PADS}), options=ON)
    notice = render(done.result.notices[-1], "en")
    assert f"PYTHONPATH={done.output}" in notice
    assert notice in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    readme = (done.output / "ascend_function/README.md").read_text(encoding="utf-8")
    assert "PYTHONPATH" in readme and "`torch.nn.ReflectionPad2d`" in readme and "Conv3d" not in readme


def test_in_chinese(run: Migrate, make: Make) -> None:
    done = run(make({"net.py": PADS}), options=ON, language="zh")
    assert "替换的 API" in (done.output / "ascend_function/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [ON, attrs.evolve(ON, replace_unsupported=False, unsafe_fixes=True)])
def test_without_the_option_or_a_use_there_is_no_package(run: Migrate, make: Make, options: object) -> None:
    text = CUDA if options is ON else PADS
    done = run(make({"net.py": text}), options=options)
    assert not (done.output / "ascend_function").exists()
    assert "similar_api" not in (done.output / "net.py").read_text()


def test_migrating_again_changes_nothing(run: Migrate, make: Make, tmp_path: Path) -> None:
    first = run(make({"net.py": PADS, "conv.py": CONVOLVES}), options=ON)
    again = run(first.output, options=ON, output=tmp_path / "again")
    kept = {name for name in tree(first.output) if name.endswith((".py", ".md"))}
    assert {name: tree(again.output)[name] for name in kept} == {
        name: tree(first.output)[name] for name in kept
    }


def test_what_comes_later_is_added_to_the_package(run: Migrate, make: Make, tmp_path: Path) -> None:
    first = run(make({"net.py": PADS}), options=ON)
    (first.output / "conv.py").write_text(CONVOLVES)
    again = run(first.output, options=ON, output=tmp_path / "again")
    assert parts_of((again.output / MODULE).read_text()) == {"reflection_pad2d", "conv3d"}


@pytest.mark.parametrize("taken", ["ascend_function/__init__.py", "ascend_function.py", MODULE])
def test_a_package_of_that_name_that_is_the_projects_own_is_refused(
    run: Migrate, make: Make, taken: str
) -> None:
    root = make({"net.py": PADS, taken: "x = 1\n"})
    with pytest.raises(InputError) as error:
        run(root, options=ON)
    assert error.value.message.id == "project.equivalents-taken"
    assert run(root, options=attrs.evolve(ON, replace_unsupported=False)).output.is_dir()


def test_fixing_in_place_puts_it_into_the_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"setup.py": "", "pkg/net.py": PADS})
    list(check_paths([root], ON, fix=True))
    assert "similar_api.ReflectionPad2d(1)" in (root / "pkg/net.py").read_text()
    assert parts_of((root / MODULE).read_text()) == {"reflection_pad2d"}


def test_fixing_in_place_writes_the_readme_in_the_language_asked_for(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"net.py": PADS})
    list(check_paths([root], ON, fix=True, language="zh"))
    assert "替换的 API" in (root / "ascend_function/README.md").read_text(encoding="utf-8")


def test_a_preview_shows_the_package_as_new_files(run: Migrate, make: Make) -> None:
    root = make({"net.py": PADS})
    done = run(root, options=ON, write=False)
    added = {path: outcome for path, outcome in done.outcomes.items() if outcome.status is FileStatus.ADDED}
    assert set(added) == {
        f"ascend_function/{name}" for name in ("README.md", "__init__.py", "similar_api.py")
    }
    head, body = added[MODULE].diff.split("@@\n", 1)
    assert head.startswith(f"--- /dev/null\n+++ b/{MODULE}\n")
    text = "".join(line[1:] for line in body.splitlines(keepends=True))
    assert parts_of(text) == {"reflection_pad2d"}
    assert (done.summary.files, done.summary.changed_files) == (1, 1)
    assert list(tree(root)) == ["net.py"]


def test_a_preview_of_a_migrated_project_shows_no_package(run: Migrate, make: Make) -> None:
    first = run(make({"net.py": PADS}), options=ON)
    again = run(first.output, options=ON, write=False)
    assert again.summary.python_files == 3, "the file, and the modules of the package"
    assert not any(outcome.status is FileStatus.ADDED for outcome in again.outcomes.values())


def test_checking_alone_writes_nothing(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"net.py": PADS})
    assert [finding.code for file in check_paths([root], ON) for finding in file.findings] == ["NPU004"]
    assert list(tree(root)) == ["net.py"]


@pytest.mark.execution
@pytest.mark.slow
def test_the_migrated_files_find_it(run: Migrate, make: Make) -> None:
    pytest.importorskip("torch")
    import subprocess

    done = run(make({"net.py": PADS + "print(layer(torch.ones(1, 1, 2, 2)).sum())\n"}), options=ON)
    text = (done.output / "net.py").read_text().replace("import torch_npu\n", "")
    (done.output / "net.py").write_text(text)
    ended = subprocess.run([sys.executable, "net.py"], cwd=done.output, capture_output=True, text=True)
    assert ended.stdout == "tensor(16.)\n", ended.stderr


LOADS = "import torch\n\nloader = torch.utils.data.DataLoader(rows, batch_size=4)\n"
FOR_MINDSPORE = options_from({"target": "mindspore"})
HELPERS = "x2ms_helpers/like_torch.py"


def test_for_mindspore_the_package_has_the_helpers_that_are_used(run: Migrate, make: Make) -> None:
    done = run(make({"pkg/load.py": LOADS}), options=FOR_MINDSPORE)
    after = tree(done.output)
    assert b"loader = like_torch.DataLoader(rows, batch_size=4)" in after["pkg/load.py"]
    names = defined(after[HELPERS].decode())
    assert "DataLoader" in names and not names & {"ConcatDataset", "random_split"}
    assert f"PYTHONPATH={done.output}" in render(done.result.notices[-1], "en")
    assert "`torch.utils.data.DataLoader`" in after["x2ms_helpers/README.md"].decode()


def test_for_mindspore_a_package_of_that_name_stops_the_migration(run: Migrate, make: Make) -> None:
    with pytest.raises(InputError) as error:
        run(make({"load.py": LOADS, "x2ms_helpers/own.py": "A = 1\n"}), options=FOR_MINDSPORE)
    assert "x2ms_helpers" in render(error.value.message, "en")


def test_for_mindspore_a_converted_file_has_no_finding_about_the_helpers(run: Migrate, make: Make) -> None:
    data = "import torch\n\n\nclass Rows(torch.utils.data.Dataset):\n    pass\n"
    text = (
        "import torch\nfrom rows import Rows\n\nnet = torch.nn.Linear(3, 2)\n"
        "loader = torch.utils.data.DataLoader(Rows())\n"
        "torch.save({'net': net.state_dict()}, path)\nnet.load_state_dict(torch.load(path)['net'])\n"
    )
    done = run(make({"rows.py": data, "main.py": text}), options=FOR_MINDSPORE)
    assert b"like_torch.load_state_dict(net, like_torch.load(path)['net'])" in tree(done.output)["main.py"]
    assert done.result.summary.left_to_you == 0
