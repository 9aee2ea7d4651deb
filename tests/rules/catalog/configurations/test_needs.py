"""NPU1205: each row of its table on a file of the library, and what is fine there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU1205", "NPU1203"]})
VALUES = {"(?!": "8", "gpu(?:": "gpu:8"}


def found(text: str, path: str) -> list[Finding]:
    return list(check(text_file(text, path), OPTIONS))


def value_of(row: Mapping[str, str]) -> str:
    if row["keys"] == "optim":
        return "paged_adamw_8bit"
    pattern = row["value"].partition("|")[0]
    return next(
        (value for start, value in VALUES.items() if start and pattern.startswith(start)), pattern or "1"
    )


def settings(row: Mapping[str, str]) -> dict[str, Any]:
    """A configuration with the row's value under its keys, beside a key that shows the library."""
    *above, key = row["keys"].replace("*", "mode").split(".")
    inner: Any = {key: value_of(row)}
    for name in reversed(above):
        inner = {name: inner}
    beside = row["beside"].partition("|")[0]
    return inner if not beside or beside in inner else {**inner, beside: "x"}


ROWS = [pytest.param(row, id=row["keys"] + "=" + value_of(row)) for row in load_tsv("setting_needs")]


@pytest.mark.parametrize("row", ROWS)
def test_each_row_of_the_table_is_reported(row: Mapping[str, str]) -> None:
    (finding,) = found(json.dumps(settings(row)), "config.json")
    assert finding.message.id == f"NPU1205.{row['advice']}"
    assert finding.fix is None
    assert all("{" not in render(finding.message, language) or "npu:8" in render(finding.message, language)
               for language in ("en", "zh"))  # fmt: skip


DEEPSPEED = '{"train_batch_size": 8, %s}'
ACCELERATE = '{"num_processes": 8, %s}'


@pytest.mark.parametrize(
    ("text", "advice", "severity"),
    [
        (DEEPSPEED % '"optimizer": {"type": "Lamb"}', "operator", Severity.ERROR),
        (DEEPSPEED % '"optimizer": {"type": "Lion"}', "operator", Severity.ERROR),
        (DEEPSPEED % '"optimizer": {"type": "OneBitLamb"}', "one_bit", Severity.ERROR),
        (DEEPSPEED % '"sparse_attention": {"mode": "fixed"}', "operator", Severity.ERROR),
        (DEEPSPEED % '"amp": {"enabled": true}', "apex", Severity.ERROR),
        ('{"zero_optimization": {"zero_quantized_weights": true}}', "operator", Severity.ERROR),
        ('{"zero_optimization": {"offload_param": {"device": "nvme"}}}', "aio", Severity.WARNING),
        ('{"deepspeed_config": {"offload_optimizer_device": "nvme"}}', "aio", Severity.WARNING),
        (ACCELERATE % '"mixed_precision": "fp8"', "fp8", Severity.ERROR),
        (ACCELERATE % '"dynamo_backend": "inductor"', "inductor", Severity.WARNING),
        ('{"trainer": {"gpus": 8}}', "lightning", Severity.ERROR),
        ('{"launcher": {"gres": "gpu:8"}}', "launcher", Severity.WARNING),
        ('{"submitit_folder": "x", "gpus_per_node": 8}', "launcher", Severity.WARNING),
    ],
)
def test_each_kind_of_setting_is_reported_with_its_advice(text: str, advice: str, severity: Severity) -> None:
    (finding,) = found(text, "config.json")
    assert (finding.message.id, finding.severity) == (f"NPU1205.{advice}", severity)


@pytest.mark.parametrize("row", [row for row in load_tsv("setting_needs") if row["beside"]])
def test_a_key_of_another_library_is_not(row: Mapping[str, str]) -> None:
    alone = {key: value for key, value in settings(row).items() if key not in row["beside"].split("|")}
    assert found(json.dumps(alone), "config.json") == []


@pytest.mark.parametrize(
    "text",
    [
        '{"fp16": {"enabled": "auto"}, "bf16": {"enabled": true}, "communication_data_type": "bf16"}',
        '{"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu", "pin_memory": true}}}',
        '{"optimizer": {"type": "Adam", "params": {"torch_adam": false}}, "train_batch_size": 8}',
        '{"optimizer": {"type": "OneBitAdam", "params": {"comm_backend_name": "hccl"}}, "fp16": {}}',
        '{"optimizer": {"type": "Lion"}, "zero_optimization": {"offload_optimizer": {"device": "cpu"}}}',
        '{"aio": {"block_size": 1048576}, "train_batch_size": 8, "amp": {"enabled": false}}',
    ],
)
def test_what_deepspeed_has_for_npus_is_fine(text: str) -> None:
    assert found(text, "ds_config.json") == []


def test_a_block_is_reported_once() -> None:
    text = '{"train_batch_size": 8, "sparse_attention": {"mode": "fixed", "block": 16, "heads": true}}'
    assert len(found(text, "ds.json")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "trainer:\n  accelerator: gpu\n  devices: 8\n",
        "defaults:\n  - default\naccelerator: gpu\ndevices: 1\n",
        "trainer:\n  class_path: lightning.Trainer\n  gpus: -1\n",
        "trainer: {gpus: [0, 1], max_epochs: 2}\n",
        "max_epochs: 3\ngpus: 4\n",
    ],
)
def test_lightning_has_no_accelerator_for_the_npu(text: str) -> None:
    assert {finding.message.id for finding in found(text, "trainer.yaml")} <= {
        "NPU1203.lightning", "NPU1205.lightning",
    }  # fmt: skip
    assert found(text, "trainer.yaml") != []


@pytest.mark.parametrize(
    "text",
    [
        "trainer:\n  accelerator: cpu\n  devices: auto\n",
        "trainer:\n  gpus: null\n",
        "gpus: 4\nname: a job\n",
        "accelerator: gpu\nname: a machine\n",
    ],
)
def test_what_is_not_lightnings_or_asks_for_no_gpus_is_fine(text: str) -> None:
    assert found(text, "trainer.yaml") == []


class Requiring(Standalone):
    """A project with a list of requirements."""

    def text_at(self, path: str) -> str | None:
        return "transformers>=4.52\n" if path == "requirements.txt" else None


def test_attention_that_the_required_transformers_has_is_nothing() -> None:
    text = text_file("attn_implementation: flash_attention_2\n", "llama.yaml")
    assert [len(check(text, OPTIONS, project)) for project in (Standalone(), Requiring())] == [1, 0]
