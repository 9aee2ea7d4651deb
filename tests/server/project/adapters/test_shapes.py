"""Ranges of shapes and causes, as the detector in a copied project counts them: no torch is needed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gpu2ascend.project.adapters.dynamic_shapes import detector_files

Shape = tuple[int, ...]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "watching").mkdir()
    for name, text in detector_files("en", "watching").items():
        (tmp_path / name).write_text("" if name.endswith("__init__.py") else text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("watching")
    for name in [name for name in sys.modules if name.partition(".")[0] == "watching"]:
        del sys.modules[name]


def record(package: ModuleType, *iterations: tuple[list[Shape], list[Shape]]) -> object:
    made = importlib.import_module("watching.shapes").Record("f", "a.py", 1, "")
    for inputs, outputs in iterations:
        made.note(inputs, outputs)
        made.settle()
    return made


def test_a_range_has_the_smallest_and_largest_sizes_of_each_number_of_dimensions(package: ModuleType) -> None:
    made = importlib.import_module("watching.shapes").Range()
    for shape in ((4, 8), (4, 6), (4, 9), (3,)):
        made.add(shape)
    assert str(made) == "[(3)-(3) | (4, 6)-(4, 9)]"
    assert made.is_dynamic and made.changing() == [-1]


def test_a_smaller_last_batch_is_no_dynamic_shape(package: ModuleType) -> None:
    made = record(package, ([(4, 8)], [(32,)]), ([(4, 8)], [(32,)]))
    made.note([(2, 8)], [(16,)])  # type: ignore[attr-defined]
    made.settle_last(4, 2)  # type: ignore[attr-defined]
    assert made.has_tail and not made.is_dynamic  # type: ignore[attr-defined]


def test_a_last_iteration_that_differs_otherwise_is_one(package: ModuleType) -> None:
    made = record(package, ([(4, 8)], [(4, 8)]), ([(4, 8)], [(4, 8)]))
    made.note([(2, 9)], [(2, 9)])  # type: ignore[attr-defined]
    made.settle_last(4, 2)  # type: ignore[attr-defined]
    assert made.has_tail and made.is_dynamic  # type: ignore[attr-defined]
    assert str(made.inputs[0]) == "[(4, 8)-(4, 9)]"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("inputs", "outputs", "operators", "cause"),
    [
        ([(4,), (4,)], [(1,), (3,)], {"aten::nonzero"}, "data"),
        ([(4,), (4,)], [(1,), (3,)], {"aten::_local_scalar_dense"}, "scalar"),
        ([(4,), (4,)], [(1,), (3,)], set(), "arguments"),
        ([(4,), (5,)], [(4,), (5,)], set(), "carried"),
    ],
)
def test_a_cause_is_named(
    package: ModuleType, inputs: list[Shape], outputs: list[Shape], operators: set[str], cause: str
) -> None:
    made = record(package, *(([i], [o]) for i, o in zip(inputs, outputs, strict=True)))
    made.operators |= operators  # type: ignore[attr-defined]
    assert importlib.import_module("watching.report").cause_of(made) == cause


def test_texts_are_in_the_language_of_the_user() -> None:
    english, chinese = (
        detector_files(language)["msft_dynamic_analysis/texts.py"] for language in ("en", "zh")
    )
    assert "drop_last=True for the training loader" in english
    assert "训练的数据加载器" in chinese
