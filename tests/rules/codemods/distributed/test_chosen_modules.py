"""Modules that a program imports by a name that is put together belong to it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import Files, converted, script


def reached(entry: str) -> list[str]:
    """The files that belong to a program, beside its entry script."""
    files = {"train.py": entry, "models/unet_model.py": "", "models/vit_model.py": "", "unet.py": ""}
    return [file.path for file in Program(SourceFile(entry, "train.py"), Files(files)).files[1:]]


@pytest.mark.parametrize(
    "name",
    [
        '"models." + name + "_model"',
        'f"models.{name}_model"',
        "'models.%s_model' % name",
        '"models.{}_model".format(name)',
    ],
)
def test_the_name_is_found_among_the_words_of_the_program(name: str) -> None:
    entry = f"import importlib\nname = pick(default='unet')\nm = importlib.import_module({name})\n"
    assert reached(entry) == ["models/unet_model.py"]


def test_without_an_import_by_name_no_word_is_tried() -> None:
    assert reached("name = pick(default='unet')\n") == []


def test_a_whole_name_may_be_the_word() -> None:
    assert reached("import importlib\nm = importlib.import_module(pick('unet'))\n") == ["unet.py"]


def test_the_model_of_such_a_module_is_wrapped() -> None:
    entry = script(before="import importlib\nfound = importlib.import_module('net_' + 'big')\n")
    entry = entry.replace("model = nn.Linear(2, 1).cuda()", "model = None")
    made = "self.net = nn.Linear(2, 1).cuda()"
    own = f"from torch import nn\nclass Own:\n    def __init__(self):\n        {made}\n"
    done = converted(entry, "self.net", net_big=own)
    assert "self.net = DistributedDataParallel(self.net" in done.files["net_big.py"]
