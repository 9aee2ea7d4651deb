"""What is made up beside an image has the form that the data set gives it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data.targets import TARGETS

pytest.importorskip("numpy")
SIZE = (8, 12)


def target(kind: str, index: int = 5, classes: int = 21, **given: Any) -> Any:
    """A target of a small image."""
    return TARGETS[kind](index, SIZE, classes, given)


def test_a_mask_has_the_size_of_the_image_and_the_numbers_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", SimpleNamespace(fromarray=lambda array: array))
    mask = target("mask")
    assert (mask.shape, set(mask.ravel().tolist())) == (SIZE, {0, 6})


def test_several_masks_are_a_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", SimpleNamespace(fromarray=lambda array: array))
    assert len(target("mask", target_type=["semantic", "instance"])) == 2


def test_a_face_has_what_is_asked_for() -> None:
    pytest.importorskip("torch")
    assert target("face", target_type="attr").shape == (40,)
    attributes, box = target("face", target_type=["attr", "bbox"])
    assert (attributes.shape, box.tolist()) == ((40,), [3, 2, 6, 4])
    assert target("face", target_type=[]) is None


def test_objects_have_the_forms_of_coco_and_of_pascal_voc() -> None:
    (found,) = target("objects")
    assert (found["bbox"], found["category_id"]) == ([3.0, 2.0, 6.0, 4.0], 6)
    (annotated,) = target("annotation")["annotation"]["object"]
    assert annotated["bndbox"] == {"xmin": "3", "ymin": "2", "xmax": "9", "ymax": "6"}


def test_an_image_has_five_captions() -> None:
    assert len(set(target("captions"))) == 5
