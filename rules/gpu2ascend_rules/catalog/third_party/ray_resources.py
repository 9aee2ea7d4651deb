"""NPU710: GPUs that code asks Ray for, and what it asks Ray about them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on, replace
from ...flow.subjects.accelerators import GPUS_OF_RAY, asking_entry, asks_ray_for_gpus, gpus_of_trial
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...text.syntax import arguments_of, called_on, enclosing, field, is_field, last_name, same, text_of

_ASKING = frozenset({"remote", "options", "init"})
"""The functions of Ray that take both ``num_gpus`` and ``resources``."""
_NUMBER = frozenset({"integer", "float"})
_TOLD = re.compile(r"\b(?:(?:cluster|available)_resources|get_accelerator_ids|get_assigned_resources)\(\)")
"""Calls whose results have an entry for each kind of device."""
_IDS = "[int(i) for i in {root}.get_runtime_context().get_accelerator_ids()['NPU']]"


class RayGpus(Rule):
    """Code asks Ray for GPUs.

    What it does: Writes the resource ``NPU`` for ``num_gpus``, ``use_gpu``, the resource ``GPU`` and the
    ``gpu`` of Ray Tune's trials in modules that import Ray, if their value is not zero. Reads the resource
    ``NPU`` where code asks Ray how many GPUs a cluster has, or which ones a task was given.

    Why it matters on the NPU: Ray has NPUs under the resource ``NPU``, from 2.9 on. No node of a cluster with
    NPUs has a GPU, so that the task or worker waits for ever; what code reads of GPUs is empty or zero.

    Example: ``@ray.remote(num_gpus=1)`` becomes ``@ray.remote(resources={'NPU': 1})``.

    Use instead: ``resources={"NPU": 1}``; in Ray Train ``resources_per_worker={"NPU": 1}`` without
    ``use_gpu``; ``ray.get_runtime_context().get_accelerator_ids()["NPU"]``.
    """

    code = "NPU710"
    only_importing = frozenset({"ray"})
    examples = (
        Example(
            "import ray\n@ray.remote(num_gpus=1)\ndef f(): pass\n",
            "import ray\n@ray.remote(resources={'NPU': 1})\ndef f(): pass\n",
        ),
        Example("import ray\nray.init(num_gpus=n)\n", unsafe="import ray\nray.init(resources={'NPU': n})\n"),
        Example("import ray\na = A.options(num_gpus=1, resources={'x': 1}).remote()\n"),
        Example(
            "from ray.train import ScalingConfig\nc = ScalingConfig(use_gpu=True)\n",
            unsafe="from ray.train import ScalingConfig\n"
            "c = ScalingConfig(resources_per_worker={'NPU': 1})\n",
        ),
        Example(
            "import ray\nbundles = [{'CPU': 1, 'GPU': n}]\n",
            unsafe="import ray\nbundles = [{'CPU': 1, 'NPU': n}]\n",
        ),
        Example(
            "from ray.util.placement_group import placement_group\np = placement_group([{'GPU': 1}])\n",
            "from ray.util.placement_group import placement_group\np = placement_group([{'NPU': 1}])\n",
        ),
        Example(
            "import ray\nhas = ray.cluster_resources()\nn = has['GPU'], has.get('GPU', 0)\n",
            "import ray\nhas = ray.cluster_resources()\nn = has['NPU'], has.get('NPU', 0)\n",
        ),
        Example(
            "import ray\nids = ray.get_gpu_ids()\n",
            unsafe="import ray\n"
            "ids = [int(i) for i in ray.get_runtime_context().get_accelerator_ids()['NPU']]\n",
        ),
        Example(
            "from ray import tune\ntune.run(train, resources_per_trial={'cpu': 2, 'gpu': 0.5})\n",
            unsafe="from ray import tune\n"
            "tune.run(train, resources_per_trial={'cpu': 2, 'custom_resources': {'NPU': 0.5}})\n",
        ),
        Example(
            "from ray import tune\nt = tune.with_resources(train, {'gpu': n})\n",
            unsafe="from ray import tune\nt = tune.with_resources(train, {'custom_resources': {'NPU': n}})\n",
        ),
        Example("import ray\nt = {'resources_per_trial': {'gpu': 1, 'custom_resources': {'x': 1}}}\n"),
        Example(
            "import ray\nbundle = {'CPU': 1}\nbundle['GPU'] = n\n",
            unsafe="import ray\nbundle = {'CPU': 1}\nbundle['NPU'] = n\n",
        ),
        Example.unchanged("import ray\nbundle['GPU'] = 0\n"),
        Example.unchanged("import ray\nt = {'resources_per_trial': {'gpu': 0}}\ntable = {'gpu': 1}\n"),
        Example.unchanged("import ray\n@ray.remote(num_gpus=0)\ndef f(): pass\nx = {'CPU': 1, 'GPU': 0}\n"),
        Example.unchanged("run(num_gpus=1)\nx = {'GPU': 1}\n"),
        Example(
            "import ray\nfrom lib import Actor\na = Actor.options(num_gpus=1).remote()\n",
            "import ray\nfrom lib import Actor\na = Actor.options(resources={'NPU': 1}).remote()\n",
        ),
        Example("import ray\nfrom functools import partial\non_gpu = partial(ray.remote, num_gpus=1)\n"),
        Example.unchanged("import ray\nfrom parallel_nets import Spread\nnet = Spread(net, num_gpus=1)\n"),
        Example.unchanged("import ray\nprint('GPU')\nx = table['GPU']\nn = ray.cluster_resources()['CPU']\n"),
    )

    @on.keyword(*GPUS_OF_RAY)
    def asked(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if asks_ray_for_gpus(ref, ctx):
            fix = self._in_ray(ref)
            yield self.report(ref.node, "gpus", Severity.ERROR, fix=fix, asked=text_of(ref.node))

    def _in_ray(self, ref: KeywordRef) -> Fix | None:
        """The resource as a function of Ray takes it; one that is given resources already keeps them."""
        given = arguments_of(ref.call)
        name = last_name(ref.call)
        if ref.name == "use_gpu":
            is_ours = name == "ScalingConfig" and given.keyword("resources_per_worker") is None
            if not is_ours or text_of(ref.value) != "True":
                return None
            return self.fix(
                Applicability.UNSAFE, edits=[replace(ref.node, "resources_per_worker={'NPU': 1}")]
            )
        if name not in _ASKING or given.keyword("resources") is not None:
            return None
        safety = Applicability.SAFE if ref.value.type in _NUMBER else Applicability.UNSAFE
        return self.fix(safety, edits=[replace(ref.node, f"resources={{'NPU': {text_of(ref.value)}}}")])

    @on.string("gpu")
    def of_trial(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """What Ray Tune gives each trial."""
        entry = gpus_of_trial(ref.node, ctx) if ref.text == "gpu" and not ref.prefix else None
        if entry is None:
            return
        fix = None
        if "custom_resources" not in text_of(parent_of(entry)):
            written = f"'custom_resources': {{'NPU': {text_of(field(entry, 'value'))}}}"
            fix = self.fix(Applicability.UNSAFE, edits=[replace(entry, written)])
        yield self.report(entry, "trial", Severity.ERROR, fix=fix, asked=text_of(entry))

    @on.string("GPU")
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text != "GPU" or ref.prefix or not ctx.imports_module("ray"):
            return
        entry = asking_entry(ref.node)
        if entry is not None:
            whole, value = entry
            is_bundle = _is_given_to(whole, "placement_group") and value.type in _NUMBER
            fix = self._renamed(ref.node, Applicability.SAFE if is_bundle else Applicability.UNSAFE)
            yield self.report(whole, "gpus", Severity.ERROR, fix=fix, asked=text_of(whole))
            return
        read = _read_by(ref.node)
        if read is not None and _is_of_ray(read, ctx):
            fix = self._renamed(ref.node, Applicability.SAFE)
            yield self.report(ref.node, "read", Severity.ERROR, fix=fix, asked=text_of(read))

    def _renamed(self, node: Node, safety: Applicability) -> Fix:
        quote = text_of(node)[0]
        return self.fix(safety, edits=[replace(node, text_of(node).replace(f"{quote}GPU", f"{quote}NPU"))])

    @on.name("ray.get_gpu_ids")
    def ids(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is None:
            return
        root = text_of(ref.node).rpartition(".")[0]
        fix = None
        if root:
            edit = Edit(ref.call.start_byte, ref.call.end_byte, _IDS.format(root=root))
            fix = self.fix(Applicability.UNSAFE, edits=[edit])
        yield self.report(ref.node, "ids", Severity.ERROR, fix=fix)


def _is_given_to(node: Node, function: str) -> bool:
    call = enclosing(node, "call")
    return call is not None and last_name(call) == function


def _read_by(node: Node) -> Node | None:
    """What a key is looked up in: ``D[key]``, ``D.get(key)``, ``key in D``."""
    holder = parent_of(node)
    if holder is None:
        return None
    if holder.type == "subscript" and is_field(node, "subscript"):
        return field(holder, "value")
    if holder.type == "comparison_operator" and same(holder.children[0], node):
        return holder.children[-1]
    call = parent_of(holder)
    if holder.type == "argument_list" and call is not None and last_name(call) in ("get", "pop"):
        return called_on(call)
    return None


def _is_of_ray(read: Node, ctx: Context) -> bool:
    """Whether something is Ray's account of resources, itself or by the only name that has it."""
    if read.type != "identifier":
        return _TOLD.search(text_of(read)) is not None
    bound = ctx.source.names.bindings(text_of(read))
    values = [field(parent_of(item.node), "right") for item in bound]
    return bool(values) and all(value is not None and _TOLD.search(text_of(value)) for value in values)
