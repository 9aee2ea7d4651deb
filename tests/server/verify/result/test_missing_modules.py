"""What has to be done about a module that is not found depends on where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.result.missing_modules import missing_module
from gpu2ascend.verify.result.model import Failure

FILES = ("scripts/train.py", "vae/model.py", "tools/inside/helpers/images.py", "src/data/loader.py")


@pytest.mark.parametrize(
    ("module", "kind", "folder"),
    [
        ("vae", "of-project", "."),
        ("vae.model", "of-project", "."),
        ("helpers.images", "of-project", "tools/inside"),
        ("data", "of-project", "src"),
        ("vae.version", "absent", ""),
        ("lightning.metrics", "part", ""),
    ],
)
def test_where_a_module_is(tmp_path: Path, module: str, kind: str, folder: str) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = missing_module(_failure(f"No module named '{module}'"), tmp_path)
    assert found is not None and found[0].id == f"verify.module.{kind}.cause"
    assert dict(found[0].arguments)["folder"] == folder


def test_a_name_that_an_installed_package_does_not_have(tmp_path: Path) -> None:
    text = "cannot import name 'one' from 'lightning.old' (/lib/site-packages/lightning/old.py)"
    found = missing_module(_failure(text), tmp_path)
    assert found is not None and found[0].id == "verify.module.part.cause"
    assert missing_module(_failure(text.replace("lightning", "torch_npu")), tmp_path) is None
    assert missing_module(_failure(text.replace("site-packages", "project")), tmp_path) is None


@pytest.mark.parametrize("text", ["No module named 'visdom'", "name 'vae' is not defined"])
def test_what_is_simply_not_installed_or_another_error(tmp_path: Path, text: str) -> None:
    assert missing_module(_failure(text), tmp_path) is None


def _failure(text: str) -> Failure:
    return Failure(rank=0, type="ModuleNotFoundError", text=text, traceback=())
