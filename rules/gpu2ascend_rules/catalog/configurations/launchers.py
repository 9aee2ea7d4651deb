"""NPU1203: what accelerate and Lightning take from configurations."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.settings.schemas import is_known_as
from ...flow.settings.trainers import asks_lightning_for_gpus, is_of_own_class
from ...flow.subjects.accelerators import TRAINERS
from ...kinds.settings import Setting
from ...model.finding import Applicability, Edit, Finding, Severity

_ACCELERATE = "accelerate.yaml"
_TELLS = ("accelerator", "gpus", "tpu_cores")


class SettingLauncher(Rule):
    """A configuration of accelerate or Lightning selects GPUs.

    What it does: Selects several NPUs in accelerate's configuration, and reports Lightning's accelerator,
    also where Lightning chooses it: ``auto``, or a trainer by its ``_target_`` without an accelerator.

    Why it matters on the NPU: accelerate looks for GPUs. Lightning has no accelerator for the NPU.

    Example: ``distributed_type: MULTI_GPU`` becomes ``distributed_type: MULTI_NPU``.

    Use instead: ``MULTI_NPU``; the key ``gpu_ids`` keeps its name. For Lightning: import
    torch_npu.contrib.transfer_to_npu first, or register an accelerator.
    """

    code = "NPU1203"
    words = ("multi_gpu", "accelerator", "_target_")
    example_path = _ACCELERATE
    examples = (
        Example(
            "distributed_type: 'MULTI_GPU'\ngpu_ids: all\nnum_processes: 8\n",
            "distributed_type: 'MULTI_NPU'\ngpu_ids: all\nnum_processes: 8\n",
        ),
        Example("trainer:\n  accelerator: gpu\n  devices: 8\n", path="config.yaml"),
        Example("trainer:\n  accelerator: auto\n  devices: 8\n", path="config.yaml"),
        Example("_target_: pytorch_lightning.Trainer\nmax_epochs: 8\n", path="trainer.yaml"),
        Example.unchanged("trainer:\n  _target_: own.Trainer\n  accelerator: cuda\n", path="config.yaml"),
        Example.unchanged("_target_: lightning.Trainer\naccelerator: cpu\n", path="trainer.yaml"),
        Example.unchanged("distributed_type: NO\ntrainer:\n  accelerator: cpu\n"),
    )

    @on.place(Setting)
    def set_to(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        if place.value == "MULTI_GPU" and is_known_as("launcher", place, ctx):
            fix = self.fix(Applicability.SAFE, edits=[Edit(place.start, place.end, "MULTI_NPU")])
            yield self.report(place, "accelerate", Severity.ERROR, fix=fix)
        elif asks_lightning_for_gpus(place, ctx):
            yield self.report(place, "lightning", Severity.ERROR, value=place.value)
        elif _chooses(place, ctx) and not is_of_own_class(place, ctx):
            yield self.report(place, "auto", Severity.ERROR)


def _chooses(place: Setting, ctx: PlaceContext) -> bool:
    """Whether Lightning chooses the accelerator: by ``auto``, or for a trainer without one."""
    if place.key == "_target_":
        return place.value in TRAINERS and not _has_accelerator(place, ctx)
    return place.value == "auto" and is_known_as("lightning", place, ctx)


def _has_accelerator(target: Setting, ctx: PlaceContext) -> bool:
    """Whether a trainer has an accelerator next to its ``_target_``, or takes other settings, too."""
    parent = (*target.keys[:-1],)
    places = (item for item in ctx.file.places() if isinstance(item, Setting))
    return any(item.keys[:-1] == parent and item.key in _TELLS for item in places)
