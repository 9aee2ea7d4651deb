"""The rule as an editor offers it: one fix, for whatever the model is called."""

from __future__ import annotations

import ast

from gpu2ascend_rules.codemods.distributed.refactoring import distributed_program, offers_distributed
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import converted, script

OPTIONS: MigrationOptions = options_from({"version": "2.8.0"})


def test_makes_what_a_migration_makes() -> None:
    source = SourceFile(script(), "train.py")
    outcome = distributed_program(source, OPTIONS)
    assert outcome is not None
    assert apply_edits(source.data, outcome.files["train.py"].edits).decode() == converted(script()).text


def test_finds_the_model_by_its_optimizer() -> None:
    source = SourceFile(script().replace("model", "network"), "train.py")
    outcome = distributed_program(source, OPTIONS)
    assert outcome is not None
    text = apply_edits(source.data, outcome.files["train.py"].edits).decode()
    ast.parse(text)
    assert "network = DistributedDataParallel(network" in text


def test_is_offered_on_training_scripts_for_one_device() -> None:
    assert offers_distributed(SourceFile(script()))
    assert not offers_distributed(SourceFile(converted(script()).text))
    assert not offers_distributed(SourceFile("import torch\nclass Net(torch.nn.Module): ...\n"))


def test_is_nothing_where_no_model_is_trained() -> None:
    assert (
        distributed_program(SourceFile("import torch\nif __name__ == '__main__':\n    x()\n"), OPTIONS)
        is None
    )
