"""NPU1205: what libraries take from configurations and the NPU lacks. The facts are in setting_needs.tsv."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.settings.required import is_written_for
from ...flow.settings.schemas import is_foreign_place, need_of
from ...kinds.settings import Setting
from ...model.finding import Finding, Severity

_DEEPSPEED = "ds_config.json"
_WITH_ATTENTION = (4, 51)
"""The release of transformers with FlashAttention for the NPU."""


class SettingNeeds(Rule):
    """A configuration of a library or launcher asks for something that the NPU lacks.

    What it does: Reports settings of DeepSpeed, accelerate, transformers, Lightning and hydra's Slurm
    launcher, with the text to write instead. DeepSpeed's fp16, bf16 and ZeRO (with or without offloading to
    the CPU), its fused Adam, ``communication_data_type`` and ``pin_memory`` work and are not reported.

    Why it matters on the NPU: DeepSpeed has some of its operators for CUDA only, and fails at the start.
    Slurm does not start a job that asks for GPUs on a cluster without them.

    Example: ``"optimizer": {"type": "Lamb"}``.

    Use instead: what the message names.
    """

    code = "NPU1205"
    words = (
        *("nvme", "lamb", "lion", "onebit", "zerooneadam", "sparse_attention", "zero_quantized"),
        *('"amp"', "inductor", "fp8", "gpus", "gres", "tf32", "8bit", "4bit", "32bit", "attn_impl"),
    )
    example_path = _DEEPSPEED
    examples = (
        Example('{"optimizer": {"type": "Lamb", "params": {"lr": 1}}, "train_batch_size": 8}\n'),
        Example('{"optimizer": {"type": "OneBitAdam"}, "fp16": {"enabled": true}}\n'),
        Example('{"zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}}}\n'),
        Example('{"amp": {"enabled": true}, "train_batch_size": 8}\n'),
        Example("num_processes: 8\ndynamo_backend: INDUCTOR\n", path="accelerate.yaml"),
        Example("num_processes: 8\nmixed_precision: fp8\n", path="accelerate.yaml"),
        Example("output_dir: out\ntf32: true\n", path="sft.yaml"),
        Example("output_dir: out\nload_in_4bit: true\n", path="sft.yaml"),
        Example("output_dir: out\noptim: paged_adamw_32bit\n", path="sft.yaml"),
        Example("model:\n  attn_implementation: flash_attention_2\n", path="llama.yaml"),
        Example("attn_implementation: kernels-community/flash-attn3\n", path="sft.yaml"),
        Example("trainer:\n  gpus: 4\n", path="config.yaml"),
        Example("hydra:\n  launcher:\n    gpus_per_node: 8\n", path="config.yaml"),
        Example.unchanged(
            '{"optimizer": {"type": "AdamW"}, "bf16": {"enabled": true}, "communication_data_type": "fp16",\n'
            ' "zero_optimization": {"offload_optimizer": {"device": "cpu", "pin_memory": true}}}\n'
        ),
        Example.unchanged("trainer:\n  gpus: 0\nanimals:\n  type: lamb\n", path="config.yaml"),
    )

    @on.place(Setting)
    def set_to(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        row = need_of(place, ctx)
        if row is None or is_foreign_place(ctx):
            return
        if row["advice"] == "attention" and is_written_for(ctx, "transformers", _WITH_ATTENTION):
            return
        block = row["keys"].partition(".*")[0] if row["keys"].endswith(".*") else ""
        if block and ctx.once(("first of", block), lambda: place) != place:
            return
        severity = Severity[row["severity"].upper()]
        yield self.report(place, row["advice"], severity, setting=block or place.key, value=place.value)
