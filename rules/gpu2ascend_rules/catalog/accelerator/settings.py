"""ACC108, ACC109 and ACC116: settings of a profiler, the environment and a trainer."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, StringRef
from ...engine.rule import Example, on, replace
from ...facts.packages.third_party import gpu_flags
from ...flow import Role
from ...flow.subjects.accelerators import (
    GPUS_OF_RAY,
    GPUS_OF_SLURM,
    accelerator_role,
    asks_ray_for_gpus,
    asks_slurm_for_gpus,
    gpus_entry,
    gpus_of_trial,
    is_gpus_of_trainer,
    is_of_own_trainer,
    place_of_accelerator,
)
from ...flow.subjects.commands import command_role
from ...flow.subjects.environment import variable_role
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...model.versions import Version
from ...renames.named_rule import NamedRule
from ...text.syntax import text_of
from .neutral_rule import NeutralRule

_ACTIVITY = "torch.profiler.ProfilerActivity"
_ALL = "torch.profiler.supported_activities"
_LISTS = frozenset({"list", "tuple", "set"})
_VARIABLE, _NEUTRAL_VARIABLE = "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_SINCE = Version(2, 10)
"""The first release that reads the neutral variable."""


class NeutralProfiler(NeutralRule):
    """A profiler records CUDA.

    What it does: Replaces a list of the activities CUDA and CPU with the activities that the machine
    supports. Other uses of the CUDA activity are reported.

    Why it matters on the NPU: Without CUDA the activity is dropped with a warning, and the profile only
    contains what ran on the CPU.

    Example: ``activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`` becomes
    ``activities=torch.profiler.supported_activities()``.

    Use instead: ``torch.profiler.supported_activities()``, which is the default.
    """

    code = "ACC108"
    examples = (
        Example(
            "import torch\nfrom torch.profiler import profile, ProfilerActivity\n"
            "with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:\n    pass\n",
            "import torch\nfrom torch.profiler import profile, ProfilerActivity\n"
            "with profile(activities=torch.profiler.supported_activities()) as p:\n    pass\n",
        ),
        Example(
            "from torch.profiler import ProfilerActivity\nif gpu:\n    a.append(ProfilerActivity.CUDA)\n"
        ),
        Example.unchanged("from torch.profiler import ProfilerActivity\na = [ProfilerActivity.CPU]\n"),
    )

    @on.name(f"{_ACTIVITY}.CUDA")
    def watched(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        holder = parent_of(ref.node)
        if holder is None or holder.type not in _LISTS or not _is_everything(holder, ctx):
            yield self.report(ref.node, "by_hand", Severity.WARNING)
            return
        fix = self.neutral([replace(holder, f"{ctx.spell(_ALL)}()")])
        yield self.report(ref.node, "watched", Severity.WARNING, fix=fix)


def _is_everything(holder: Node, ctx: Context) -> bool:
    """Whether a list has the CPU and CUDA, and nothing else: what is supported on a machine with CUDA."""
    items = [ctx.source.names.qualified_name(item) for item in holder.named_children]
    names = sorted(item.qualified_name for item in items if item is not None)
    return len(items) == len(names) and names == [f"{_ACTIVITY}.CPU", f"{_ACTIVITY}.CUDA"]


class NeutralVariable(NeutralRule):
    """An environment variable configures CUDA only.

    What it does: Replaces the variable of the allocator with the one that torch 2.10 and later read for every
    accelerator, and reports the one that chooses the visible devices.

    Why it matters on the NPU: The variable of CUDA only affects CUDA: the program takes other devices of the
    accelerator than those that it chooses.

    Example: ``os.environ['PYTORCH_CUDA_ALLOC_CONF']`` becomes ``os.environ['PYTORCH_ALLOC_CONF']``.

    Use instead: ``PYTORCH_ALLOC_CONF``; before 2.10, and for the visible devices, the variable of each
    accelerator.
    """

    code = "ACC109"
    examples = (
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n",
            "import os\nos.environ['PYTORCH_ALLOC_CONF'] = 'expandable_segments:True'\n",
        ),
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'\n", version="2.8.0"
        ),
        Example("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = args.gpu\n"),
        Example.unchanged("print('set PYTORCH_CUDA_ALLOC_CONF or CUDA_VISIBLE_DEVICES')\n"),
    )

    @on.string(_VARIABLE)
    def named(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text != _VARIABLE or not _is_used(ref, _VARIABLE, ctx):
            return
        if ctx.version < _SINCE:
            yield self.report(ref.node, "later", Severity.INFORMATION, since=_SINCE)
            return
        fix = self.neutral([replace(ref.node, ctx.quoted(_NEUTRAL_VARIABLE, ref.node))], _SINCE, requires=())
        yield self.report(ref.node, "variable", Severity.INFORMATION, fix=fix)

    @on.string(_VISIBLE)
    def visible(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if _is_used(ref, _VISIBLE, ctx):
            yield self.report(ref.node, "visible", Severity.WARNING)


def _is_used(ref: StringRef, variable: str, ctx: Context) -> bool:
    """Whether a text names a variable of the environment, or is a command that sets one."""
    if ref.text == variable:
        return variable_role(ref.node, ctx) is Role.CONSUMED
    return f"{variable}=" in ref.text and command_role(ref.node, ctx) is Role.CONSUMED


class NeutralTrainer(NeutralRule, NamedRule):
    """A library is asked for GPUs.

    What it does: Reports ``gpus=`` and ``accelerator='gpu'`` of a trainer of Lightning, in its call and in
    dictionaries that come to it, ``num_gpus=`` and ``use_gpu=`` of Ray, the ``gpu`` of Ray Tune's trials,
    ``gpus_per_node=`` of submitit, and trainers and helpers of libraries that look for CUDA only, or do so
    where they are given no device.

    Why it matters on the NPU: Lightning's GPUs are those of CUDA, or Apple's: on a machine with another
    accelerator the trainer raises. Ray has most other accelerators under resources of their own, so that a
    task which asks for GPUs waits for ever.

    Example: ``Trainer(gpus=2)``.

    Use instead: ``Trainer(accelerator='auto', devices=2)``, which takes what Lightning knows of the machine.
    """

    code = "ACC116"
    examples = (
        Example("import pytorch_lightning as pl\nt = pl.Trainer(gpus=2)\n"),
        Example("import lightning as L\nt = L.Trainer(accelerator='gpu', devices=2)\n"),
        Example("import pytorch_lightning as pl\nkw = {'gpus': 2}\nt = pl.Trainer(**kw)\n"),
        Example("import submitit\ne = submitit.AutoExecutor('o')\ne.update_parameters(gpus_per_node=n)\n"),
        Example("import ray\n@ray.remote(num_gpus=1)\ndef f(): pass\n"),
        Example("import torch_fidelity\nm = torch_fidelity.calculate_metrics(input1=d, cuda=True)\n"),
        Example("from ray import tune\ntune.run(train, resources_per_trial={'gpu': 1})\n"),
        Example("from dassl.engine import TrainerX\n\nclass T(TrainerX):\n    pass\n"),
        Example("from fastai.vision.all import *\nlearn = vision_learner(dls, resnet34)\n"),
        Example("from simpletransformers.ner import NERModel\nmodel = NERModel('bert', 'base')\n"),
        Example("from fairseq import utils\nsample = utils.move_to_cuda(sample)\n"),
        Example("from fairseq.tasks import register_task\n\n@register_task('graphs')\nclass T:\n    pass\n"),
        Example("from recbole.quick_start import run_recbole\nrun_recbole(model='BPR')\n"),
        Example("from stable_baselines3 import PPO\nmodel = PPO('MlpPolicy', env)\n"),
        Example("from timm.utils import NativeScaler\nscaler = NativeScaler()\n"),
        Example(
            "from timm.data import Mixup, create_loader\nd = create_loader(s, (3, 2, 2), 4)\nm = Mixup()\n"
        ),
        Example.unchanged("from stable_baselines3 import PPO\nmodel = PPO('MlpPolicy', env, device=d)\n"),
        Example.unchanged("import ray\n@ray.remote(num_gpus=0)\ndef f(): pass\n"),
        Example.unchanged("import pytorch_lightning as pl\nt = pl.Trainer(gpus=0)\n"),
        Example.unchanged("import lightning as L\nt = L.Trainer(accelerator='auto')\nrun(gpus=2)\n"),
    )

    @on.keyword("gpus")
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if is_gpus_of_trainer(ref, ctx):
            yield self._asked(ref.node)

    @on.string("gpu", "gpus")
    def named(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text == "gpus":
            if (entry := gpus_entry(ref.node, ctx)) is not None:
                yield self._asked(entry)
        elif ref.text == "gpu" and (trial := gpus_of_trial(ref.node, ctx)) is not None:
            yield self.report(trial, "ray", Severity.ERROR, value=text_of(trial))
        elif ref.text == "gpu":
            place, role = place_of_accelerator(ref.node), accelerator_role(ref.node, ctx).role
            if role is Role.CONSUMED or (role is Role.NAMED and is_of_own_trainer(place, ctx)):
                yield self._asked(place)

    @on.keyword(*GPUS_OF_RAY)
    def of_ray(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if asks_ray_for_gpus(ref, ctx):
            yield self.report(ref.node, "ray", Severity.ERROR, value=text_of(ref.node))

    @on.name(*gpu_flags())
    def of_library(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.keyword(gpu_flags()[ref.name])
        if ref.call is not None and given is not None and given.value.type == "true":
            yield self.report(given.node, "flag", Severity.WARNING, api=ref.name, value=text_of(given.node))

    @on.keyword(*GPUS_OF_SLURM)
    def of_slurm(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if asks_slurm_for_gpus(ref, ctx):
            yield self.report(ref.node, "slurm", Severity.ERROR, value=text_of(ref.node))

    def _asked(self, place: Node) -> Finding:
        return self.report(place, "asked", Severity.ERROR, value=text_of(place))
