"""NPU212, NPU213 and NPU215: devices of libraries that are not torch's, and one that is nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role, device_flow
from ...flow.libraries import Origin, source_of_callee
from ...flow.words import is_device_name
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...model.project.decisions import Decision, Outcome
from ...renames.texts import literal_becomes
from ...text.syntax import field, passed_to, text_of

_TYPE_OF_DEVICE = re.compile(r"(?:^|\.)(?:device|dev)\.type$")
_OPTION_OF_DEVICE = re.compile(r"\w+\.device")
_DEVICE_OPTION = re.compile(rb"add_argument\(\s*(?:['\"]-\w+['\"],\s*)?['\"]--device['\"],([^()]*)\)")
_GPU = re.compile(rb"['\"]gpu['\"]")
_COMPARED = re.compile(rb"[=!]=\s*$")


class ForeignDevice(Rule):
    """A CUDA device is passed to a library with its own devices.

    What it does: Reports ``device='cuda'`` for libraries with their own device code, and a torch device that
    is passed to such a library and has become an NPU. Neither is changed.

    Where such a library and torch use one device that must be the same for both, such as one constant of
    another file, nothing is changed, and the uses are listed.

    Why it matters on the NPU: Such a library supports CUDA devices and CPUs; torch_npu does not extend it,
    and ``'npu'`` is not one of its devices.

    Example: ``WhisperModel('large', device='cuda')`` of faster_whisper.

    Use instead: the library's CPU device, or a library that runs on torch or on CANN.
    """

    code = "NPU212"
    examples = (
        Example("from faster_whisper import WhisperModel\nm = WhisperModel('large', device='cuda')\n"),
        Example("import xgboost as xgb\np = {'device': 'cuda'}\nxgb.train(p, d)\n"),
        Example(
            "import torch\nfrom faster_whisper import WhisperModel\n"
            "device = 'cuda'\nmodel.to(device)\nw = WhisperModel('large', device=device)\n"
        ),
        Example.unchanged(
            "import torch\nfrom transformers import pipeline\np = pipeline('x', device='cuda')\n"
        ),
        Example.unchanged("import torch\nsession = make(providers=['CUDAExecutionProvider'])\n"),
    )

    @on.string("cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        decision = ctx.decision(ref.node)
        if decision is not None:
            yield from self._decided(ref, decision, ctx)
            return
        verdict = device_flow(ctx).role_of(ref)
        if verdict.role is Role.FOREIGN:
            yield self.report(ref.node, "device", Severity.INFORMATION, library=verdict.library)
        for reached in device_flow(ctx).reached_foreign:
            if reached.node is not None:
                yield self.report(reached.node, "reached", Severity.ERROR, library=reached.library)

    def _decided(self, ref: StringRef, decision: Decision, ctx: Context) -> Iterator[Finding]:
        """What is said once of all words of a unit, at the first of them."""
        if not ctx.is_first_of(decision, ref.node):
            return
        if decision.outcome is Outcome.DIVIDED:
            yield self.report(ref.node, "divided", Severity.ERROR, text=ref.text, **decision.places_as_text)
        elif decision.outcome is Outcome.STAYS and decision.library:
            yield self.report(ref.node, "device", Severity.INFORMATION, library=decision.library)


class GpuString(Rule):
    """A setting of a library selects the GPU.

    What it does: Reports ``device='gpu'`` and similar arguments. They are not changed.

    Why it matters on the NPU: ``'gpu'`` is not a device of torch; what it means, and whether it includes
    NPUs, depends on the library. Few libraries accept ``'npu'`` instead.

    Example: ``collect_results(results, size, device='gpu')``.

    Use instead: what the library's documentation names for Ascend, or its CPU device.
    """

    code = "NPU213"
    examples = (
        Example("import torch\nfrom lib import run\nrun(x, device='gpu')\n"),
        Example.unchanged("import torch\nif device == 'gpu':\n    pass\nprint('gpu')\ntag = 'gpu_mem'\n"),
        Example.unchanged("import torch\nparser.add_argument('--gpu', default='gpu')\n"),
        Example.unchanged("import paddle\npaddle.set_device('gpu')\n"),
    )

    @on.string("gpu")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text != "gpu" or ref.is_bytes or device_flow(ctx).is_foreign_file:
            return
        passed = passed_to(ref.node)
        if passed is None or passed.argument.keyword is None or not is_device_name(passed.argument.keyword):
            return
        source = source_of_callee(passed.call, ctx)
        if source.origin in (Origin.LIBRARY, Origin.FOREIGN, Origin.TORCH):
            function = field(passed.call, "function")
            callee = text_of(function)
            yield self.report(ref.node, "gpu", Severity.INFORMATION, callee=callee)


class NeverGpu(Rule):
    """A device is compared with ``'gpu'``.

    What it does: Finds ``device.type == 'gpu'``, and ``args.device == 'gpu'`` if the option's choices and
    default, and the rest of the file, use CUDA or the NPU but never ``'gpu'``; offers ``'npu'``.

    Why it matters on the NPU: The type of a torch device is ``cuda`` or ``npu``, never ``gpu``: the code
    under the test never runs, on any device, and the program silently stays on the CPU.

    Example: ``if args.device == 'gpu': model.cuda()``, with ``default='cuda'``.

    Use instead: ``'npu'``.
    """

    code = "NPU215"
    only_with = "torch"
    examples = (
        Example(
            "import torch\nif x.device.type == 'gpu':\n    f(x)\n",
            unsafe="import torch\nif x.device.type == 'npu':\n    f(x)\n",
        ),
        Example(
            "import torch\nparser.add_argument('--device', default='npu', choices=['cpu', 'npu'])\n"
            "args = parser.parse_args()\nif args.device == 'gpu':\n    model.npu()\n",
            unsafe="import torch\nparser.add_argument('--device', default='npu', choices=['cpu', 'npu'])\n"
            "args = parser.parse_args()\nif args.device == 'npu':\n    model.npu()\n",
        ),
        Example.unchanged(
            "import torch\nparser.add_argument('--device', default='gpu')\nargs = parser.parse_args()\n"
            "if args.device == 'gpu':\n    model.npu()\n"
        ),
        Example.unchanged("import torch\nif args.device == 'gpu':\n    model.npu()\n"),
    )

    @on.string("gpu")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        comparison = parent_of(ref.node)
        if ref.text != "gpu" or comparison is None or comparison.type != "comparison_operator":
            return
        operators = [item.type for item in comparison.children if not item.is_named]
        others = [item for item in comparison.named_children if item != ref.node]
        if operators not in (["=="], ["!="]) or len(others) != 1:
            return
        other = text_of(others[0])
        if not _TYPE_OF_DEVICE.search(other) and not (
            _OPTION_OF_DEVICE.fullmatch(other) and _never_takes_gpu(ctx.source.data)
        ):
            return
        fix = self.fix(Applicability.UNSAFE, edits=literal_becomes(ref.node, "npu") or ())
        yield self.report(ref.node, "never", Severity.WARNING, fix=fix, device=other)


def _never_takes_gpu(data: bytes) -> bool:
    """Whether a file makes the option of a device, and knows ``'gpu'`` only where it is compared."""
    made = _DEVICE_OPTION.search(data)
    if made is None or not (b"cuda" in made[1] or b"npu" in made[1]) or b"gpu" in made[1]:
        return False
    return all(_COMPARED.search(data[: word.start()][-8:]) for word in _GPU.finditer(data))
