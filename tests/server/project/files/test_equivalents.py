"""The package of equivalents in a project: put where its place is free, beside what an earlier one has."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.files.writing.equivalents import (
    add_package,
    package_outcomes,
    package_paths,
    path_instruction,
    refuse_foreign_package,
)
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.similar.package import package_files
from tests.server.project.samples import OPTIONS, make_tree

PART, OTHER = "geglu", "device_properties"
REPLACING = attrs.evolve(OPTIONS, replace_unsupported=True)
UNSAFE = attrs.evolve(OPTIONS, unsafe_fixes=True)
MINDSPORE = options_from({"target": "mindspore"})


@pytest.mark.parametrize("options", [REPLACING, UNSAFE], ids=["replacing", "unsafe"])
@pytest.mark.parametrize("taken", ["ascend_function/__init__.py", "ascend_function.py"])
def test_a_project_that_has_the_name_itself_is_refused(tmp_path: Path, options: object, taken: str) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": "", taken: "x = 1\n"})
    with pytest.raises(InputError) as caught:
        refuse_foreign_package(root, options)  # type: ignore[arg-type]
    assert caught.value.message.id == "project.equivalents-taken"


def test_where_no_equivalent_is_asked_for_the_name_is_free_for_everybody(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"ascend_function/__init__.py": "x = 1\n"})
    refuse_foreign_package(root, OPTIONS)
    with pytest.raises(InputError):
        refuse_foreign_package(root, REPLACING)


def test_the_helpers_of_mindspore_are_always_needed(tmp_path: Path) -> None:
    package = MINDSPORE.route.helpers.package
    root = make_tree(tmp_path / "proj", {f"{package}/__init__.py": "x = 1\n"})
    with pytest.raises(InputError) as caught:
        refuse_foreign_package(root, MINDSPORE)
    assert caught.value.message.id == "project.helpers-taken"
    refuse_foreign_package(root, REPLACING)


def test_an_earlier_one_of_ours_is_none_of_the_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": ""})
    refuse_foreign_package(root, REPLACING)
    add_package(root, [PART], "en")
    refuse_foreign_package(root, REPLACING)
    (root / "ascend_function" / "similar_api.py").write_text("x = 1\n")
    with pytest.raises(InputError):
        refuse_foreign_package(root, REPLACING)


def written(root: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (root / "ascend_function").iterdir()}


def test_the_package_has_the_wanted_parts_and_those_of_an_earlier_one(tmp_path: Path) -> None:
    add_package(tmp_path, [PART], "en")
    assert written(tmp_path) == package_files(frozenset({PART}), "en")
    assert set(package_paths([PART], "en")) == {
        "ascend_function",
        *(f"ascend_function/{name}" for name in written(tmp_path)),
    }
    add_package(tmp_path, [OTHER], "en")
    assert written(tmp_path) == package_files(frozenset({PART, OTHER}), "en")


def test_what_would_be_written_is_shown_and_nothing_is(tmp_path: Path) -> None:
    outcomes = list(package_outcomes(tmp_path, [PART], "en"))
    files = package_files(frozenset({PART}), "en")
    assert [item.path for item in outcomes] == sorted(f"ascend_function/{name}" for name in files)
    assert {item.status for item in outcomes} == {FileStatus.ADDED} and all(item.diff for item in outcomes)
    assert list(tmp_path.iterdir()) == []
    add_package(tmp_path, [PART], "en")
    assert list(package_outcomes(tmp_path, [PART], "en")) == []
    changed = {item.path: item.status for item in package_outcomes(tmp_path, [OTHER], "en")}
    assert "ascend_function/similar_api.py" in changed and "ascend_function/__init__.py" not in changed


def test_the_user_is_told_where_the_package_is(tmp_path: Path) -> None:
    message = path_instruction(tmp_path / "a b", [PART])
    arguments = dict(message.arguments)
    assert arguments["package"] == "ascend_function"
    assert arguments["path"] == f"'{tmp_path / 'a b'}'"
