"""NPU004: APIs of early releases that are replaced by equivalents when the option asks for it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.registry import has_specific_rule
from ...engine.rule import Example, Rule, on
from ...facts import SupportStatus
from ...model.finding import Finding, Fix, Severity
from ...receivers.listed_members import is_on_tensor
from ...similar.replacements import is_kept_for_scripting, method_fix, replacement_fix, replacements

_METHOD = "torch.Tensor.repeat_interleave"
_ON = (("replace_unsupported", True),)
_CONVERT = "convert_sync_batchnorm"


class SimilarApi(Rule):
    """An API is used that needs an equivalent in early releases.

    What it does: With ``--similar``, and only for PyTorch 1.5.0 and 1.8.1, replaces Conv3d, ``pad``,
    ReflectionPad2d, ReplicationPad2d, SyncBatchNorm and ``repeat_interleave`` with their equivalents in
    ``ascend_function``. Without the option it finds nothing. In later releases these APIs work, or the
    support list marks them as unsupported, and NPU001 offers the equivalent. In code that TorchScript
    compiles the API is not replaced, and the finding says why.

    Why it matters on the NPU: These releases implement the operators only partly: some modes, dimensions or
    dilations are missing, although the support list has the names. The equivalents compute the same results
    and gradients with operators that exist.

    Example: ``nn.ReflectionPad2d(3)`` becomes ``similar_api.ReflectionPad2d(3)``.

    Use instead: the API itself from PyTorch 1.11.0 on.
    """

    code = "NPU004"
    only_with = "torch"
    only_with_option = "replace_unsupported"
    examples = (
        Example(
            "import torch.nn as nn\nlayers = [nn.ReflectionPad2d(3), nn.Conv3d(1, 1, 3, dilation=2)]\n",
            "import torch.nn as nn\nfrom ascend_function import similar_api\n"
            "layers = [similar_api.ReflectionPad2d(3), similar_api.Conv3d(1, 1, 3, dilation=2)]\n",
            version="1.8.1",
            settings=_ON,
        ),
        Example(
            "import torch\nx = torch.ones(2)\ny = x.repeat_interleave(2, dim=0)\n",
            "import torch\nfrom ascend_function import similar_api\nx = torch.ones(2)\n"
            "y = similar_api.repeat_interleave(x, 2, dim=0)\n",
            version="1.5.0",
            settings=_ON,
        ),
        Example(
            "import torch\nm = torch.nn.SyncBatchNorm.convert_sync_batchnorm(m)\n",
            "import torch\nfrom ascend_function import similar_api\n"
            "m = similar_api.SyncBatchNorm.convert_sync_batchnorm(m)\n",
            version="1.5.0",
            settings=_ON,
        ),
        Example(
            "import torch\n@torch.jit.script\ndef f(x):\n    return torch.nn.functional.pad(x, (1, 1))\n",
            version="1.8.1",
            settings=_ON,
        ),
        Example.unchanged("import torch.nn.functional as F\ny = F.pad(x, (1, 1))\n", version="1.8.1"),
        Example.unchanged("import torch.nn.functional as F\ny = F.pad(x, (1, 1))\n"),
        Example.unchanged("import torch\nx = f()\ny = x.repeat_interleave(2)\n", version="1.8.1"),
    )

    @on.name(*(api for api in replacements() if api.startswith("torch.")))
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if not ctx.options.replace_unsupported or has_specific_rule(ref.name):
            return
        is_method_of_the_class = ref.rest[:1] == (_CONVERT,)
        if is_method_of_the_class or ctx.facts.status(ref.name) is SupportStatus.UNSUPPORTED:
            return
        yield from self._found_at(ref.name, ref.node, replacement_fix(ref.name, ref.node, ctx), ctx)

    @on.member("repeat_interleave")
    def method(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if not ctx.options.replace_unsupported or ref.call is None or not is_on_tensor(ref, ctx):
            return
        yield from self._found_at(_METHOD, ref.node, method_fix(_METHOD, ref.receiver, ref.call, ctx), ctx)

    def _found_at(self, api: str, node: Node, fix: Fix | None, ctx: Context) -> Iterator[Finding]:
        if fix is not None:
            yield self.report(node, "partly", Severity.WARNING, fix=fix, api=api)
        elif is_kept_for_scripting(api, node, ctx):
            yield self.report(node, "scripted", Severity.WARNING, api=api)
