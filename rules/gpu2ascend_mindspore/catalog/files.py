"""MS001 and MS002: a file that can be converted to MindSpore, and what prevents it."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.events import ImportRef, MemberRef
from gpu2ascend_rules.engine.rule import Example, Rule, on
from gpu2ascend_rules.model.finding import Applicability, Finding, Message, Severity
from gpu2ascend_rules.model.outcome import ApiKind, ApiUse
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

from ..conversion.conversion import Conversion
from ..conversion.use import Reason, Use
from ..helpers import MINDSPORE

_IMPORTED = ("torch", "torch.**", "torchvision", "torchvision.**", "einops", "einops.**")
_OF_MODULES = (
    "forward", "train", "parameters", "named_parameters", "state_dict", "load_state_dict", "zero_grad",
    "backward", "cuda", "register_buffer", "requires_grad_",
)  # fmt: skip
"""Methods of torch's modules and tensors that a cell does not have, or that mean something else there."""


class ConvertFile(Rule):
    """A file of PyTorch can be converted to MindSpore.

    What it does: Converts a PyTorch file to MindSpore if everything in it has a counterpart: modules, layers,
    functions, tensor methods, optimizers and the training step. Defaults that differ are written explicitly.
    Methods are converted only if it is proven that they are called on a tensor.

    Why it matters on the NPU: MindSpore runs on the NPU without PyTorch. A file that uses both would not run,
    so a file is either converted as a whole or left unchanged.

    Example: ``nn.Conv2d(3, 8, 3)`` becomes ``nn.Conv2d(3, 8, 3, pad_mode='pad', has_bias=True)``.

    Use instead: the usual target for NPUs is torch_npu, which keeps PyTorch; this target is a preview.
    """

    code = "MS001"
    example_settings = (("target", "mindspore"),)
    examples = (
        Example(
            "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.conv = nn.Conv2d(3, 8, 3)\n\n"
            "    def forward(self, x):\n        return torch.flatten(self.conv(x), 1)\n",
            "from mindspore import nn\n\n\nclass Net(nn.Cell):\n    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.conv = nn.Conv2d(3, 8, 3, pad_mode='pad', has_bias=True)\n\n"
            "    def construct(self, x):\n        return self.conv(x).flatten(start_dim=1)\n",
        ),
        Example(
            "import torch\n\nx = torch.zeros(3)\nprint(torch.std(x))\n",
            "from mindspore import ops\n\nx = ops.zeros(3)\nprint(ops.std(x, ddof=1))\n",
        ),
        Example(
            "from torchvision import transforms\n\nchange = transforms.ToTensor()\n",
            "from x2ms_helpers import like_torch\n\nchange = like_torch.ToTensor()\n",
        ),
        Example("import torch\n\nx = torch.zeros(3)\ny = torch.svd(x)\n"),
        Example(
            "import torch\n\n\ndef spread(x):\n    return (x.exp() * torch.ones(1)).sum() / x.std()\n",
            "from mindspore import ops\n\n\ndef spread(x):\n"
            "    return (x.exp() * ops.ones(1)).sum() / x.std(ddof=1)\n",
        ),
        Example.unchanged("import numpy as np\n\nx = np.zeros(3)\n"),
    )

    @on.imports(*_IMPORTED)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        conversion = ctx.shared(Conversion)
        if ref.statement.start_byte != conversion.first_import:
            return
        blockers = conversion.blockers
        if blockers:
            yield self.report(ref.statement, "left", Severity.ERROR, count=len(blockers))
            return
        title = Message.of("MS001.fix")
        fix = self.fix(Applicability.SAFE, edits=conversion.edits, title=title)
        fix = fix._replace(plan=fix.plan._replace(equivalents=conversion.parts))
        yield self.report(ref.statement, "converted", Severity.WARNING, fix=fix, count=len(conversion.uses))

    def api_uses(self, context: Context) -> Iterator[ApiUse]:
        """Each use, and that nothing was converted where the file as a whole was not."""
        conversion = context.shared(Conversion)
        is_left = bool(conversion.blockers)
        lines = context.source.lines
        for use in conversion.uses:
            if use.reason is None and (use.start, use.end) not in conversion.imports:
                first, last = lines.line_of(use.start) + 1, lines.line_of(max(use.start, use.end - 1)) + 1
                yield ApiUse(use.api, first, last, _kind(use), self._tip(use, is_left=is_left))

    def _tip(self, use: Use, *, is_left: bool) -> Message | None:
        unproven = "use_ascend" if "mint" in use.needs and not use.is_structural else "use_unverified"
        key = "use_left" if is_left else unproven if not use.is_verified else ""
        return self.message(key) if key else None


