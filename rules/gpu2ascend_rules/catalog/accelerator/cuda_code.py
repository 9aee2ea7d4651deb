"""ACC114 and ACC115: code and programs that are CUDA's, whatever device the code around them uses."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...codemods.distributed.processes.parallel import FUNCTIONS, PARTS, WRAPPERS
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef, StringRef
from ...engine.places.context import PlaceContext
from ...engine.rule import Example, on
from ...facts.packages.third_party import cuda_module_of, cuda_modules, is_absent_on_npu
from ...flow import Role
from ...flow.command_line.output import Reading, reading_of_command
from ...flow.guards.chosen_builds import is_built_by_choice
from ...flow.guards.fallbacks import has_fallback
from ...flow.guards.needing.needs import runs_on_cpu
from ...flow.guards.ways import Way, way_of_import, way_of_use
from ...flow.libraries import extension_module, is_of_another_framework
from ...flow.subjects.commands import command_role, is_run_by_shell
from ...inference.extensions.cuda_sources import names_cuda_source
from ...inference.extensions.setup_scripts import EXTENSIONS, extensions_of
from ...kinds.shell.places import Command
from ...model.finding import Finding, Severity
from ...text.guards import conditions_over, is_guarded
from ...text.syntax import call_of, chain_from_root, enclosing, field, is_base_class, text_of
from ...text.unit_tests import is_unit_test
from .neutral_rule import NeutralRule
from .staying import MONITOR, is_behind_test

_BUILDERS = "torch.utils.cpp_extension"
_LIBRARIES = ("apex.**", *(f"{name}.**" for name in cuda_modules() if is_absent_on_npu(name)))
"""NVIDIA's apex has a build for the NPU, but none for any accelerator."""

_PROVIDERS = ("CUDAExecutionProvider", "TensorrtExecutionProvider")
"""What ONNX Runtime computes with on NVIDIA's devices."""
_ON_CUDA = ("torch_geometric.nn.DataParallel", "torch_geometric.nn.data_parallel.DataParallel")

_OF_TORCH = sorted(WRAPPERS | FUNCTIONS | PARTS)


