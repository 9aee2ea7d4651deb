"""NPU010: idioms that worked with earlier releases of PyTorch and its companions."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef, MemberRef, Outline
from ...engine.rule import Example, Rule, on, replace
from ...facts.packages.pairs import pair_of
from ...facts.releases.changes import change_of
from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...model.finding import Applicability, Finding, Severity
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, call_of, call_with, enclosing, field, is_field, text_of

_NEXT, _ITEM, _VERSION, _FLAT = map(change_of, ("next", "item", "version", "flat"))
_FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
_COPIES = frozenset({"cuda", "npu", "to", "type", "copy_"})
"""Methods of tensors that had an argument ``async`` until torch 0.4."""
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def may_compare_transposed(outline: Outline) -> bool:
    """Whether a file has what a comparison with a transposed tensor is made of; it need not import torch."""
    data = outline.source.data
    return b".eq(" in data and b".t()" in data


class ChangedIdiom(Rule):
    """An idiom of earlier releases is used that raises or decides wrongly now.

    What it does: Finds ``iter(loader).next()``, ``loss.data[0]``, versions that are compared as floats
    (``float(torchvision.__version__[:3]) < 0.7``) where the release that belongs to the chosen PyTorch is
    compared wrongly, ``correct[:k].view(-1)`` of a transposed comparison, ``x.cuda(async=True)``, and
    autograd functions with a ``forward`` that is not static, which are called or left to other files.

    Why it matters on the NPU: A port moves to newer releases: the first three raise or take the branch of an
    old release on every device, since ``'0.16.0'[:3]`` is 0.1.

    Example: ``images, labels = iter(loader).next()``.

    Use instead: ``next(iter(loader))``, ``loss.item()``, numbers of the version, static methods with
    ``apply``.
    """

    code = "NPU010"
    fails = frozenset({"next", "item", "version", "flat", "async", "static"})
    examples = (
        Example(
            "import torch\nx, y = iter(loader).next()\n", unsafe="import torch\nx, y = next(iter(loader))\n"
        ),
        Example(
            "from torch.utils.data import DataLoader\nit = iter(DataLoader(d))\nx = it.next()\n",
            "from torch.utils.data import DataLoader\nit = iter(DataLoader(d))\nx = next(it)\n",
        ),
        Example("import torch\ntotal += loss.data[0]\n", unsafe="import torch\ntotal += loss.item()\n"),
        Example(
            "import torch\nloss.backward()\nx = loss.data[0]\n",
            "import torch\nloss.backward()\nx = loss.item()\n",
        ),
        Example("import torch\nx = loss.data[0] / 8\n", unsafe="import torch\nx = loss.item() / 8\n"),
        Example(
            "import torchvision\nif float(torchvision.__version__[:3]) < 0.7:\n    old()\n",
            unsafe="import torchvision\n"
            "if tuple(map(int, torchvision.__version__.split('.')[:2])) < (0, 7):\n    old()\n",
        ),
        Example(
            "import torch\n_, pred = out.topk(5)\npred = pred.t()\ncorrect = pred.eq(target)\n"
            "right = correct[:k].view(-1).float()\n",
            "import torch\n_, pred = out.topk(5)\npred = pred.t()\ncorrect = pred.eq(target)\n"
            "right = correct[:k].reshape(-1).float()\n",
        ),
        Example(
            "def accuracy(out, target):\n    _, pred = out.topk(5)\n    pred = pred.t()\n"
            "    correct = pred.eq(target)\n    return correct[:5].view(-1)\n",
            "def accuracy(out, target):\n    _, pred = out.topk(5)\n    pred = pred.t()\n"
            "    correct = pred.eq(target)\n    return correct[:5].reshape(-1)\n",
        ),
        Example(
            "import torch\nclass F(torch.autograd.Function):\n    def forward(self, x):\n        return x\n"
            "y = F()(x)\n"
        ),
        Example("from torch.autograd import Function\nclass F(Function):\n    def forward(self, x): ...\n"),
        Example.unchanged("import torch\nif float(torch.__version__[:3]) < 1.7:\n    old()\n"),
        Example.unchanged("import torch\ncorrect = pred.eq(target)\nright = correct[:k].view(-1)\n"),
        Example.unchanged("import torch\nx = queue.next()\ny = boxes.data[0]\n"),
        Example.unchanged(
            "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            "        return x\ny = F.apply(x)\n"
        ),
        Example.unchanged("import torch\nx, y = iter(loader).next()\n", version="1.11.0"),
    )

    @on.member("next", needs="torch")
    def next(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        iterated = _iterated(ref.receiver, ctx)
        if ref.call is None or iterated is None or ref.arguments.items or not _NEXT.concerns(ctx.version):
            return
        instance = ctx.instances.of(iterated)
        is_loader = instance is not None and instance.class_name.endswith(".DataLoader")
        applicability = Applicability.SAFE if is_loader else _NEXT.fix
        fix = self.fix(applicability, edits=[replace(ref.call, f"next({text_of(ref.receiver)})")])
        yield self.report(ref.node, "next", Severity.WARNING, fix=fix, receiver=text_of(ref.receiver))

    @on.member("data", needs="torch")
    def item(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """``loss.data[0]``: losses have no dimensions."""
        holder = parent_of(ref.node)
        if holder is None or holder.type != "subscript" or not is_field(ref.node, "value"):
            return
        index, name = field(holder, "subscript"), text_of(ref.receiver).rpartition(".")[2]
        if text_of(index) != "0" or "loss" not in name.lower() or _is_set(holder):
            return
        applicability = Applicability.SAFE if _is_differentiated(ref.receiver) else _ITEM.fix
        fix = self.fix(applicability, edits=[replace(holder, f"{text_of(ref.receiver)}.item()")])
        yield self.report(holder, "item", Severity.WARNING, fix=fix, receiver=text_of(ref.receiver))

    @on.member("view", needs="torch")
    def flat(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """``correct[:k].view(-1)``, where rows of a comparison with ``pred.t()`` are not contiguous."""
        yield from self._flat(ref.node, ctx)

    @on.member("topk", needs=may_compare_transposed)
    def flat_elsewhere(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        """The same in a file that does not import torch, and has the function that gets the tensors."""
        function = enclosing(ref.node, "function_definition")
        if function is None or ctx.imports_module("torch"):
            return
        for node in nodes_in(function):
            if node.type == "attribute" and text_of(field(node, "attribute")) == "view":
                yield from self._flat(node, ctx)

    def _flat(self, node: Node, ctx: Context) -> Iterator[Finding]:
        receiver, call = field(node, "object"), call_of(node)
        held, index = field(receiver, "value"), field(receiver, "subscript")
        given = arguments_of(call).items if call is not None else ()
        is_flat = len(given) == 1 and text_of(given[0].value) == "-1"
        if held is None or index is None or index.type != "slice" or not is_flat:
            return
        name = field(node, "attribute")
        if name is not None and _FLAT.concerns(ctx.version) and _is_of_transposed(held, ctx):
            fix = self.fix(_FLAT.fix, edits=[replace(name, _FLAT.becomes)])
            yield self.report(node, "flat", Severity.WARNING, fix=fix, receiver=text_of(receiver))

    @on.keyword("async", needs="torch")
    def blocking(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        """``x.cuda(async=True)``, which is no Python any more: a fix lets the file be read again."""
        name, callee = field(ref.node, "name"), field(ref.call, "function")
        if name is None or text_of(field(callee, "attribute")) not in _COPIES:
            return
        fix = self.fix(Applicability.SAFE, edits=[replace(name, "non_blocking")])
        yield self.report(ref.node, "async", Severity.ERROR, fix=fix)

    @on.member("__version__")
    def version(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        cut = _cut(ref.node)
        comparison = parent_of(cut[0]) if cut is not None else None
        if cut is None or comparison is None or comparison.type != "comparison_operator":
            return
        parts = comparison.children
        sign, limit = (text_of(parts[1]), text_of(parts[2])) if len(parts) == 3 else ("", "")
        whole, _, fraction = limit.partition(".")
        if sign not in _ORDER or not whole.isdigit() or not (fraction or "0").isdigit():
            return
        release = _release_of(ref.receiver_name or text_of(ref.receiver), ctx)
        wanted = (int(whole), int(fraction or "0"))
        if release and _decides_right(release, cut[1], sign, limit, wanted):
            return
        numbers = f"tuple(map(int, {text_of(ref.node)}.split({ctx.quoted('.', ref.node)})[:2]))"
        edits = [replace(cut[0], numbers), replace(parts[2], f"({wanted[0]}, {wanted[1]})")]
        severity = Severity.WARNING if release else Severity.INFORMATION
        fix = self.fix(_VERSION.fix, edits=edits)
        yield self.report(cut[0], "version", severity, fix=fix, api=text_of(ref.node), release=release)

    @on.definition("forward")
    def static(self, definition: Node, ctx: Context) -> Iterator[Finding]:
        parameters, owner = field(definition, "parameters"), _owner_of(definition)
        first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
        if owner is None or text_of(first) != "self":
            return
        name, bases = field(owner, "name"), field(owner, "superclasses")
        if name is None or bases is None or not any(_is_function(base, ctx) for base in bases.named_children):
            return
        uses = ctx.source.names.readers(text_of(name), ctx.source.names.scope_of(owner))
        if not uses or any(call_of(use) is not None for use in uses):  # others import what nothing here uses
            yield self.report(name, "static", Severity.ERROR, api=text_of(name))


def _is_set(node: Node) -> bool:
    """Whether something is assigned to, not read."""
    statement = parent_of(node)
    return statement is not None and statement.type == "assignment" and is_field(node, "left")


def _is_differentiated(loss: Node) -> bool:
    """Whether a function calls ``loss.backward()`` without a gradient, which only a single number has."""
    function = enclosing(loss, "function_definition", "module")
    calls = nodes_in(function) if function is not None else ()
    return any(
        node.type == "call"
        and text_of(field(node, "function")) == f"{text_of(loss)}.backward"
        and not arguments_of(node).items
        for node in calls
    )


def _is_of_transposed(compared: Node, ctx: Context) -> bool:
    """Whether a value is what ``pred.eq(...)`` gives, after ``pred = pred.t()``."""
    compares = [_receiver(value, "eq") for value in ctx.origins(compared)]
    names = [item for item in compares if item is not None and item.type == "identifier"]
    bindings = [item for name in names for item in ctx.source.names.bindings_in_scope(text_of(name), name)]
    return bool(names) and any(_receiver(item.value, "t") is not None for item in bindings)


def _receiver(call: Node | None, method: str) -> Node | None:
    """What a method of a name is called on, where an expression is such a call."""
    function = field(call, "function") if call is not None and call.type == "call" else None
    is_it = text_of(field(function, "attribute")) == method
    return field(function, "object") if is_it else None


def _iterated(receiver: Node, ctx: Context) -> Node | None:
    """What an iterator goes through: ``loader`` of ``iter(loader)``, or of a variable that is set to it."""
    if receiver.type == "identifier":
        bindings = ctx.source.names.bindings_in_scope(text_of(receiver), receiver)
        values = [field(item.statement, "right") for item in bindings if item.kind is BindingKind.ASSIGNMENT]
        found = [_iterated(value, ctx) for value in values if value is not None and value.type == "call"]
        return found[0] if found and len(found) == len(bindings) and all(found) else None
    function = field(receiver, "function") if receiver.type == "call" else None
    if text_of(function) != "iter":
        return None
    first = arguments_of(receiver).at(0)
    return first.value if first is not None else None


def _cut(version: Node) -> tuple[Node, int] | None:
    """The call of ``float`` with the first letters of a version, and how many."""
    item = parent_of(version)
    index = field(item, "subscript") if item is not None and item.type == "subscript" else None
    end = text_of(index).replace(" ", "").removeprefix("0") if index is not None else ""
    call = call_with(item)
    function = field(call, "function")
    if call is None or text_of(function) != "float":
        return None
    return (call, int(end[1:])) if end.startswith(":") and end[1:].isdigit() else None


def _release_of(package: str, ctx: Context) -> str:
    """The release of a package that belongs to the chosen PyTorch; empty for others."""
    if package == "torch":
        return str(ctx.version)
    return pair_of(ctx.version).torchvision if package == "torchvision" else ""


def _decides_right(release: str, count: int, sign: str, limit: str, wanted: tuple[int, int]) -> bool:
    """Whether the first letters of a release compare as its numbers do."""
    major, minor = map(int, release.split(".")[:2])
    try:
        written = _ORDER[sign](float(release[:count]), float(limit))
    except ValueError:
        return False
    return bool(written == _ORDER[sign]((major, minor), wanted))


def _owner_of(definition: Node) -> Node | None:
    """The class that a function without decorators is a method of."""
    block = parent_of(definition)
    owner = parent_of(block) if block is not None and block.type == "block" else None
    return owner if owner is not None and owner.type == "class_definition" else None


def _is_function(base: Node, ctx: Context) -> bool:
    return ctx.source.names.name_of(base) in _FUNCTIONS