def _kind(use: Use) -> ApiKind:
    if use.is_deleted:
        return ApiKind.DELETED
    return ApiKind.CUSTOM_SUPPORTED if use.is_structural else ApiKind.SUPPORTED


_TRAINING = (
    "import torch\n\nnet, other = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)\n"
    "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in data:\n"
)
_STEPS = (
    "    loss = torch.zeros(3).sum()\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n",
    "    loss = net(x)\n    optimizer.zero_grad()\n    loss.backward(x)\n    optimizer.step()\n",
    "    loss = net(x).sum()\n    loss.backward()\n    optimizer.step()\n",
    "    loss = net(x).sum()\n    with region:\n        loss = loss * 2\n    optimizer.zero_grad()\n"
    "    loss.backward()\n    optimizer.step()\n",
    "    loss = net(x).sum()\n    optimizer.zero_grad()\n    loss.backward()\n"
    "    for p in net.parameters():\n        p.grad[0] = 1\n    optimizer.step()\n",
    "    loss = net(x).sum()\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    "    wrong = other(net(x)).sum()\n    second.zero_grad()\n    wrong.backward()\n    second.step()\n",
    "    second = torch.optim.SGD(other.parameters(), lr=0.1)\n    made = net(x) * 2\n"
    "    loss = other(made.detach()).sum()\n    second.zero_grad()\n    loss.backward()\n    second.step()\n"
    "    fooled = other(made).sum()\n    optimizer.zero_grad()\n    fooled.backward()\n"
    "    optimizer.step()\n",
)
"""Steps of forms that are not converted: the rest of a program around each is the same."""


