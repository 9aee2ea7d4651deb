"""An old release of transformers matters where the project lets it choose the device."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU1108"]})


class Importing(Standalone):
    """A project whose files import some names."""

    def __init__(self, *names: str) -> None:
        self.imported_names = frozenset(names)


@pytest.mark.parametrize(
    ("names", "key"),
    [
        ((), "old"),
        (("transformers.BertModel",), "models"),
        (("modeling_bert.BertEncoder",), "models"),
        (("transformers.BertModel", "transformers.Trainer"), "old"),
        (("transformers.BertModel", "transformers.Seq2SeqTrainingArguments"), "old"),
        (("transformers.pipeline",), "old"),
        (("transformers.BertModel", "transformers.TextClassificationPipeline"), "old"),
        (("transformers.CLIPTextModel", "diffusers.StableDiffusionPipeline"), "models"),
        (("transformers.*",), "old"),
        (("transformers.BertModel", "transformers.*"), "old"),
        (("transformers.BertModel", "trl.SFTTrainer"), "old"),
    ],
)
def test_of_transformers_models_alone_are_information(names: tuple[str, ...], key: str) -> None:
    (found,) = check(text_file("transformers==4.11\n", "requirements.txt"), OPTIONS, Importing(*names))
    assert (found.message.id, found.severity.value == "error") == (f"NPU1108.{key}", key == "old")


@pytest.mark.parametrize(("name", "key"), [("loops.NetTrainer", "models"), ("trl.SFTTrainer", "old")])
def test_one_that_no_file_of_the_project_imports_is_information(name: str, key: str) -> None:
    (found,) = check(text_file("transformers==4.11\n", "requirements.txt"), OPTIONS, Importing(name))
    assert found.message.id == f"NPU1108.{key}"
