"""Which packages the imports of a project name, as far as a table has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.environment.imported import imported_packages


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("import cv2\n", ("opencv-python-headless",)),
        ("from skimage.io import imread\n", ("scikit-image",)),
        ("import os, yaml, sklearn.svm as svm\n", ("scikit-learn", "pyyaml")),
        ("def f():\n    import wandb\n", ("wandb",)),
        ("from torch.utils.tensorboard import SummaryWriter\n", ("tensorboard",)),
        ("import torch.utils.data\n", ()),
        ("import tqdmx, never_heard_of\n", ()),
        ("from .tqdm import bar\n# import gym\n", ()),
    ],
)
def test_modules_are_those_of_packages(tmp_path: Path, text: str, packages: tuple[str, ...]) -> None:
    (tmp_path / "train.py").write_text(text)
    assert imported_packages(tmp_path, ()) == packages


@pytest.mark.parametrize("listed", ["opencv-python-headless", "opencv-python"])
def test_what_a_list_has_is_not_wanted_again(tmp_path: Path, listed: str) -> None:
    (tmp_path / "train.py").write_text("import cv2\n")
    assert imported_packages(tmp_path, (listed,)) == ()


@pytest.mark.parametrize("own", ["gym.py", "gym/envs.py", "lib/gym/__init__.py"])
def test_a_module_of_the_project_is_no_package(tmp_path: Path, own: str) -> None:
    (tmp_path / own).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / own).write_text("")
    (tmp_path / "train.py").write_text("import gym\n")
    assert imported_packages(tmp_path, ()) == ()
