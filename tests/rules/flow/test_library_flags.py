"""Answers of torch.cuda for the flags of other libraries stay as they are, and are reported."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

OPTIONS = options_from({"version": "2.8.0"})
ASKED = "torch.cuda.is_available()"


def messages(text: str) -> list[str]:
    return [item.message.id for item in check(SourceFile(text), OPTIONS) if item.code == "NPU101"]


FLAGS = {
    "a call": f"import easyocr\nr = easyocr.Reader(['en'], gpu={ASKED})\n",
    "a class of it": f"from easyocr import Reader\nr = Reader(['en'], gpu={ASKED})\n",
    "a library that no table has": f"import some_lib\nsome_lib.run(use_cuda={ASKED})\n",
    "its method": f"import some_lib\nm = some_lib.Model()\nm.fit(x, use_gpu={ASKED})\n",
    "another framework": f"import xgboost\nxgboost.train(use_gpu={ASKED})\n",
    "a negation": f"import some_lib\nsome_lib.run(no_cuda=not {ASKED})\n",
    "a choice": f"import some_lib\nsome_lib.run(cuda=1 if {ASKED} else 0)\n",
    "a condition": f"import some_lib\nsome_lib.run(cuda=args.cuda and {ASKED})\n",
    "a count": "import some_lib\nsome_lib.run(n_gpus=torch.cuda.device_count())\n",
    "a variable": f"import some_lib\ngpu = {ASKED}\nsome_lib.run(cuda=gpu)\nsome_lib.go(use_gpu=not gpu)\n",
}


@pytest.mark.parametrize("text", FLAGS.values(), ids=FLAGS)
def test_a_flag_stays_and_is_reported(text: str) -> None:
    program = f"import torch\n{text}"
    assert messages(program) == ["NPU101.flag"]
    assert migrated(program) == program


OTHERS = {
    "the project's own": f"from .models import Model\nm = Model(cuda={ASKED})\n",
    "the file's own": f"def run(cuda):\n    return cuda\nrun(cuda={ASKED})\n",
    "a library that serves NPUs": (
        f"from transformers import TrainingArguments as T\nT(no_cuda=not {ASKED})\n"
    ),
    "torch": f"torch.utils.data.DataLoader(x, pin_memory={ASKED})\n",
    "a parameter that says nothing of GPUs": f"import some_lib\nsome_lib.run(fp16={ASKED})\n",
    "a variable that is used for the model, too": (
        f"import some_lib\ngpu = {ASKED}\nsome_lib.run(cuda=gpu)\nif gpu:\n    model.cuda()\n"
    ),
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_is_no_flag_of_another_library_asks_for_the_npu(text: str) -> None:
    program = f"import torch\n{text}"
    assert messages(program) == ["NPU101.renamed"] * program.count("torch.cuda")
    assert "torch_npu.npu.is_available()" in migrated(program)


def test_what_a_trainer_of_lightning_gets_is_another_rules() -> None:
    text = "import torch\nimport lightning as L\nL.Trainer(gpus=torch.cuda.device_count())\n"
    assert {item.code for item in check(SourceFile(text), OPTIONS)} == {"NPU704"}