class NoCounterpart(Rule):
    """Code has no counterpart in MindSpore.

    What it does: Reports each place that prevents a file from being converted, with the reason.

    Why it matters on the NPU: Without a verified counterpart the code would fail, or train differently
    without an error.

    Example: ``torch.svd(x)`` returns its results in another order in MindSpore, so it is not converted.

    Use instead: rewrite the code by hand, or migrate to torch_npu, which runs it unchanged.
    """

    code = "MS002"
    example_settings = (("target", "mindspore"),)
    examples = (
        Example("import torch\n\nx = torch.zeros(3)\ny = torch.svd(x)\n"),
        Example("import torch\n\ny = torch.cat([a, b], out=c)\n"),
        Example("import torch\n\ny = torch.cat(*parts)\n"),
        Example("import torch\n\nlayer = torch.nn.Conv3d\n"),
        Example("import torch\n\nx = load()\ny = x.std()\n"),
        Example("import torch\nimport torchvision\n\nnet = torchvision.models.resnet18()\n"),
        Example("import torch\nfrom torchvision import transforms\n\nchange = transforms.RandomErasing()\n"),
        Example("import torch\n\ny = torch.cat([a, b],  # both\n              out=None)\n"),
        Example("import torch\n\nms = 3\ny = torch.zeros(3, dtype=torch.long)\n"),
        Example("import torch\n\nnet = torch.nn.Linear(3, 2)\ntorch.save(net, 'net.pt')\n"),
        Example("import torch\n\nloss = torch.zeros(3).sum()\nloss.backward()\n"),
        *(Example(_TRAINING + text) for text in _STEPS),
        Example(
            "import torch\n\nif smooth:\n    from torch import tanh as act\nelse:\n"
            "    from torch import relu as act\ny = act(x)\n"
        ),
        Example(
            "import torch\nfrom base import Base\n\nclass Net(Base):\n    def forward(self, x):\n"
            "        return torch.relu(x)\n"
        ),
        Example("import torch\n\nregion = torch.no_grad()\nx = torch.zeros(3)\n"),
        Example("if True:\n    import torch\n"),
        Example("import torch\n\ntorch.cuda.set_device('cuda:1')\n"),
        Example("import torch\nimport torch.distributed as dist\n\ndist.barrier()\n"),
        Example("import torch\n\nx = torch.zeros(3)\ny = x\ny += 1\n"),
        Example(
            "import torch\nimport torch.nn.functional as F\n\ndef step(model, x, y, optimizer):\n"
            "    optimizer.zero_grad()\n    loss = F.mse_loss(model(x), y)\n    loss.backward()\n"
            "    optimizer.step()\n"
        ),
        Example(
            "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
            "        self.last = x\n        return torch.relu(x)\n",
            settings=(("graph", True),),
        ),
        Example("import torch\n\nx = torch.zeros(3)\ny = torch.lobpcg(x)\n"),
        Example(
            "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n        self.one = nn.Linear(3, 3)\n\n"
            "    def forward(self, x, task):\n"
            "        return self.one(x) if task == 1 else x\n",
            settings=(("graph", True),),
        ),
        Example("import torch\n\nx = torch.zeros(3, requires_grad=True)\n"),
        Example("import torch\n\nx = torch.zeros(3, requires_grad=True)\nx.sum().backward()\n"),
        Example(
            "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
            "        super().__init__()\n        self.body = nn.BatchNorm1d(2)\n\n"
            "    def train(self, mode=True):\n        super().train(mode)\n        self.body.eval()\n"
        ),
        Example("import torch\n\nx = torch.zeros(3, 2)\nx.view(-1)[x.view(-1) > 1] = 0\n"),
        Example("from torch import nn\n\nnorm = nn.BatchNorm1d(3)\nnorm.momentum = 0.01\n"),
        Example.unchanged("import torch\n\nx = torch.zeros(3)\n"),
    )

    @on.imports(*_IMPORTED)
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        conversion = ctx.shared(Conversion)
        if ref.statement.start_byte == conversion.first_import:
            for use in conversion.blockers:
                yield self._finding(use)

    @on.member(*_OF_MODULES)
    def called(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """In a file that does not import torch, and so is not converted, beside modules that are."""
        if ref.call is None or ctx.imports_module("torch") or text_of(ref.receiver) == MINDSPORE.module:
            return
        module = ctx.once("a module of the project that imports torch", lambda: _module_with_torch(ctx))
        if module:
            name = text_of(ref.identifier)
            yield self.report(ref.identifier, "called", Severity.ERROR, api=name, module=module)

    def _finding(self, use: Use) -> Finding:
        assert use.reason is not None
        message = self.message(use.reason.value.replace("-", "_"), api=use.api, detail=use.detail)
        if use.by_hand and use.reason is Reason.ARGUMENT:
            message = self.message("by_hand_argument", api=use.api, argument=use.detail, detail=use.by_hand)
        elif use.by_hand:
            message = self.message("by_hand", api=use.api, detail=use.by_hand)
        return Finding(self.code, use.start, use.end, message, Severity.ERROR, None, use.api, "unsupported")


def _module_with_torch(ctx: Context) -> str:
    """The first module of the project that a file imports and that imports torch; empty without one."""
    path = ctx.source.path
    for binding in ctx.source.names.imports:
        for name in (binding.target, binding.target.rpartition(".")[0]):
            found = ctx.project.find_module(path, name) if name.strip(".") else None
            if found is None:
                continue
            module = SourceFile(found[1], found[0])
            if any(module.names.imports_of("torch")):
                return name.lstrip(".")
    return ""
