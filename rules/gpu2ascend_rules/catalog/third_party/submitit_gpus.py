"""NPU711: GPUs that code asks a scheduler for, through submitit, torchx or in a command, or relies on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow.subjects.accelerators import (
    GPUS_OF_SLURM,
    NUMBERS_OF_SLURM,
    asking_entry,
    asks_for_gpus,
    asks_slurm_for_gpus,
    names_gpus,
)
from ...flow.subjects.environment import SET_FOR_GPUS, is_environment, set_value
from ...limits.parents import parent_of
from ...model.finding import Finding, Severity
from ...text.guards import is_failure_handled
from ...text.syntax import field, is_field, text_of

_RESOURCES = ("torchx.specs.Resource", "torchx.specs.api.Resource", "torchx.specs.resource")
_OF_OPTIONS = ("gres", "gpus-per-node", "gpus-per-task")
"""Options of Slurm as the additional parameters of an executor name them."""
_IN_COMMAND = re.compile(r"--gres[= ]gpu(?![\w-])[\w:]*")


class SubmititGpus(Rule):
    """Code asks a scheduler for GPUs.

    What it does: Reports ``gpus_per_node``, ``gpus_per_task`` and a resource ``gpu`` that
    ``update_parameters`` of an executor of submitit is given, or that stand in a dictionary of a project that
    uses submitit, if the value is not zero; ``gpu`` of a ``Resource`` of torchx; ``nvidia.com/gpu`` of a pod;
    ``--gres=gpu`` in the text of a command; and variables such as ``SLURM_GPUS_ON_NODE`` that are read
    without a test or a default.

    Why it matters on the NPU: Slurm has NPUs as a resource with a name of the site's; no node of a cluster
    with NPUs has GPUs, so that the job is refused or waits for ever. In a job without GPUs the variables do
    not exist.

    Example: ``executor.update_parameters(gpus_per_node=8)``.

    Use instead: ``executor.update_parameters(slurm_gres="npu:8")``, with the site's name.
    """

    code = "NPU711"
    examples = (
        Example("import submitit\ne = submitit.AutoExecutor('logs')\ne.update_parameters(gpus_per_node=n)\n"),
        Example("import submitit\ne.update_parameters(slurm_gres='gpu:8', timeout_min=5)\n"),
        Example("import submitit\ngres = f'gpu:{n},mem:9'\ne.update_parameters(slurm_gres=gres)\n"),
        Example("import submitit\nasked = {'gpus_per_node': n, 'mem_gb': 8}\ne.update_parameters(**asked)\n"),
        Example("job = f'srun --job-name {name} --gres=gpu:{n} python train.py'\n"),
        Example("import os\nn = int(os.environ['SLURM_GPUS_ON_NODE'])\n"),
        Example("import torchx.specs as specs\nr = specs.Resource(cpu=8, gpu=8, memMB=1024)\n"),
        Example("from torchx import specs\nr = specs.Resource(8, 4, 1024)\n"),
        Example(
            "import submitit\ne.update_parameters(slurm_additional_parameters={'gres': 'gpu:8', 'mem': 8})\n"
        ),
        Example("import submitit\ne.update_parameters(slurm_gres=f'gpu:{n}')\n"),
        Example("import submitit\nmore = {'gres': f'gpu:{n}'}\ne.update_parameters(**more)\n"),
        Example("limits = {'cpu': '8', 'nvidia.com/gpu': '1'}\n"),
        Example("limits['nvidia.com/gpu'] = str(n)\n"),
        Example.unchanged("limits = {'nvidia.com/gpu': 0}\nfree = node['nvidia.com/gpu']\n"),
        Example.unchanged("names = {'nvidia.com/gpu': 'GPU'}\nused['nvidia.com/gpu'] += 1\n"),
        Example.unchanged("from torchx import specs\nr = specs.Resource(cpu=8, gpu=0, memMB=1024)\n"),
        Example.unchanged("from mine import specs\nr = specs.Resource(cpu=8, gpu=8)\n"),
        Example.unchanged("import os\nn = int(os.environ.get('SLURM_GPUS_ON_NODE', 8))\n"),
        Example.unchanged(
            "import os\nn = 8\nif 'SLURM_GPUS' in os.environ:\n    n = int(os.environ['SLURM_GPUS'])\n"
            "os.environ['SLURM_JOB_GPUS'] = '0'\n"
        ),
        Example.unchanged(
            "import os\ntry:\n    n = int(os.environ['SLURM_GPUS'])\nexcept KeyError:\n    n = 8\n"
        ),
        Example.unchanged(
            "import os\nfrom contextlib import suppress\nwith suppress(KeyError):\n"
            "    n = int(os.environ['SLURM_GPUS'])\n"
        ),
        Example(
            "import os\ntry:\n    n = int(os.environ['SLURM_GPUS'])\nexcept KeyError:\n"
            "    raise RuntimeError('give --gpus')\n"
        ),
        Example.unchanged(
            "import os\nif os.environ.get('SLURM_GPUS'):\n    n = int(os.environ['SLURM_GPUS'])\n"
        ),
        Example.unchanged("import os\nos.environ['SLURM_GPUS'] = '8'\nn = int(os.environ['SLURM_GPUS'])\n"),
        Example.unchanged("job = 'srun --gres=npu:8 python train.py'\nhelp = 'give --gres'\n"),
        Example.unchanged("asked = {'gpus_per_node': n}\n"),
        Example.unchanged("import submitit\nhelp = {'gpus-per-task': 'GPUs of each task'}\n"),
        Example.unchanged("import submitit\ne.update_parameters(gpus_per_node=0, slurm_gres='npu:8')\n"),
        Example.unchanged("import submitit\nrun(gpus_per_node=8)\ne.update_parameters(mem_gb=8)\n"),
    )

    @on.keyword(*GPUS_OF_SLURM)
    def asked(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if asks_slurm_for_gpus(ref, ctx):
            yield self.report(ref.node, "gpus", Severity.ERROR, asked=text_of(ref.node))

    @on.name(*_RESOURCES)
    def of_torchx(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        given = ref.arguments.get("gpu", 1)
        if given is not None and asks_for_gpus(given.value):
            yield self.report(given.node, "torchx", Severity.ERROR, asked=f"gpu={text_of(given.value)}")

    @on.string(*NUMBERS_OF_SLURM, *_OF_OPTIONS)
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``{'gpus_per_node': n}``, which another function gives the executor, or Slurm's own option."""
        pair = parent_of(ref.node)
        value = field(pair, "value")
        if pair is None or pair.type != "pair" or value is None or not is_field(ref.node, "key"):
            return
        if ref.text == "gres" and not names_gpus(value):
            return
        is_used = ctx.imports_module("submitit") or ctx.project.may_import("submitit")
        if is_used and asks_for_gpus(value) and _may_be_amount(value):
            yield self.report(pair, "gpus", Severity.ERROR, asked=text_of(pair))

    @on.string("nvidia.com/gpu")
    def of_kubernetes(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``{'nvidia.com/gpu': n}`` of a pod that the code makes."""
        entry = asking_entry(ref.node) if ref.text == "nvidia.com/gpu" else None
        if entry is not None and _may_be_amount(entry[1]):
            yield self.report(entry[0], "kubernetes", Severity.ERROR, asked=text_of(entry[0]))

    @on.string("--gres=gpu", "--gres gpu")
    def written(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``f'srun --gres=gpu:{n} ...'``: a command that is run, or a script that is written."""
        found = _IN_COMMAND.search(ref.text)
        if found is not None:
            yield self.report(ref.node, "command", Severity.ERROR, asked=found[0])

    @on.string("SLURM_GPUS", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_NTASKS_PER_GPU")
    def relied_on(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``os.environ['SLURM_GPUS_ON_NODE']``, without a test whether it is there."""
        place = parent_of(ref.node)
        holder = field(place, "value") if place is not None and place.type == "subscript" else None
        if holder is None or SET_FOR_GPUS.fullmatch(ref.text) is None or not is_environment(holder, ctx):
            return
        is_known = set_value(ref.node) is not None or is_failure_handled(ref.node, "KeyError")
        if not is_known and not _is_set_or_tested(ref.text, ctx):
            yield self.report(ref.node, "variable", Severity.ERROR, variable=ref.text)


def _may_be_amount(value: Node) -> bool:
    """Whether a value can say how many; a text of words alone describes an option, and a table has more."""
    if value.type in ("dictionary", "list", "tuple", "none"):
        return False
    return value.type != "string" or any(char.isdigit() for char in text_of(value)) or "{" in text_of(value)


def _is_set_or_tested(variable: str, ctx: Context) -> bool:
    """Whether a file sets a variable itself, or asks somewhere whether it is there."""
    name = rf"['\"]{variable}['\"]"
    asks = rf"{name}\s+(?:not\s+)?in\b|\b(?:get|getenv|setdefault|putenv)\(\s*{name}"
    sets = rf"{name}\s*(?:\]\s*=(?!=)|:)"
    found = ctx.once(("set or tested", variable), lambda: re.search(f"{asks}|{sets}", ctx.source.text))
    return found is not None
