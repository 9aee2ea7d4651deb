"""Whose a parameter called ``num_gpus`` is in a file that imports Ray."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import ray\nfrom functools import partial\nfrom workers import Trainer\nimport lib\n"


class Project(Standalone):
    """A project with the one module ``workers``."""

    def has_module(self, importer_path: str, module: str) -> bool:
        return module == "workers"


@pytest.mark.parametrize(
    "call",
    [
        "Trainer.options(num_gpus=1).remote()",
        "Trainer.made_for(num_gpus=1)",
        "lib.Actor.options(num_gpus=1).remote()",
        "partial(ray.remote, num_gpus=1)",
        "ray.remote(lib.Actor).options(num_gpus=1).remote()",
    ],
)
@pytest.mark.parametrize(("target", "code"), [("torch_npu", "NPU710"), ("accelerator", "ACC116")])
def test_what_ray_or_the_project_takes_asks_for_gpus(call: str, target: str, code: str) -> None:
    assert _found(call, target) == [code]


@pytest.mark.parametrize("target", ["torch_npu", "accelerator"])
def test_what_a_class_of_another_library_takes_does_not(target: str) -> None:
    assert _found("lib.Spread(num_gpus=1)", target) == []


def _found(call: str, target: str) -> list[str]:
    options = options_from({"target": target, "version": "2.10.0"})
    return [item.code for item in check(SourceFile(f"{HEAD}a = {call}\n"), options, Project())]
