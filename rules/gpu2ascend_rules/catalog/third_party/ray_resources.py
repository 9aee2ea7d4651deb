"""NPU710: GPUs that code asks Ray for."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Family, Rule, on
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...text.syntax import field, same, text_of

_NONE = frozenset({"0", "0.0", "False", "None"})


class RayGpus(Rule):
    """Code asks Ray for GPUs.

    What it does: Reports ``num_gpus``, ``use_gpu`` and the resource ``GPU`` in modules that import Ray, if
    their value is not zero.

    Why it matters on the NPU: Ray has NPUs under the resource ``NPU``, from 2.9 on. No node of a cluster with
    NPUs has a GPU, so that the task or worker waits for ever.

    Example: ``@ray.remote(num_gpus=1)``.

    Use instead: ``resources={"NPU": 1}``; in Ray Train ``resources_per_worker={"NPU": 1}`` without
    ``use_gpu``.
    """

    code = "NPU710"
    name = "ray-gpus"
    family = Family.THIRD_PARTY
    only_importing = frozenset({"ray"})
    examples = (
        Example("import ray\n@ray.remote(num_gpus=1)\ndef f(): pass\n"),
        Example("from ray.train import ScalingConfig\nc = ScalingConfig(use_gpu=True)\n"),
        Example("import ray\nbundles = [{'CPU': 1, 'GPU': n}]\n"),
        Example.unchanged("import ray\n@ray.remote(num_gpus=0)\ndef f(): pass\nx = {'CPU': 1, 'GPU': 0}\n"),
        Example.unchanged("run(num_gpus=1)\nx = {'GPU': 1}\n"),
        Example.unchanged("import ray\nprint('GPU')\n"),
    )

    @on.keyword("num_gpus", "use_gpu")
    def asked(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if ctx.imports_module("ray") and text_of(ref.value) not in _NONE:
            yield self.report(ref.node, "gpus", Severity.ERROR, asked=text_of(ref.node))

    @on.string("GPU")
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        pair = parent_of(ref.node)
        if ref.text != "GPU" or pair is None or not ctx.imports_module("ray"):
            return
        if pair.type != "pair" or not same(field(pair, "key"), ref.node):
            return
        value = field(pair, "value")
        if value is not None and text_of(value) not in _NONE:
            yield self.report(pair, "gpus", Severity.ERROR, asked=text_of(pair))
