"""NPU712: what libraries are asked for and have for the NPU otherwise, from a release on, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tree_sitter import Node

from ...data import load_tsv
from ...engine.context import Context
from ...engine.events import ImportRef, KeywordRef, NameRef, StringRef
from ...engine.rule import Example, on, replace
from ...facts.packages.library_settings import LibrarySetting, library_settings
from ...flow.settings.required import is_kept_below, is_written_for
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...receivers.residence import Residence, computes_on_cpu, last_residence_of
from ...renames.named_rule import NamedRule, Row
from ...text.scopes import BindingKind
from ...text.syntax import field, is_field, last_name, parts_of, text_of, without_parentheses

_LOAD = "from transformers import AutoModel\nm = AutoModel.from_pretrained(p, "
_TRAIN = "from transformers import TrainingArguments\na = TrainingArguments('out', optim="

_FEATURES = "features"
"""The row of operations that run on the device if their tensor is there."""
_ATTENTION = "attn_implementation"
_BASE = "__init__"
"""What a class of the project hands arguments on to that its base gives the library."""
_KEEPING = frozenset({"assignment", "default_parameter", "typed_default_parameter", "pair"})
_ATOMS = ("identifier", "attribute", "call", "subscript", "parenthesized_expression")
"""Expressions of which a method can be called as they are written."""


@cache
def host_tensors() -> Mapping[str, tuple[int, str]]:
    """Position and name of the tensor of the functions that take none of the NPU."""
    return {row["callable"]: (int(row["position"]), row["parameter"]) for row in load_tsv("host_tensors")}


class LibrarySettings(NamedRule):
    """A library is asked for something that it has on GPUs.

    What it does: Looks up arguments and names of transformers, trl, bitsandbytes, kernels, torchaudio,
    torchvision, decord, tensordict and vLLM that need CUDA: 8-bit and paged optimizers, quantized weights,
    FlashAttention, kernels of the Hub, ``rnnt_loss``, features by a complex Fourier transform, decoders of
    the GPU, the NCCL communicator, and tensors of the device in functions that take those of the CPU or CUDA
    (``encode_jpeg``): these get ``.cpu()``. Where the project requires a release that supports the NPU,
    nothing is reported.

    Why it matters on the NPU: The library raises when it is asked, or computes slowly by operations of torch.

    Example: ``TrainingArguments("out", optim="paged_adamw_8bit")``.

    Use instead: what the message names: ``adamw_torch_npu_fused``, ``sdpa``, ``PyHcclCommunicator``.
    """

    code = "NPU712"
    examples = (
        Example(_TRAIN + "'paged_adamw_8bit')\n", unsafe=_TRAIN + "'adamw_torch_npu_fused')\n"),
        Example(_TRAIN + "'lion_8bit')\n"),
        Example(
            _LOAD + "attn_implementation='flash_attention_2')\n",
            unsafe=_LOAD + "attn_implementation='sdpa')\n",
        ),
        Example(_LOAD + "use_flash_attention_2=True)\n", unsafe=_LOAD + "attn_implementation='sdpa')\n"),
        Example(
            _LOAD + "attn_implementation='flash_attention_3')\n",
            unsafe=_LOAD + "attn_implementation='sdpa')\n",
        ),
        Example("from transformers import BitsAndBytesConfig\nq = BitsAndBytesConfig(load_in_8bit=True)\n"),
        Example(
            "from accelerate import Accelerator\na = Accelerator(mixed_precision='fp8')\n",
            unsafe="from accelerate import Accelerator\na = Accelerator(mixed_precision='bf16')\n",
        ),
        Example("from transformers import GPTQConfig\nq = GPTQConfig(bits=4)\n"),
        Example("from torchaudio.models.decoder import cuda_ctc_decoder\nd = cuda_ctc_decoder(words)\n"),
        Example("from trl import GRPOConfig\nc = GRPOConfig(use_vllm=True)\n"),
        Example("from kernels import get_kernel\nk = get_kernel('kernels-community/activation')\n"),
        Example("from fairseq import utils\nsample = utils.move_to_cuda(sample)\n"),
        Example("from fairseq.tasks import register_task\n\n@register_task('graphs')\nclass T:\n    pass\n"),
        Example("from dassl.engine import TrainerX\n\nclass T(TrainerX):\n    pass\n"),
        Example("from recbole.quick_start import run_recbole\nrun_recbole(model='BPR')\n"),
        Example("from stable_baselines3 import PPO\nmodel = PPO('MlpPolicy', env)\n"),
        Example("from simpletransformers.ner import NERModel\nmodel = NERModel('bert', 'base')\n"),
        Example("from timm.utils import NativeScaler\nscaler = NativeScaler()\n"),
        Example(
            "from timm.data import Mixup, create_loader\nd = create_loader(s, (3, 2, 2), 4)\nm = Mixup()\n"
        ),
        Example("import bitsandbytes as bnb\no = bnb.optim.AdamW8bit(p)\n"),
        Example(
            "import torch\nif args.use_8bit_adam:\n    import bitsandbytes as bnb\n"
            "    kind = bnb.optim.AdamW8bit\nelse:\n    kind = torch.optim.AdamW\no = kind(p)\n"
        ),
        Example("import torchaudio.functional as F\nloss = F.rnnt_loss(x, y, n, m)\n"),
        Example("import torchaudio.compliance.kaldi as kaldi\nf = kaldi.fbank(w)\n"),
        Example.unchanged(
            "import torchaudio\nw, rate = torchaudio.load(path)\n"
            "f = torchaudio.compliance.kaldi.fbank(w - w.mean())\n"
        ),
        Example(
            "from vllm.distributed.device_communicators.pynccl import PyNcclCommunicator\n"
            "c = PyNcclCommunicator(group, device=0)\n",
            unsafe="from vllm_ascend.distributed.device_communicators.pyhccl import PyHcclCommunicator\n"
            "c = PyHcclCommunicator(group, device=0)\n",
        ),
        Example("from vllm import LLM\nm = LLM(p, quantization='awq_marlin')\n"),
        Example("from vllm import LLM\nm = LLM(p, quantization='fp8')\n"),
        Example(
            "from torchaudio.io import StreamReader\ns = StreamReader(p)\n"
            "s.add_video_stream(9, hw_accel='cuda:0')\n"
        ),
        Example("from torchvision.io import decode_jpeg\nx = decode_jpeg(d, device='cuda')\n"),
        Example(
            "import decord\nr = decord.VideoReader(p, ctx=decord.gpu(0))\n",
            unsafe="import decord\nr = decord.VideoReader(p, ctx=decord.cpu(0))\n",
        ),
        Example(
            "from decord import VideoReader, gpu\nr = VideoReader(p, ctx=gpu(0))\n",
            unsafe="from decord import VideoReader\nfrom decord import cpu\nr = VideoReader(p, ctx=cpu(0))\n",
        ),
        Example(
            "from torchvision.io import encode_jpeg\ndef f(x):\n    y = x.to('npu')\n"
            "    return encode_jpeg(y)\n",
            "from torchvision.io import encode_jpeg\ndef f(x):\n    y = x.to('npu')\n"
            "    return encode_jpeg(y.cpu())\n",
        ),
        Example(
            "import transformers\ndef load(path, attn='flash_attention_2'):\n    pass\n",
            unsafe="import transformers\ndef load(path, attn='sdpa'):\n    pass\n",
        ),
        Example(
            "import transformers\nclass A(B):\n    def __init__(self, use_flash_attention_2=True):\n"
            "        super().__init__(use_flash_attention_2=use_flash_attention_2)\n"
        ),
        Example.unchanged("import transformers\nis_flash = kind == 'flash_attention_2'\n"),
        Example.unchanged("from torchvision.io import encode_jpeg\nx = encode_jpeg(y.cpu())\n"),
        Example("from tensordict.nn import CudaGraphModule\nm = CudaGraphModule(f)\n"),
        Example.unchanged("from vllm import LLM\nm = LLM(p, quantization='ascend')\n"),
        Example.unchanged("from torchvision.io import decode_jpeg\nx = decode_jpeg(d, device='cpu')\n"),
        Example.unchanged(_LOAD + "attn_implementation='sdpa', load_in_8bit=False)\n"),
        Example.unchanged(_TRAIN + "'adamw_torch')\n"),
        Example.unchanged(
            "run(optim='adamw_8bit', load_in_8bit=True, use_vllm=True)\nx = get_kernel('gauss')\n"
        ),
        Example.unchanged(
            "import timm.data\nfrom timm.utils import NativeScaler\nscaler = NativeScaler(device=d)\n"
            "timm.data.create_loader(s, 4, use_prefetcher=False)\n"
        ),
        Example.unchanged("from stable_baselines3 import PPO\nmodel = PPO('MlpPolicy', env, device=d)\n"),
        Example.unchanged("import torchaudio\nw, rate = torchaudio.load(path)\n"),
    )

    @on.keyword(*library_settings())
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        given = _default_of(ref.value, ctx)
        value = plain_text(given) or text_of(given)
        for row in library_settings()[ref.name]:
            if not _concerns(row, ref, value, ctx):
                continue
            yield self._reported(row, ref.node, self._fix(row, ref, ctx), ctx)
            return

    @on.string("flash_attention_")
    def kept(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        """The same of a text that is a default, an entry or a variable, and comes to the library later."""
        if ref.prefix or not _is_kept(ref.node) or not _may_use(ctx, "transformers"):
            return
        row = next(
            (row for row in library_settings()[_ATTENTION] if row.value.fullmatch(ref.text) is not None), None
        )
        if row is None or (row.package and is_written_for(ctx, row.package, row.since)):
            return
        fix = self.fix(Applicability.UNSAFE, edits=[replace(ref.node, ctx.quoted(row.becomes, ref.node))])
        yield self._reported(row, ref.node, fix, ctx)

    def _report_first(self, rows: list[Row], ref: NameRef | ImportRef, ctx: Context) -> Iterator[Finding]:
        """What a row says of an operation of the device is nothing where it computes on the CPU."""
        if isinstance(ref, NameRef) and ref.call is not None and rows[0].key == _FEATURES:
            given = [item.value for item in ref.arguments.positional[:1]]
            if computes_on_cpu(ref.call, given, ctx):
                return
        yield from super()._report_first(rows, ref, ctx)

    @on.name(*host_tensors())
    def on_device(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A tensor of the device is given to a function that takes those of the CPU and of CUDA."""
        position, parameter = host_tensors()[ref.name]
        given = ref.arguments.get(parameter, position) if ref.call is not None else None
        value = without_parentheses(given.value) if given is not None else None
        for tensor in _tensors(value) if value is not None else ():
            if last_residence_of(tensor, ctx) is Residence.DEVICE:
                edit = Edit(tensor.end_byte, tensor.end_byte, ".cpu()")
                fix = self.fix(Applicability.SAFE, edits=[edit]) if tensor.type in _ATOMS else None
                yield self.report(tensor, "host_tensor", Severity.ERROR, fix=fix, api=ref.name)

    def _reported(self, row: LibrarySetting, asked: Node, fix: Fix | None, ctx: Context) -> Finding:
        is_older = bool(row.package) and is_kept_below(ctx, row.package, row.since)
        severity = Severity.ERROR if is_older else row.severity
        since = ".".join(map(str, row.since))
        return self.report(asked, row.id, severity, fix=fix, asked=text_of(asked), since=since)

    def _fix(self, row: LibrarySetting, ref: KeywordRef, ctx: Context) -> Fix | None:
        if not row.becomes or ref.value.type == "identifier":
            return None
        keyword, equals, value = row.becomes.rpartition("=")
        written = ctx.quoted(value, ref.value)
        node, text = (ref.node, f"{keyword}={written}") if equals else (ref.value, written)
        return self.fix(Applicability.UNSAFE, edits=[replace(node, text)])