class CudaCode(NeutralRule):
    """Code needs a CUDA extension or a library for CUDA.

    What it does: Reports the build of CUDA sources, the import of the project's own CUDA extensions and of
    libraries that need CUDA, the use of one whose import may fail, ONNX Runtime's providers for CUDA, unless
    another way is taken without CUDA, and ``DataParallel`` with its function, its steps and classes derived
    from it, which copy to several devices of CUDA only.

    Why it matters on the NPU: CUDA sources cannot be compiled for another accelerator, and the libraries
    have no kernels for it: the import or the call fails.

    Example: ``ops = load('ops', ['ops.cpp', 'ops_kernel.cu'])``.

    Use instead: PyTorch operators wherever there is no CUDA, behind the test for it.
    """

    code = "ACC114"
    name = "neutral-cuda-code"
    examples = (
        Example("from torch.utils.cpp_extension import load\nops = load('a', ['a.cpp', 'a.cu'])\n"),
        Example(
            "from torch.utils.cpp_extension import load_inline\nm = load_inline('a', '', cuda_sources=src)\n"
        ),
        Example("from torch.utils.cpp_extension import CUDAExtension\ne = CUDAExtension('a', ['a.cu'])\n"),
        Example("import my_ops_cuda\ny = my_ops_cuda.forward(x)\n"),
        Example("from apex import amp\nm = amp.initialize(m)\n"),
        Example("try:\n    import cupy\nexcept ImportError:\n    cupy = None\ncupy.f()\n"),
        Example(
            "import onnxruntime\ns = onnxruntime.InferenceSession(f, providers=['CUDAExecutionProvider'])\n"
        ),
        Example("from torch_geometric.nn import DataParallel\nm = DataParallel(m)\n"),
        Example("from torch import nn\nm = nn.DataParallel(m)\n"),
        Example("from torch import nn\nclass Wrapped(nn.DataParallel):\n    pass\n"),
        Example("import torch\ny = torch.nn.parallel.data_parallel(m, x, ids)\n"),
        Example.unchanged("from torch.utils.cpp_extension import load\nops = load('a', ['a.cpp'])\n"),
        Example.unchanged(
            "from lib import is_apex_available\nif is_apex_available():\n    from apex import amp\n"
        ),
        Example.unchanged(
            "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n"
            "if cupy is not None:\n    cupy.f()\n"
        ),
    )

    @on.name(f"{_BUILDERS}.load", f"{_BUILDERS}.load_inline", f"{_BUILDERS}.CUDAExtension")
    def built(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield from self._builds(ref.node, ctx)

    @on.string(".cu", needs=lambda outline: names_cuda_source(outline.source.data))
    def listed(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """What a function of another file compiles."""
        yield from self._builds(ref.node, ctx)

    @on.extension_import()
    def extension(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        name = extension_module(ref.binding, ctx, is_star=ref.is_star)
        if name is not None:
            yield from self._imported(ref, name, "extension", ctx)

    @on.string(*_PROVIDERS)
    def provider(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """Without one that it is asked for, ONNX Runtime takes the next, in the end the CPU."""
        if ref.text in _PROVIDERS and way_of_use(ref.node, ref.node, ctx) is Way.TAKEN:
            yield self.report(ref.node, "library", Severity.WARNING, api=ref.text, kind="cuda_op")

    @on.name(*_ON_CUDA, *_OF_TORCH)
    def parallel(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A class of a library that makes its devices of numbers, and torch's, which copies by CUDA."""
        is_used = ref.call is not None or is_base_class(ref.node)
        if is_used and ref.name in _OF_TORCH and not is_unit_test(ctx.source):
            yield self.report(ref.node, "parallel", Severity.WARNING, api=ref.name)
        elif is_used and ref.name in _ON_CUDA:
            yield self.report(ref.node, "library", Severity.ERROR, api=ref.name, kind="cuda_op")

    @on.imports(*_LIBRARIES)
    def library(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        name = ref.name.partition(".")[0]
        if cuda_module_of(ref.name) is None and name != "apex":
            return
        if not ctx.is_built(name) and not ctx.project.has_module(ctx.source.path, name):
            yield from self._imported(ref, name, "library", ctx)

    def _builds(self, place: Node, ctx: Context) -> Iterator[Finding]:
        """Every build of the file, at the first place that leads to one."""
        if is_of_another_framework(ctx) or not ctx.is_first("builds of CUDA sources", place):
            return
        found = _loads(ctx)
        extensions = extensions_of(ctx.source)
        found.update((item.call.id, item.call) for item in extensions)
        left = {item.call.id for item in extensions if has_fallback(item.made_of, ctx)}
        if extensions and is_built_by_choice(extensions, ctx):
            left.update(item.call.id for item in extensions)
        for call in found.values():
            function = field(call, "function") or call
            if call.id not in left and not has_fallback(function, ctx):
                yield self.report(function, "built", Severity.ERROR, api=text_of(function), kind="cuda_op")

    def _imported(self, ref: ImportRef, name: str, key: str, ctx: Context) -> Iterator[Finding]:
        """The import where it must succeed, else the first call of what it brings."""
        if _is_asked_for(ref.statement, name):
            return
        if not is_guarded(ref.statement):
            way = way_of_import(ref.statement, ctx)
            is_first = ctx.is_first(("CUDA code", ref.statement.id), ref.node)
            if is_first and way is Way.TAKEN:
                yield self.report(ref.node, key, Severity.ERROR, api=name, kind="cuda_op")
            elif way is Way.OPTIONAL and ctx.is_first(("CUDA code by choice", name), ref.node):
                yield self.report(ref.node, "optional", way.severity, api=name, kind="cuda_op")
            return
        for use in ctx.source.names.references(ref.binding.name) if not ref.is_star else ():
            node = chain_from_root(use).node
            is_called = use.start_byte >= ref.node.end_byte and call_of(node) is not None
            if not is_called or is_guarded(use) or runs_on_cpu(use):
                continue
            if way_of_use(node, use, ctx) is Way.TAKEN:
                yield self.report(node, key, Severity.ERROR, api=name, kind="cuda_op")
                return


def _loads(ctx: Context) -> dict[int, Node]:
    """The calls that build CUDA sources, but for those that make extensions, of which others know more."""
    builds = (build.call for build in ctx.cuda_builds.all())
    return {call.id: call for call in builds if ctx.source.names.called_in(call) not in EXTENSIONS}


def _is_asked_for(statement: Node, name: str) -> bool:
    """Whether an import is below a question for its package: ``if is_apex_available():``."""
    texts = (text_of(condition) for condition, holds in conditions_over(statement) if holds)
    asking = next((text for text in texts if f"is_{name}_available" in text), None)
    return asking is not None and "not " not in asking


class NvidiaMonitor(NeutralRule):
    """The program nvidia-smi is run.

    What it does: Reports nvidia-smi in code and scripts: an error, unless a shell runs it and nothing uses
    its output.

    Why it matters on the NPU: The program comes with NVIDIA's driver: on a machine with another accelerator
    the command fails.

    Example: ``subprocess.check_output(['nvidia-smi', '--query-gpu=memory.used'])``.

    Use instead: ``torch.accelerator.device_count()`` for the number of devices, and from PyTorch 2.9 on
    ``torch.accelerator.memory_allocated()``; otherwise a test for CUDA around the command.
    """

    code = "ACC115"
    name = "neutral-nvidia-smi"
    words = (MONITOR,)
    examples = (
        Example("import subprocess\nn = subprocess.check_output(['nvidia-smi', '-L'])\n"),
        Example("n=$(nvidia-smi -L | wc -l)\n", path="train.sh"),
        Example("nvidia-smi\n", path="train.sh"),
        Example.unchanged("print('see nvidia-smi')\n"),
        Example.unchanged("command -v nvidia-smi && echo yes\n", path="train.sh"),
    )

    @on.string(MONITOR)
    def run(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        is_program = not ref.is_bytes and ref.text.lstrip().startswith(MONITOR)
        if not is_program or command_role(ref.node, ctx) is Role.SHOWN:
            return
        if not is_behind_test(ref.node, ctx):
            call = enclosing(ref.node, "call")
            goes_on = call is not None and is_run_by_shell(call) is True
            goes_on = goes_on and reading_of_command(ref.node, ctx) <= Reading.SHOWN
            yield self.report(ref.node, "run", Severity.WARNING if goes_on else Severity.ERROR)

    @on.place(Command)
    def command(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        if command.words and (command.words[0].text or "").rpartition("/")[2] == MONITOR:
            is_used = command.is_captured
            yield self.report(command, "run", Severity.ERROR if is_used else Severity.WARNING)
