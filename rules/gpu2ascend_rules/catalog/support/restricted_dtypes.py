"""NPU005: operators that do not take the dtype of the tensor that they are given."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...facts.dtype_limits import dtypes_not_taken
from ...limits.parents import parent_of
from ...limits.walks import WALK_LIMITS
from ...model.finding import Finding, Severity
from ...receivers.residence import computes_on_cpu
from ...text.syntax import call_of, field, is_field, last_name, outside_parentheses, passed_to, text_of

_DTYPES = {
    "torch.float64": "float64", "torch.double": "float64", "torch.complex64": "complex64",
    "torch.cfloat": "complex64", "torch.complex128": "complex128", "torch.cdouble": "complex128",
}  # fmt: skip
_METHODS = {"double": "float64", "cfloat": "complex64", "cdouble": "complex128"}
_KEEP_DTYPE = frozenset(
    {
        "cuda", "npu", "contiguous", "clone", "detach", "view", "reshape", "flatten", "squeeze", "unsqueeze",
        "permute", "transpose", "t", "requires_grad_",
    }
)  # fmt: skip
"""Methods that pass a tensor on with its dtype and are not worth a finding."""
_OPERANDS = frozenset({"input", "self", "other", "mat1", "mat2", "batch1", "batch2"})
_DOUBLES_ON_DEVICE = "torch.cuda.DoubleTensor"


class RestrictedDtype(Rule):
    """An operator does not support the tensor's dtype.

    What it does: Follows a tensor that is evidently double precision or complex, from its conversion or
    creation to the operator that receives it, and looks up the dtype in the support lists. It is reported
    only if no list of any version names the dtype. Tensors that are evidently on the CPU are not reported.

    Why it matters on the NPU: The operator raises, or runs on the CPU.

    Example: ``torch.matmul(x.double(), y)``.

    Use instead: float32, or the CPU if the precision matters; two real tensors for a complex one.
    """

    code = "NPU005"
    only_with = "torch"
    examples = (
        Example("import torch\ny = torch.matmul(x.double(), w)\n"),
        Example("import torch\nx = torch.zeros(2, 2, dtype=torch.float64)\ny = x.cuda().matmul(x)\n"),
        Example("import torch\nfrom torch import complex64 as c\ny = torch.bmm(x.to(c), z)\n"),
        Example.unchanged("import torch\ny = torch.matmul(x, w)\nz = torch.matmul(x.double().float(), w)\n"),
        Example.unchanged("import torch\ny = torch.matmul(x.cpu().double(), w)\n"),
        Example.unchanged(
            "import torch\nhost = torch.device('cpu')\ny = torch.matmul(x.to(host).double(), w)\n"
        ),
        Example.unchanged("import torch\ny = torch.add(x.double(), 1)\n"),
    )

    @on.member(*_METHODS)
    def converted(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        if ref.call is not None and ref.receiver_name is None:
            yield from self._consumers(ref.call, _METHODS[ref.name], ctx)

    @on.name(_DOUBLES_ON_DEVICE)
    def made(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node)
        if ref.call is not None:
            yield from self._consumers(ref.call, "float64", ctx)
        elif passed is not None and last_name(passed.call) == "type":
            yield from self._consumers(passed.call, "float64", ctx)

    @on.name(*_DTYPES)
    def named(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        passed = passed_to(ref.node) if not ref.rest else None
        if passed is None:
            return
        is_conversion = last_name(passed.call) in ("to", "type", "astype")
        if passed.argument.keyword == "dtype" or (is_conversion and passed.argument.position is not None):
            yield from self._consumers(passed.call, _DTYPES[ref.name], ctx)

    def _consumers(self, value: Node, dtype: str, ctx: Context) -> Iterator[Finding]:
        """What the value is given to: by a method, as an argument, by way of the one name that it has."""
        value = _passed_along(value)
        yield from self._consumer(value, dtype, ctx)
        for use in _uses(value, ctx):
            yield from self._consumer(_passed_along(use), dtype, ctx)

    def _consumer(self, value: Node, dtype: str, ctx: Context) -> Iterator[Finding]:
        found = _method_on(value) or _product_of(value) or _function_of(value, ctx)
        if found is None or computes_on_cpu(value, (value,), ctx):
            return
        api, node = found
        if dtype in dtypes_not_taken(api, ctx.facts):
            yield self.report(
                node,
                "dtype",
                Severity.INFORMATION,
                api=api,
                dtype=dtype,
                version=ctx.version,
                hardware=ctx.options.hardware.shown,
            )


def _passed_along(value: Node) -> Node:
    """The end of a chain of methods that keep the dtype: ``x.double().cuda().view(-1)``."""
    for _ in range(WALK_LIMITS.depth):
        method = _method_on(value)
        call = call_of(method[1]) if method is not None else None
        if method is None or call is None or method[0].rpartition(".")[2] not in _KEEP_DTYPE:
            return value
        value = call
    return value


def _method_on(value: Node) -> tuple[str, Node] | None:
    """The method that is called on a value, and the attribute that names it."""
    outer = outside_parentheses(value)
    parent = parent_of(outer)
    if parent is None or parent.type != "attribute" or not is_field(outer, "object"):
        return None
    name = field(parent, "attribute")
    if name is None or call_of(parent) is None:
        return None
    return f"torch.Tensor.{text_of(name)}", parent


def _product_of(value: Node) -> tuple[str, Node] | None:
    """The matrix product ``x @ y`` that a value is an operand of."""
    parent = parent_of(outside_parentheses(value))
    if parent is None or parent.type != "binary_operator":
        return None
    operator = field(parent, "operator")
    return ("torch.matmul", parent) if operator is not None and operator.type == "@" else None


def _function_of(value: Node, ctx: Context) -> tuple[str, Node] | None:
    """The function of PyTorch whose first or second operand a value is."""
    passed = passed_to(value)
    if passed is None or passed.argument.value != value:
        return None
    if passed.argument.position not in (0, 1) and passed.argument.keyword not in _OPERANDS:
        return None
    function = field(passed.call, "function")
    name = ctx.source.names.name_of(function)
    return (name, function) if name and function is not None else None


def _uses(value: Node, ctx: Context) -> Iterator[Node]:
    """Where a name is read that has this value and never another one."""
    statement = parent_of(outside_parentheses(value))
    if statement is None or statement.type != "assignment":
        return
    target = field(statement, "left")
    if target is None or target.type != "identifier" or field(statement, "right") != value:
        return
    names, name = ctx.source.names, text_of(target)
    bindings = names.bindings_in_scope(name, target)
    if len(bindings) == 1:
        yield from (
            node for node in names.references(name) if names.bindings_in_scope(name, node) == bindings
        )
