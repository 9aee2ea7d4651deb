"""NPU70x: libraries that have no NPU support, or have it in part. The facts are in third_party.tsv."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...data import load_json
from ...edits.removal import imported_name_removal, is_imported_name_used, statement_removal
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...facts.packages.operators import operator_named
from ...facts.packages.third_party import cuda_module_of, cuda_modules, gpu_flags
from ...flow.guards.fallbacks import has_fallback
from ...flow.guards.ways import Way, way_of_import, way_of_use
from ...flow.libraries import is_in_same_folder
from ...flow.subjects.environment import set_value
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Severity
from ...model.versions import Version
from ...text.guards import is_guarded
from ...text.scopes import Binding
from ...text.syntax import call_of, chain_from_root, enclosing, field, same, text_of

_LIBRARIES = cuda_modules()
_CLASSES = tuple(name for name in _LIBRARIES if name.rpartition(".")[2].istitle() and "." in name)
"""What needs CUDA in libraries that work without it otherwise."""
_TOLD_AT_USES = frozenset({"flash_attn", "xformers"})
"""The libraries of which a rule of its own reports the uses."""
_SWITCH = "TORCH_TRANSFER_TO_NPU"
_SWITCH_SINCE = Version(2, 7, 1)
"""The newest wheel of each version from this one on reads it (``_init/core/optional_features.py``)."""
_PARTIAL: dict[str, str] = load_json("third_party")["partial"]
_IN_PART: frozenset[str] = frozenset(load_json("third_party")["information"])
"""What is said of libraries that work on the NPU in part, or with something beside them."""


class CudaLibrary(Rule):
    """A library is imported that works on CUDA devices only.

    What it does: Reports the import, once for each statement, or the first use of a class that is reached
    through an imported module, and names a replacement. If nothing in the file uses the imported names any
    more, it offers to remove the import.

    Why it matters on the NPU: The library cannot be installed, or cannot be imported, on a machine without
    CUDA: the import itself fails.

    Example: ``from flash_attn import flash_attn_func``.

    Use instead: what the message names; if there is no replacement, the project's own fallback path, with the
    import in a ``try``.
    """

    code = "NPU701"
    examples = (
        Example("import pynvml\npynvml.nvmlInit()\n"),
        Example("from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)\n"),
        Example("from numba import cuda\ncuda.jit(f)\n"),
        Example("import dgl.nn.pytorch as dglnn\nlayer = dglnn.GraphConv(1, 2)\n"),
        Example("from torch_scatter import scatter_add\ny = scatter_add(x, i)\n"),
        Example("from detectron2.engine import DefaultTrainer\nclass T(DefaultTrainer): ...\n"),
        Example("import os\nimport cupy as cp\nx = 1\n", unsafe="import os\nx = 1\n"),
        Example(
            "from flash_attn import flash_attn_func\nimport os\nx = os.name\n",
            unsafe="import os\nx = os.name\n",
        ),
        Example(
            "from flash_attn.bert_padding import pad_input, unpad_input\nimport os\nx = os.name\n",
            unsafe="import os\nx = os.name\n",
        ),
        Example("import importlib\nkernels = importlib.import_module('amp_C')\n"),
        Example.unchanged(
            "import importlib\ntry:\n    kernels = importlib.import_module('amp_C')\n"
            "except ImportError:\n    pass\n"
        ),
        Example.unchanged("import importlib\nown = importlib.import_module('own')\n"),
        Example("from audiotools import ml\ntrainer = bind(ml.Accelerator)\n"),
        Example.unchanged("from audiotools.ml.decorators import timer\nimport audiotools.ml\n"),
        Example.unchanged("import torch\nimport transformers, accelerate, deepspeed\n"),
        Example.unchanged("from .flash_attn import f\nfrom utils import cuda\n"),
        Example.unchanged(
            "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n"
            "if cupy is not None:\n    cupy.f()\n"
        ),
        Example("try:\n    import cupy\nexcept ImportError:\n    cupy = None\ncupy.f()\n"),
        Example("import os\nif os.environ.get('USE_CUDA'):\n    import vllm, flash_attn\n"),
    )

    @on.imports(*(f"{library}.**" for library in _LIBRARIES))
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        library = cuda_module_of(ref.name)
        if library is None or ctx.is_built(library) or _is_of_project(library, ctx):
            return
        if is_guarded(ref.statement):
            yield from self._missed(ref, library, ctx)
            return
        together = _imported_together(ref, library, ctx)
        if not same(together[0].node, ref.node):
            return  # the first name of the statement reports all of them
        way, key = way_of_import(ref.statement, ctx), _LIBRARIES[library]
        if way is not Way.TAKEN:
            yield self._avoided(ref.node, library, way)
            return
        fix = self._removal(ref, together, ctx)
        severity = Severity.INFORMATION if key in _IN_PART else Severity.ERROR
        module = field(ref.statement, "module_name") if len(together) > 1 else None
        names = "" if module is None or key in _IN_PART else _named(together)
        at = ref.node if module is None else module
        yield self.report(at, key, severity, fix=fix, kind="library", library=library, names=names)

    @on.name("importlib.import_module")
    def imported_by_text(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``importlib.import_module('amp_C')``."""
        given = ref.arguments.at(0)
        library = cuda_module_of(plain_text(given.value) or "") if given is not None else None
        if library is None or ref.call is None or is_guarded(ref.call):
            return
        if ctx.is_built(library) or _is_of_project(library, ctx):
            return
        way, key = way_of_use(ref.call, ref.node, ctx), _LIBRARIES[library]
        if way is Way.TAKEN:
            severity = Severity.INFORMATION if key in _IN_PART else Severity.ERROR
            yield self.report(ref.node, key, severity, kind="library", library=library, names="")
        else:
            yield self._avoided(ref.node, library, way)

    @on.name(*_CLASSES)
    def reached(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``ml.Accelerator``: a class of a module that is imported as a whole."""
        library = cuda_module_of(ref.name)
        if (
            library is None
            or ref.node.type != "attribute"
            or not ctx.is_first(("reached", library), ref.node)
        ):
            return
        if way_of_use(ref.node, ref.node, ctx) is Way.TAKEN:
            yield self.report(
                ref.node, _LIBRARIES[library], Severity.ERROR, kind="library", library=library, names=""
            )

    def _avoided(self, place: Node, library: str, way: Way) -> Finding:
        """An import that the NPU does not come to by itself; of what works there, that it does."""
        key = _LIBRARIES[library]
        if key in _IN_PART:
            return self.report(place, key, Severity.HINT, kind="library", library=library, names="")
        return self.report(place, way.value, Severity.HINT, kind="library", library=library)

    def _missed(self, ref: ImportRef, library: str, ctx: Context) -> Iterator[Finding]:
        """The first use of an import that may fail on a way that the NPU takes all the same."""
        key = _LIBRARIES[library]
        if key in _IN_PART or ref.is_star or library in _TOLD_AT_USES:
            return
        for use in ctx.source.names.references(ref.binding.name):
            node = chain_from_root(use).node
            if use.start_byte < ref.node.end_byte or call_of(node) is None or is_guarded(use):
                continue
            called = ctx.source.names.qualified_name(node)
            if called is not None and operator_named(called.qualified_name) is not None:
                continue  # NPU709 says so
            if way_of_use(node, use, ctx) is Way.TAKEN:
                yield self.report(node, key, Severity.ERROR, kind="library", library=library, names="")
                return

    def _removal(self, ref: ImportRef, together: list[Binding], ctx: Context) -> Fix | None:
        """The fix that removes an import of names that nothing uses; one that is used keeps all of them."""
        if ref.is_star or any(is_imported_name_used(ctx.source, item, ctx.project) for item in together):
            return None
        if len(together) == 1:
            edit = imported_name_removal(ctx.source, ref.binding)
        elif len(together) == len(ctx.source.names.imported_by(ref.statement)):
            edit = statement_removal(ctx.source, ref.statement)
        else:
            return None  # the statement also imports what works
        return self.fix(Applicability.UNSAFE, edits=[edit])


def _imported_together(ref: ImportRef, library: str, ctx: Context) -> list[Binding]:
    """What a ``from`` statement imports of a library, in order."""
    if ref.statement.type != "import_from_statement":
        return [ref.binding]
    imported = ctx.source.names.imported_by(ref.statement)
    return [item for item in imported if cuda_module_of(item.target) == library]


def _is_of_project(library: str, ctx: Context) -> bool:
    return ctx.project.has_module(ctx.source.path, library) or is_in_same_folder(library, ctx)


def _named(bindings: list[Binding]) -> str:
    """The names in brackets, as they follow that of the library."""
    return " (" + ", ".join(f"`{item.target.rpartition('.')[2]}`" for item in bindings) + ")"


def _partial_of(name: str) -> str | None:
    """The longest entry of the table that a name is, or lies below."""
    while name and name not in _PARTIAL:
        name = name.rpartition(".")[0]
    return name or None


class PartialLibrary(Rule):
    """An operator of a library is used that only partly runs on the NPU.

    What it does: Reports operators of torchvision, DeepSpeed and Faiss that fall back to the CPU on the NPU,
    or are not built for it, and names their counterparts. Also reports ``gpu=True`` and the like of libraries
    that look for CUDA themselves.

    Why it matters on the NPU: The operator is slow, because its tensors are copied to the CPU and back, or it
    raises when it is built.

    Example: ``torchvision.ops.roi_align(...)``.

    Use instead: the operator of ``torch_npu.contrib.module`` that the message names.
    """

    code = "NPU702"
    examples = (
        Example("import torchvision\nk = torchvision.ops.nms(b, s, 0.5)\n"),
        Example("from torchvision.ops import roi_align\ny = roi_align(x, r, 7)\n"),
        Example("from deepspeed.ops.sparse_attention import SparseSelfAttention as S\nS()\n"),
        Example("import faiss\nfast = faiss.index_cpu_to_all_gpus(index)\n"),
        Example("import easyocr\nr = easyocr.Reader(['en'], gpu=True)\n"),
        Example("import torch_fidelity\nm = torch_fidelity.calculate_metrics(input1=d, cuda=True)\n"),
        Example.unchanged("import easyocr\nr = easyocr.Reader(['en'], gpu=False)\n"),
        Example.unchanged("import faiss\nindex = faiss.IndexFlatL2(64)\n"),
        Example.unchanged("from deepspeed.ops.adam import FusedAdam\nFusedAdam(p)\n"),
        Example.unchanged("import torchvision\nt = torchvision.transforms.ToTensor()\n"),
    )

    @on.name(*gpu_flags())
    def asked_for_gpu(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A setting makes a library look for CUDA itself."""
        given = ref.arguments.keyword(gpu_flags()[ref.name])
        if ref.call is not None and given is not None and given.value.type == "true":
            library = ref.name.partition(".")[0]
            yield self.report(given.node, "flag", Severity.WARNING, library=library, parameter=given.keyword)

    @on.name(*(f"{name}.**" for name in _PARTIAL))
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        entry = _partial_of(ref.name)
        key = _PARTIAL[entry] if entry is not None else "deepspeed_native"
        if key == "deepspeed_native" or enclosing(ref.node, "import_from_statement") is not None:
            return
        severity = Severity.ERROR if key in ("deepspeed_missing", "faiss_gpu") else Severity.HINT
        yield self.report(ref.node, key, severity, api=ref.name)


class OnnxCudaProvider(Rule):
    """ONNX Runtime uses the CUDA execution provider.

    What it does: Reports the provider's name if it is passed to a session.

    Why it matters on the NPU: The provider does not exist; the session runs on the CPU, at most with a
    warning.

    Example: ``InferenceSession(path, providers=['CUDAExecutionProvider'])``.

    Use instead: ``'CANNExecutionProvider'`` of the package onnxruntime-cann.
    """

    code = "NPU703"
    only_with = "ExecutionProvider"
    examples = (
        Example("s = ort.InferenceSession(p, providers=['CUDAExecutionProvider'])\n"),
        Example("providers = ['TensorrtExecutionProvider', 'CPUExecutionProvider']\n"),
        Example.unchanged("print('the CUDAExecutionProvider is missing')\n"),
    )

    @on.string("CUDAExecutionProvider", "TensorrtExecutionProvider")
    def provider(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text in ("CUDAExecutionProvider", "TensorrtExecutionProvider"):
            yield self.report(ref.node, "provider", Severity.ERROR, provider=ref.text)


class RuntimePatch(Rule):
    """torch_npu's run-time patching is combined with migrated code.

    What it does: Reports ``torch_npu.contrib.transfer_to_npu`` in a migrated file, and the variable
    TORCH_TRANSFER_TO_NPU, which torch_npu reads from PyTorch 2.7.1 on.

    Why it matters on the NPU: It replaces functions of torch while the program runs, turns
    ``torch.jit.script`` off, and rewrites arguments that are already correct in migrated code.

    Example: ``from torch_npu.contrib import transfer_to_npu``.

    Use instead: either the migrated code or the patch.
    """

    code = "NPU705"
    examples = (
        Example("import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"),
        Example("import torch_npu.contrib.transfer_to_npu\n"),
        Example("import os, torch\nos.environ['TORCH_TRANSFER_TO_NPU'] = '1'\n"),
        Example("import os, torch\nos.environ['TORCH_TRANSFER_TO_NPU'] = '1'\n", version="2.6.0"),
        Example.unchanged("import torch_npu\nfrom torch_npu.contrib import module\n"),
        Example.unchanged("import os, torch\nos.environ['TORCH_TRANSFER_TO_NPU'] = '0'\n"),
    )

    @on.imports("torch_npu.contrib.transfer_to_npu")
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "patch", Severity.INFORMATION)

    @on.string(_SWITCH)
    def switched(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """``os.environ['TORCH_TRANSFER_TO_NPU'] = '1'``, which torch_npu reads from a version on."""
        if ref.text != _SWITCH or ref.is_bytes:
            return
        value = set_value(ref.node)
        given = plain_text(value) if value is not None else None
        if value is None or given == "0":
            return
        arguments: dict[str, Any] = {"variable": _SWITCH, "version": ctx.version}
        if ctx.version < _SWITCH_SINCE:
            yield self.report(ref.node, "unread", Severity.INFORMATION, **arguments)
        elif given is not None and given != "1":
            yield self.report(ref.node, "refused", Severity.ERROR, **arguments)
        else:
            yield self.report(ref.node, "switch", Severity.INFORMATION, **arguments)


_TUNING = "triton.autotune"


def _is_compiled(holder: Node, ctx: Context) -> bool:
    """Whether a decorated function has ``triton.jit`` among its decorators."""
    decorators = (child for child in holder.named_children if child.type == "decorator")
    names = (
        ctx.source.names.qualified_name(inner) for item in decorators for inner in _decorator_names(item)
    )
    return any(name is not None and name.qualified_name == "triton.jit" for name in names)


def _decorator_names(decorator: Node) -> Iterator[Node]:
    """The expression of a decorator, and what it calls."""
    for child in decorator.named_children:
        function = field(child, "function") if child.type == "call" else None
        yield child if function is None else function


class TritonKernel(Rule):
    """A Triton kernel is defined.

    What it does: Reports ``@triton.jit`` and ``@triton.autotune``.

    Why it matters on the NPU: Triton kernels need the package triton-ascend, which has the same import name
    as triton; block sizes and other parameters must be tuned again.

    Example: ``@triton.jit def kernel(...)``.

    Use instead: the package triton-ascend, or an operator of torch or torch_npu.
    """

    code = "NPU706"
    examples = (
        Example("import triton\n@triton.jit\ndef k(x):\n    pass\n"),
        Example("import triton\n@triton.autotune([])\n@triton.jit\ndef k(x):\n    pass\n"),
        Example("from triton import autotune\n@autotune([])\n@kernel\ndef k(x):\n    pass\n"),
        Example.unchanged("import triton\nprint(triton.__version__)\n"),
    )

    @on.name("triton.jit", "triton.autotune")
    def kernel(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        decorator = enclosing(ref.node, "decorator")
        holder = parent_of(decorator)
        definition = holder.child_by_field_name("definition") if holder is not None else None
        if definition is None or holder is None or not same(parent_of(definition), holder):
            return
        if ref.name == _TUNING and _is_compiled(holder, ctx):
            return  # the decorator that compiles it is reported
        name = definition.child_by_field_name("name")
        shown = text_of(name)
        if has_fallback(definition.named_children[-1], ctx):
            yield self.report(ref.node, "fallback", Severity.HINT, kind="cuda_op", api=shown)
            return
        yield self.report(ref.node, "kernel", Severity.ERROR, kind="cuda_op", api=shown)
