"""NPU704: trainers of Lightning that run on GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, NameRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role
from ...flow.subjects.accelerators import (
    LIGHTNING,
    TRAINERS,
    accelerator_role,
    asks_for_gpus,
    gpus_entry,
    is_accelerator,
    is_gpus_of_trainer,
    is_of_own_trainer,
    place_of_accelerator,
    takes_first,
)
from ...flow.templates import plain_text
from ...model.finding import Finding, Severity
from ...text.syntax import arguments_of, enclosing, last_name, text_of

_CLI = (
    "lightning.pytorch.cli.LightningCLI",
    "pytorch_lightning.cli.LightningCLI",
    "pytorch_lightning.utilities.cli.LightningCLI",
)
_CHOSEN_BY = frozenset({"gpus", "tpu_cores", "ipus", "hpus"})
"""Arguments of old trainers that chose the accelerator before it had one of its own."""
_PARSED = (b"from_argparse_args", b"add_argparse_args", b"**vars(")
"""What shows that options of the command line reach a trainer."""


class AcceleratorName(Rule):
    """A trainer of Lightning runs on GPUs.

    What it does: Reports ``accelerator='gpu'`` (or 'cuda') and ``gpus=`` of a Lightning trainer: in its call,
    in a dictionary that the call unpacks, through variables, parameters and conditional expressions, and as
    the default of an option. It also reports a trainer that takes all of this from the command line
    (``from_argparse_args``, ``LightningCLI``), and one that is told none, or 'auto', and chooses itself. If
    only the name ``accelerator`` shows what a string means, the finding asks you to check it.

    Why it matters on the NPU: Lightning has no accelerator for Ascend, so neither 'gpu' nor 'npu' works: the
    trainer raises, or trains on the CPU.

    Example: ``Trainer(accelerator='gpu', devices=8)``.

    Use instead: a plug-in that registers an NPU accelerator with Lightning, or run-time patching with
    ``torch_npu.contrib.transfer_to_npu``, which must not be combined with migrated code.
    """

    code = "NPU704"
    name = "lightning-accelerator"
    only_importing = frozenset({"lightning", "lightning_fabric", "pytorch_lightning"})
    examples = (
        Example("from pytorch_lightning import Trainer\nTrainer(accelerator='gpu', devices=2)\n"),
        Example("import lightning as L\nL.Trainer(gpus=2)\n"),
        Example("import lightning as L\nkw = {'accelerator': 'gpu', 'devices': 2}\nL.Trainer(**kw)\n"),
        Example("import lightning as L\nkw = dict(gpus=2)\nt = L.Trainer(**kw)\n"),
        Example("import pytorch_lightning as pl\nt = pl.Trainer.from_argparse_args(args)\n"),
        Example(
            "import torch\nimport lightning as L\nkind = 'gpu' if torch.cuda.is_available() else 'cpu'\n"
            "L.Trainer(accelerator=kind)\n"
        ),
        Example(
            "from pytorch_lightning import Trainer\np.add_argument('--acc', default='gpu')\n"
            "args = p.parse_args()\nTrainer(accelerator=args.acc)\n"
        ),
        Example("import torch\nconfig['accelerator'] = 'gpu'\ntrain(config)\n"),
        Example(
            "from pytorch_lightning.lite import LightningLite\nclass Base(LightningLite):\n    pass\n"
            "class Lite(Base):\n    pass\nLite(devices=8, accelerator='gpu').run()\n"
        ),
        Example.unchanged("from accelerate import Accelerator\nAccelerator()\nrun(accelerator='gpu')\n"),
        Example.unchanged("from pytorch_lightning import Trainer\nTrainer(accelerator='cpu')\n"),
        Example("import lightning as L\nL.Trainer(devices=8, strategy='ddp')\n"),
        Example("import lightning as L\nL.Fabric('auto', devices=8)\n"),
        Example("from lightning.pytorch.cli import LightningCLI\nLightningCLI(Model, Data)\n"),
        Example.unchanged("import lightning as L\nL.Trainer(**given)\nL.Trainer(accelerator=mine)\n"),
        Example.unchanged("import lightning as L\nkind = 'gpu'\nprint(kind)\nL.Trainer(accelerator='cpu')\n"),
        Example.unchanged("import tensorflow as tf\naccelerator = 'gpu'\n"),
    )

    @on.string("gpu", "cuda")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if not is_accelerator(ref.text):
            return
        role = accelerator_role(ref.node, ctx).role
        whole = place_of_accelerator(ref.node)
        if role is Role.CONSUMED or (role is Role.NAMED and is_of_own_trainer(whole, ctx)):
            yield self.report(whole, "lightning", Severity.ERROR, value=text_of(whole))
        elif role is Role.NAMED and _is_default(ref.node) and _takes_arguments(ctx):
            yield self.report(whole, "default", Severity.ERROR, value=text_of(whole))
        elif role is Role.NAMED and ref.text == "gpu" and _may_reach_trainer(whole, ctx):
            yield self.report(whole, "named", Severity.INFORMATION, value=text_of(whole))

    @on.keyword("gpus")
    def given(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        if is_gpus_of_trainer(ref, ctx):
            yield self.report(ref.node, "lightning", Severity.ERROR, value=text_of(ref.node))
        elif asks_for_gpus(ref.value) and last_name(ref.call) == "set_defaults" and _takes_arguments(ctx):
            yield self.report(ref.node, "default", Severity.ERROR, value=text_of(ref.node))

    @on.string("gpus")
    def named(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        if ref.text.lstrip("-") != "gpus":
            return
        whole = gpus_entry(ref.node, ctx)
        if whole is not None:
            yield self.report(whole, "lightning", Severity.ERROR, value=text_of(whole))
        elif ref.text.startswith("-"):
            yield from self._default(ref.node, ctx)

    @on.name(*sorted(TRAINERS))
    def chosen(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """A trainer that chooses the accelerator itself."""
        given = ref.arguments
        if ref.call is None or given.unpacked or any(given.keyword(name) is not None for name in _CHOSEN_BY):
            return
        asked = given.keyword("accelerator") or (given.at(0) if takes_first(ref.name) else None)
        strategy = given.keyword("strategy")
        is_in_strategy = strategy is not None and b"accelerator" in (strategy.value.text or b"")
        if asked is None and not is_in_strategy:
            yield self.report(ref.node, "auto", Severity.ERROR, callee=text_of(ref.node))
        elif asked is not None and plain_text(asked.value) == "auto":
            yield self.report(asked.value, "auto", Severity.ERROR, callee=text_of(ref.node))

    @on.name(*_CLI)
    def from_command_line(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and "accelerator" not in text_of(ref.call):
            yield self.report(ref.node, "from_arguments", Severity.ERROR)

    @on.member("from_argparse_args")
    def from_arguments(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        given = {item.keyword for item in ref.arguments.items}
        is_trainer = (ref.receiver_name or "").startswith(LIGHTNING)
        if is_trainer and ref.call is not None and not given & {"accelerator", "gpus"}:
            yield self.report(ref.node, "from_arguments", Severity.ERROR)

    def _default(self, option: Node, ctx: Context) -> Iterator[Finding]:
        """What there is to say of an option whose default reaches a trainer."""
        call = enclosing(option, "call")
        if call is None or last_name(call) != "add_argument" or not _takes_arguments(ctx):
            return
        default = arguments_of(call).keyword("default")
        if default is not None and asks_for_gpus(default.value):
            yield self.report(default.node, "default", Severity.ERROR, value=text_of(default.value))


def _is_default(string: Node) -> bool:
    """Whether a text is the default of an option, or a preset of one."""
    call = enclosing(string, "call")
    return call is not None and last_name(call) in ("add_argument", "set_defaults")


def _may_reach_trainer(whole: Node, ctx: Context) -> bool:
    """Whether another file may give a trainer what this one calls an accelerator: it is kept by that name,
    and not handed to what is no trainer."""
    if whole.type == "pair" or (whole.type == "keyword_argument" and not _is_default(whole)):
        return False
    imports = ctx.source.names.imports
    return any(f"{item.target}.".startswith(("torch.", *LIGHTNING)) for item in imports)


def _takes_arguments(ctx: Context) -> bool:
    return any(word in ctx.source.data for word in _PARSED)
