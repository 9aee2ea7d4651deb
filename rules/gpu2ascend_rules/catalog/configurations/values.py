"""NPU1201 and NPU1202: devices and back ends in configurations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.options import Fate
from ...flow.settings.schemas import (
    fate_as_field,
    is_foreign_place,
    is_known_as,
    is_listed_among_others,
    is_listed_with,
    is_of_served_program,
    is_old_word,
    is_read_as,
)
from ...flow.settings.trainers import asks_lightning_for_gpus
from ...flow.subjects.backends import is_backend_name
from ...flow.words import is_device_name, is_device_text, npu_text
from ...kinds.settings import Setting
from ...model.finding import UNDECIDED, Applicability, Edit, Finding, Fix, Severity

_FOREIGN = re.compile(r"xgb|xgboost|lightgbm|catboost|triton|onnx|tensorrt|spacy|faiss|rapids", re.I)


class SettingDevice(Rule):
    """A configuration value is a CUDA device.

    What it does: Changes the value to the NPU if code of the project creates a device from this key.
    Otherwise it reports the value, and offers the change for keys that are named like devices.

    Why it matters on the NPU: The value overrides the default of the migrated code, and the device does not
    exist on the NPU.

    Example: ``device: "cuda"`` becomes ``device: "npu"``.

    Use instead: ``npu``, ``npu:0``.
    """

    code = "NPU1201"
    words = ("cuda",)
    example_path = "config.yaml"
    examples = (
        Example(
            "run:\n  device: 'cuda:0'  # the first\n  seed: 1\n",
            unsafe="run:\n  device: 'npu:0'  # the first\n  seed: 1\n",
        ),
        Example('{"run": {"device": "cuda"}}\n', unsafe='{"run": {"device": "npu"}}\n', path="config.json"),
        Example('[run]\ndevice = "cuda"\n', unsafe='[run]\ndevice = "npu"\n', path="config.toml"),
        Example("[run]\ndevice = cuda\n", unsafe="[run]\ndevice = npu\n", path="config.ini"),
        Example("run:\n  kind: cuda\n"),
        Example("devices: cuda:0,cuda:1\n", unsafe="devices: npu:0,npu:1\n"),
        Example(
            "services:\n  demo:\n    environment:\n      - DEVICE=cuda\n      - NAME=cuda\n",
            unsafe="services:\n  demo:\n    environment:\n      - DEVICE=npu\n      - NAME=cuda\n",
            path="compose.yaml",
        ),
        Example("xgboost:\n  device: cuda\n"),
        Example("run:\n  kinds: [cuda, cpu]\n"),
        Example.unchanged("hooks:\n  - id: clang-format\n    types_or: [c++, c, cuda]\n"),
        Example.unchanged("trainer:\n  _target_: lightning.Trainer\n  accelerator: cuda\n"),
        Example.unchanged("devices: [cuda, npu]\nmore:\n  - device: npu\n  - device\n"),
        Example.unchanged(
            "# device: cuda\ndevice: ${oc.env:DEVICE,cuda}\nname: cuda_kernels\nargs: '--device cuda'\n"
        ),
    )

    @on.place(Setting)
    def set_to(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        place = place.named
        if not is_device_text(place.value) or is_old_word(place, ctx):
            return
        text = npu_text(place.value)
        if is_listed_with(text, place, ctx) or is_of_served_program(place, ctx):
            return
        if asks_lightning_for_gpus(place, ctx):
            return  # NPU1203 says so
        is_foreign = _is_foreign(place, ctx)
        if is_read_as("device", place, ctx) and not is_foreign:
            fix = self.fix(Applicability.SAFE, edits=[Edit(place.start, place.end, text)])
            yield self.report(place, "read", Severity.ERROR, fix=fix, setting=place.key, value=place.value)
        elif not is_foreign and _is_shown(place, fate := fate_as_field(place, ctx)):
            yield self._field(place, fate)
        elif is_device_name(place.key) and not is_foreign:
            fix = self.fix(Applicability.UNSAFE, edits=[Edit(place.start, place.end, text)])
            key = "unknown" if "environment" in place.keys else "named"  # which shell code reads
            yield self._undecided(place, key, Severity.WARNING, fix)
        elif not is_listed_among_others(place, ctx):
            yield self._undecided(place, "unknown", Severity.INFORMATION)

    def _undecided(self, place: Setting, key: str, severity: Severity, fix: Fix | None = None) -> Finding:
        said = {"setting": place.key, "value": place.value}
        return self.report(place, key, severity, fix=fix, kind=UNDECIDED, **said)

    def _field(self, place: Setting, fate: Fate) -> Finding:
        applicability = Applicability.SAFE if fate.is_safe else Applicability.UNSAFE
        fix = self.fix(applicability, edits=[Edit(place.start, place.end, fate.becomes or place.value)])
        severity = Severity.ERROR if fate.is_safe else Severity.WARNING
        return self.report(place, "field", severity, fix=fix, setting=place.key, value=place.value)


def _is_foreign(place: Setting, ctx: PlaceContext) -> bool:
    """Whether a value is of another library or framework, by the names around it."""
    names = (*place.keys, ctx.file.path)
    return any(_FOREIGN.search(name) is not None for name in names) or is_foreign_place(ctx)


def _is_shown(place: Setting, fate: Fate) -> bool:
    """Whether the code makes a device of a field, or likely does: what else is unknown of it is no proof."""
    return fate.becomes is not None and (fate.is_safe or is_device_name(place.key))


class SettingBackend(Rule):
    """A configuration value selects NCCL.

    What it does: Changes the value to HCCL if code of the project, or a library, creates process groups with
    the value of this key. Otherwise it reports the value, and offers the change for keys that are named like
    back ends.

    Why it matters on the NPU: The value overrides the default of the migrated code, and NCCL does not exist
    on the NPU.

    Example: ``backend: nccl`` becomes ``backend: hccl``.

    Use instead: ``hccl``.
    """

    code = "NPU1202"
    words = ("nccl",)
    example_path = "config.yaml"
    examples = (
        Example(
            "dist_params:\n  backend: nccl  # the back end\n  port: 29500\n",
            "dist_params:\n  backend: hccl  # the back end\n  port: 29500\n",
        ),
        Example("ddp_backend: 'nccl'\n", unsafe="ddp_backend: 'hccl'\n"),
        Example("ddp_backend: nccl\noutput_dir: o\n", "ddp_backend: hccl\noutput_dir: o\n"),
        Example(
            '{"fp16": {"enabled": true}, "optimizer": {"params": {"comm_backend_name": "nccl"}}}\n',
            '{"fp16": {"enabled": true}, "optimizer": {"params": {"comm_backend_name": "hccl"}}}\n',
            path="ds_config.json",
        ),
        Example(
            "services:\n  a:\n    environment:\n      - DIST_BACKEND=nccl\n",
            unsafe="services:\n  a:\n    environment:\n      - DIST_BACKEND=hccl\n",
            path="compose.yaml",
        ),
        Example("library: nccl\n"),
        Example.unchanged("backends: [gloo, nccl, hccl]\n"),
        Example.unchanged("dist_params:\n  backend: gloo\n# backend: nccl\nname: nccl-tests\n"),
    )

    @on.place(Setting)
    def set_to(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        place = place.named
        if place.value != "nccl" or is_old_word(place, ctx):
            return
        if is_listed_with("hccl", place, ctx) or is_of_served_program(place, ctx):
            return
        edit = Edit(place.start, place.end, "hccl")
        if is_read_as("backend", place, ctx) or is_known_as("backend", place, ctx):
            fix = self.fix(Applicability.SAFE, edits=[edit])
            yield self.report(place, "read", Severity.ERROR, fix=fix, setting=place.key)
        elif (fate := fate_as_field(place, ctx)).becomes == "hccl" and not is_foreign_place(ctx):
            applicability = Applicability.SAFE if fate.is_safe else Applicability.UNSAFE
            fix = self.fix(applicability, edits=[edit])
            severity = Severity.ERROR if fate.is_safe else Severity.WARNING
            yield self.report(place, "field", severity, fix=fix, setting=place.key)
        elif is_backend_name(place.key):
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
            yield self.report(place, "named", Severity.WARNING, fix=fix, kind=UNDECIDED, setting=place.key)
        else:
            yield self.report(place, "unknown", Severity.INFORMATION, kind=UNDECIDED, setting=place.key)
