"""NPU709: operators of libraries, and of a project's own code, that have kernels for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...edits.removal import holds_comment
from ...engine.context import Context
from ...engine.events import ImportRef, NameRef
from ...engine.rule import Example, Rule, on, replace
from ...facts.packages.operator_texts import advice, is_available
from ...facts.packages.operators import Operator, libraries, operator_named, operator_of_extension, operators
from ...flow.guards.code_searches import Span
from ...flow.guards.fallbacks import has_fallback
from ...flow.guards.needing.needs import needs_of
from ...flow.guards.needing.own_code import is_of_extension
from ...flow.guards.ways import Way, way_of_use
from ...flow.templates import plain_text
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Fix, Requirement, Rewrite, Severity
from ...renames.qualified_names import changes_with_import, name_becomes
from ...text.syntax import call_of, field, is_field, parts_of, text_of
from .operator_calls import added_keywords, given_to, written

_LOADERS = ("mmcv.utils.ext_loader.load_ext", "mmcv.utils.load_ext")
_PARALLEL = tuple(f"{row.libraries[0]}.{row.names[0]}" for row in operators() if row.is_of_same_library)
_OF_PROJECTS = tuple(
    dict.fromkeys(
        name.partition(".")[0]
        for row in operators()
        if not row.libraries or row.libraries == ("spconv",)
        for name in row.names
    )
)
"""What projects define themselves, or hand on from a library, and other files of theirs import."""
_CHOICES = ("conditional_expression", "parenthesized_expression", "boolean_operator")
_GIVEN = ("argument_list", "keyword_argument", "default_parameter")


class CudaOperator(Rule):
    """An operator is called that has kernels for CUDA.

    What it does: Looks up the calls of mmcv, spconv, torch_scatter, torch_cluster, pointnet2, flash-attn and
    others, and of functions of the project that run its own CUDA extensions, in a table of operators. It
    names the operator of mx_driving, torch_npu or torch that takes its place, with its parameters, what
    differs, its limits and the release that has it. Where the arguments are the same, or only change places,
    it offers the call. ``MMDataParallel`` and ``MMDistributedDataParallel`` become the classes of
    ``mmcv.device.npu``.

    Why it matters on the NPU: The library cannot be built for the NPU, or has no kernel for it, and the
    replacements often take their arguments in another order.

    Example: ``torch_scatter.scatter_mean(x, index, 0)``.

    Use instead: what the message names. It names nothing that has no release for the chosen PyTorch.
    """

    code = "NPU709"
    fails = frozenset({"parallel"})
    examples = (
        Example(
            "import torch\nimport torch_scatter\ny = torch_scatter.scatter_mean(x, index, dim=0)\n",
            unsafe="import torch\nimport mx_driving\nimport torch_scatter\n"
            "y = mx_driving.scatter_mean(x.float(), index.int(), None, 0)\n",
        ),
        Example("import torch_scatter\ny = torch_scatter.scatter_mean(x, index)\n"),
        Example("import torch_scatter\ny = torch_scatter.scatter_mean(x, index, 0)\n", version="2.9.0"),
        Example(
            "import torch\nimport spconv.pytorch as spconv\n"
            "c = spconv.SubMConv3d(16, 32, 3, indice_key='a')\n",
            unsafe="import torch\nimport mx_driving\nimport spconv.pytorch as spconv\n"
            "c = mx_driving.SubMConv3d(16, 32, 3, indice_key='a', mode='spconv')\n",
        ),
        Example("import spconv.pytorch as spconv\nc = spconv.SubMConv2d(16, 32, 3)\n"),
        Example(
            "import spconv.pytorch as spconv\nConv = spconv.SparseConv3d if wide else spconv.SubMConv3d\n"
        ),
        Example("from mmcv.ops import DeformConv2d\nc = DeformConv2d(64, 64, 3)\n"),
        Example(
            "from mmcv.parallel import MMDistributedDataParallel\n"
            "m = MMDistributedDataParallel(net, device_ids=[rank])\n",
            "from mmcv.device.npu import NPUDistributedDataParallel\n"
            "m = NPUDistributedDataParallel(net, device_ids=[rank])\n",
        ),
        Example(
            "from mmcv.parallel import (\n    MMDataParallel,  # one device\n    collate,\n)\n"
            "m = MMDataParallel(net)\ncollate(m)\n"
        ),
        Example("from mmcv.utils import ext_loader\next = ext_loader.load_ext('_ext', ['carafe_forward'])\n"),
        Example.unchanged("import torch\ny = torch.scatter(x, 0, index, src)\n"),
        Example("from plugin.ops.bev_pool_v2.bev_pool import bev_pool_v2\ny = bev_pool_v2(depth, feat)\n"),
        Example.unchanged("from .ops import voxelization\ny = voxelization(x)\n"),
        Example.unchanged("from mmcv.cnn import ConvModule\nc = ConvModule(1, 2, 3)\n"),
        Example.unchanged(
            "try:\n    import spconv.pytorch as spconv\nexcept ImportError:\n    spconv = None\n"
            "if spconv is not None:\n    c = spconv.SubMConv3d(1, 2, 3)\n"
        ),
    )

    @on.name(*(f"{library}.**" for library in sorted(libraries())))
    def of_library(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        operator = operator_named(ref.name)
        root = ref.name.partition(".")[0]
        if operator is None or operator.own_rule or operator.is_of_same_library or not _is_used(ref.node):
            return
        if ctx.project.has_module(ctx.source.path, root) or ctx.is_built(root):
            return
        way = way_of_use(ref.node, ref.chain.root, ctx)
        if way is Way.TAKEN:
            yield self._replaced(ref.node, ref.name, operator, ctx)
        elif way is Way.OPTIONAL and has_fallback(ref.node, ctx, by_default=True):
            text = advice(operator, ctx.facts)
            yield self.report(
                ref.node, "replaced", way.severity, api=ref.name, kind="cuda_op", advice=text
            )  # a switch of the project's leads there

    @on.last_name(*_OF_PROJECTS)
    def of_project(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """What the project defines, or hands on from a library, in another file."""
        node, name = _with_apply(ref)
        operator = operator_named(name)
        if operator is None or ref.binding is None or not _is_used(node):
            return
        root = ref.name.partition(".")[0]
        if root in libraries() and not ctx.project.has_module(ctx.source.path, root):
            return
        if is_of_extension(ref.binding, ctx):
            return  # NPU622 says it
        if way_of_use(node, ref.chain.root, ctx) is not Way.TAKEN:
            return
        if ctx.extension_names or needs_of(ctx).is_in(Span.of(node)):
            yield self._replaced(node, name, operator, ctx)
        elif name.endswith(".apply") or _has_module_of_its_own(
            ref
        ):  # the name is known, what it calls is not
            text = advice(operator, ctx.facts)
            yield self.report(node, "built", Severity.INFORMATION, api=name, kind="cuda_op", advice=text)

    @on.name(*_PARALLEL)
    def parallel(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        operator = operator_named(ref.name)
        if operator is None or changes_with_import(ref):
            return
        edits, _ = name_becomes(ref, operator.instead, ctx)
        needs = [Requirement("mmcv.device.npu")]
        fix = self.fix(Applicability.SAFE, edits=edits, requires=needs)
        yield self._renamed(ref.node, ref.name, operator, fix)

    @on.imports(*_PARALLEL)
    def parallel_imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        operator = operator_named(ref.name)
        if operator is None or ref.is_star:
            return
        renaming = name_becomes(ref, operator.instead, ctx)
        fix = self.fix(Applicability.SAFE, edits=renaming.edits) if renaming is not None else None
        yield self._renamed(ref.node, ref.name, operator, fix)

    @on.name(*_LOADERS)
    def loaded(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        """``load_ext('_ext', ['ms_deform_attn_forward'])``: functions of mmcv's extension by their names."""
        functions = ref.arguments.get("funcs", 1)
        if ref.call is None or functions is None:
            return
        seen: set[str] = set()
        for item in parts_of(functions.value):
            function = plain_text(item) or ""
            operator = operator_of_extension(function)
            if operator is not None and operator.source + operator.names[0] not in seen:
                seen.add(operator.source + operator.names[0])
                yield self._replaced(item, function, operator, ctx)

    def _renamed(self, node: Node, api: str, operator: Operator, fix: Fix | None) -> Finding:
        return self.report(node, "parallel", Severity.WARNING, fix=fix, api=api, target=operator.instead)

    def _replaced(self, node: Node, api: str, operator: Operator, ctx: Context) -> Finding:
        text = advice(operator, ctx.facts)
        if operator.built:
            return self.report(node, "built", Severity.INFORMATION, api=api, kind="cuda_op", advice=text)
        fix = self._fix(node, operator, ctx)
        return self.report(node, "replaced", Severity.ERROR, fix=fix, api=api, kind="cuda_op", advice=text)

    def _fix(self, node: Node, operator: Operator, ctx: Context) -> Fix | None:
        if not operator.target or not is_available(operator, ctx.facts):
            return None
        is_npu = operator.module == "torch_npu"
        requires = ctx.requires(operator.instead) if is_npu else [Requirement(operator.module)]
        spelled, call = ctx.spell(operator.instead), call_of(node)
        if operator.is_renamed:
            return self.fix(Applicability.UNSAFE, edits=[replace(node, spelled)], requires=requires)
        if call is None or given_to(call, operator.parameters) is None:
            return None
        added = added_keywords(call, operator.parameters, operator.target)
        if added is not None and operator.keeps_names:
            steps = (("callee", spelled), *(("set", keyword) for keyword in added))
            rewrite = Rewrite(call.start_byte, call.end_byte, steps)
            return self.fix(Applicability.UNSAFE, rewrites=[rewrite], requires=requires)
        text = written(call, operator.parameters, operator.target, operator.dropped)
        if text is None or holds_comment(call):
            return None
        edits = [replace(call, spelled + text.removeprefix(operator.instead))]
        return self.fix(Applicability.UNSAFE, edits=edits, requires=requires)


def _is_used(node: Node) -> bool:
    """Whether an operator is called, derived from, given to a call, or one of two that a name gets.

    The calls of a name that is given one operator are found themselves.
    """
    if call_of(node) is not None:
        return True
    value = node
    while (parent := parent_of(value)) is not None and parent.type in _CHOICES:
        value = parent
    is_chosen = value is not node and is_field(value, "right")
    return parent is not None and (parent.type in _GIVEN or is_chosen)


def _with_apply(ref: NameRef) -> tuple[Node, str]:
    """The use with ``.apply``, where it is one of a Function."""
    parent = parent_of(ref.node)
    if parent is not None and parent.type == "attribute" and not is_field(ref.node, "attribute"):
        attribute = field(parent, "attribute")
        if text_of(attribute) == "apply":
            return parent, f"{ref.name}.apply"
    return ref.node, ref.name


def _has_module_of_its_own(ref: NameRef) -> bool:
    """Whether a wrapper comes from a module or package of its own name, as those of CUDA kernels do."""
    module, _, last = ref.name.rpartition(".")
    return last in module.split(".")