def _is_kept(text: Node) -> bool:
    """Whether a text is a value that is kept or handed on under a name, and no argument of a library."""
    holder = parent_of(text)
    while holder is not None and holder.type in ("conditional_expression", "parenthesized_expression"):
        text, holder = holder, parent_of(holder)
    if holder is None:
        return False
    if holder.type == "keyword_argument":
        return text_of(field(holder, "name")) == "default"
    return holder.type in _KEEPING and not is_field(text, "key") and not is_field(text, "left")


def _may_use(ctx: Context, library: str) -> bool:
    return ctx.imports_module(library) or ctx.project.may_import(library)


def _default_of(value: Node, ctx: Context) -> Node:
    """The default of a parameter that is handed on, but a text, which is told itself; else the value."""
    bound = ctx.source.names.bindings_in_scope(text_of(value), value) if value.type == "identifier" else ()
    defaults = [item.value for item in bound if item.kind is BindingKind.PARAMETER and item.value is not None]
    is_known = len(defaults) == len(bound) == 1 and defaults[0].type != "string"
    return defaults[0] if is_known else value


def _concerns(row: LibrarySetting, ref: KeywordRef, value: str, ctx: Context) -> bool:
    """Whether a call asks a library for what a row is about, in a release that may lack it."""
    name = (ref.callee_name or last_name(ref.call)).rpartition(".")[2]
    if row.value.fullmatch(value) is None:
        return False
    is_of_library = name == _BASE or row.callee.fullmatch(name) is not None
    is_asked = is_of_library and any(map(ctx.imports_module, row.imports))
    if not is_asked and not _hands_on(row, ref, ctx):
        return False
    return not row.package or not is_written_for(ctx, row.package, row.since)


def _hands_on(row: LibrarySetting, ref: KeywordRef, ctx: Context) -> bool:
    """Whether a function of another module of the project is called, which gives the library the same."""
    module = (ref.callee_name or "").rpartition(".")[0]
    found = ctx.project.find_module(ctx.source.path, module) if module else None
    handed = f"{ref.name}={ref.name}"
    return found is not None and handed in found[1] and any(name in found[1] for name in row.imports)


def _tensors(value: Node) -> Iterator[Node]:
    """A tensor, or those of a list that is written out."""
    yield from parts_of(value) if value.type in ("list", "tuple") else (value,)
