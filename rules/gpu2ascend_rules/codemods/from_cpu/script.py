"""A training script that names no device: its model, losses and batches move to the NPU.

The steps are those of the guides for moving a script by hand: one device, ``model.to(device)`` before the
optimizer, ``loss.to(device)``, each batch first thing in its loop, results back to the CPU for NumPy. Where a
tensor could be left on the CPU beside those that move, nothing changes, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.below import nodes_in
from ...model.finding import Edit, Message
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, enclosing, field, last_name, target_of, text_of
from ..codemod import Declined

_DEVICE_WORDS = (
    b"cuda", b"device", b"accelerat", b"Lightning", b"lightning", b".to(", b"deepspeed", b"horovod",
    b"transformers", b"fabric",
)  # fmt: skip
"""Plain searches, which in a long text cost a tenth of one expression."""
_NPU = re.compile(rb"(?<![A-Za-z])npu")
_MAKES_OPTIMIZER = re.compile(
    rb"\boptim\.[A-Z]\w*\(|\b(?:Ada\w+|SGD|ASGD|LBFGS|NAdam|RAdam|RMSprop|Rprop|SparseAdam)\("
    rb"|(?:\b[A-Z]\w*|\))\([^)]*\.parameters\("
)
"""``optim.SGD(...)``, ``Adam(...)``, and classes of other packages that are given parameters."""
_OPTIMIZER_WORDS = (
    b".parameters(", b"optim.", b"Ada", b"SGD(", b"LBFGS(", b"RMSprop(", b"Rprop(",
)  # fmt: skip
"""One of them stands wherever one is made."""
_LOSS = re.compile(r"torch\.nn\.(?:modules\.loss\.)?\w*Loss")
_FACTORIES = frozenset(
    {
        "arange", "empty", "eye", "from_numpy", "full", "linspace", "normal", "ones", "rand", "randint",
        "randn", "randperm", "tensor", "zeros", "as_tensor", "FloatTensor", "LongTensor", "Tensor",
    }
)  # fmt: skip


def _declined(key: str, node: Node) -> Declined:
    """The script cannot be moved as a whole; ``node`` is where."""
    return Declined(Message.of(f"from-cpu.{key}"), node.start_point[0] + 1, node)


class _Loop(NamedTuple):
    """A loop over batches."""

    node: Node
    body: Node
    names: list[str]


class Training(NamedTuple):
    """What of a training a file has."""

    has_torch: bool
    goes_backward: bool
    steps: bool
    makes_optimizer: bool


def training_in(data: bytes) -> Training:
    """What a file's text has of a training; comments count, too."""
    return Training(
        b"torch" in data,
        b".backward(" in data,
        b".step(" in data,
        any(word in data for word in _OPTIMIZER_WORDS) and _MAKES_OPTIMIZER.search(data) is not None,
    )


def names_device(data: bytes) -> bool:
    """Whether a file's text says where it computes; comments count, too."""
    return any(word in data for word in _DEVICE_WORDS) or _NPU.search(data) is not None


def makes_optimizer(source: SourceFile) -> bool:
    """Whether the code of a file makes an optimizer, which its documentation may do, too."""
    places = (source.node_at(match.start(), match.end()) for match in _MAKES_OPTIMIZER.finditer(source.data))
    return any(
        node is None or (not node.type.startswith("string") and node.type != "comment") for node in places
    )


def names_no_device(source: SourceFile) -> bool:
    """Whether a file trains with torch what it makes itself, and says nowhere on which device.

    Where the optimizer comes from elsewhere, so do model and device.
    """
    data = source.data
    return not names_device(data) and all(training_in(data)) and makes_optimizer(source)


def moving_edits(source: SourceFile, options: MigrationOptions) -> tuple[Edit, ...]:
    """The edits that move model, losses and batches. Raises Declined: something could be left on the CPU."""
    script = _Script(source)
    edits = [*script.device(options), *script.moved_models(), *script.moved_losses(), *script.moved_batches()]
    return tuple(sorted(edits))


class _Script:
    """A training script of one file."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.calls = [node for node in nodes_in(source.root) if node.type == "call"]
        self.models = self._trained()
        self.losses = {name for name, call in self._assigned() if _LOSS.fullmatch(self._qualified(call))}
        self.movers = self._under_all_names(self.models | self.losses)

    # -- what moves --------------------------------------------------------------------------------

    def _assigned(self) -> Iterator[tuple[str, Node]]:
        """The calls that are assigned to plain names."""
        for call in self.calls:
            left = target_of(call)
            if left is not None and left.type == "identifier":
                yield text_of(left), call

    def _trained(self) -> set[str]:
        """The variables whose parameters an optimizer gets."""
        found: set[str] = set()
        for call in self.calls:
            if not self._qualified(call).startswith("torch.optim."):
                continue
            for node in nodes_in(call):
                receiver = field(node, "object")
                if node.type == "attribute" and text_of(field(node, "attribute") or node) == "parameters":
                    if receiver is None or receiver.type != "identifier":
                        raise _declined("model", node)
                    found.add(text_of(receiver))
        if not found:
            raise _declined("model", self.source.root.named_children[0])
        return found

    def _under_all_names(self, names: set[str]) -> set[str]:
        """The names with those of the parameters that get them in functions of the file."""
        found = set(names)
        for call in self.calls:
            function = self._definition(call)
            parameters = field(function, "parameters")
            for item in arguments_of(call).items if parameters is not None else ():
                if item.value.type != "identifier" or text_of(item.value) not in names or parameters is None:
                    continue
                if item.keyword is not None:
                    found.add(item.keyword)
                elif item.position is not None and item.position < parameters.named_child_count:
                    parameter = parameters.named_children[item.position]
                    found.add(text_of(field(parameter, "name") or parameter).partition(":")[0].strip())
        return found

    def _definition(self, call: Node) -> Node | None:
        function = field(call, "function")
        if function is None or function.type != "identifier":
            return None
        for node in nodes_in(self.source.root):
            if node.type == "function_definition" and text_of(field(node, "name") or node) == text_of(
                function
            ):
                return node
        return None

    def _qualified(self, call: Node) -> str:
        return self.source.names.called_in(call)

    # -- edits -------------------------------------------------------------------------------------

    def device(self, options: MigrationOptions) -> Iterator[Edit]:
        """The device, after the imports of the module."""
        imports = [
            node
            for node in self.source.root.named_children
            if node.type in ("import_statement", "import_from_statement", "future_import_statement")
        ]
        torch = next((item for item in imports if text_of(item) == "import torch"), None)
        if torch is None:
            raise _declined("import", imports[0] if imports else self.source.root.named_children[0])
        has_package = options.require_version() >= (1, 8)
        module = "torch_npu.npu" if has_package else "torch.npu"
        newline = self.source.newline
        device = f'device = torch.device("npu" if {module}.is_available() else "cpu")'
        if has_package and torch.end_byte == imports[-1].end_byte:
            device = f"{newline}import torch_npu{newline}{newline}{device}".removeprefix(newline + newline)
            yield Edit(torch.end_byte, torch.end_byte, device)
            return
        if has_package:
            yield Edit(torch.end_byte, torch.end_byte, f"{newline}import torch_npu")
        yield Edit(imports[-1].end_byte, imports[-1].end_byte, f"{newline}{newline}{device}")

    def moved_models(self) -> Iterator[Edit]:
        """``.to(device)`` where each model is made, once."""
        for name in sorted(self.models):
            made = [call for given, call in self._assigned() if given == name]
            if len(made) != 1:
                raise _declined("model", made[0] if made else self.source.root.named_children[0])
            self._refuse_tensors_of_modules()
            yield Edit(made[0].end_byte, made[0].end_byte, ".to(device)")

    def moved_losses(self) -> Iterator[Edit]:
        for name, call in self._assigned():
            if name in self.losses:
                yield Edit(call.end_byte, call.end_byte, ".to(device)")

    def _refuse_tensors_of_modules(self) -> None:
        """A tensor that a module's own code makes would stay on the CPU."""
        for call in self.calls:
            method = enclosing(call, "function_definition")
            if method is None or enclosing(method, "class_definition") is None:
                continue
            if self._makes_tensor(call) and text_of(field(method, "name") or call) == "forward":
                raise _declined("factory", call)

    def _makes_tensor(self, call: Node) -> bool:
        module, _, last = self._qualified(call).rpartition(".")
        return module == "torch" and last in _FACTORIES

    def moved_batches(self) -> Iterator[Edit]:
        """What the loops draw moves first thing in them; every use of a model must be in such a loop."""
        loops: dict[int, _Loop] = {}
        for call in self.calls:
            function = field(call, "function")
            if function is None or function.type != "identifier" or text_of(function) not in self.movers:
                continue
            loop = self._loop_around(call)
            loops[loop.node.id] = loop
        if not loops:
            raise _declined("loop", self.source.root.named_children[0])
        for loop in loops.values():
            yield from self._moved_in(loop)

    def _loop_around(self, call: Node) -> _Loop:
        """The loop that draws the batches that a call is given."""
        at: Node | None = enclosing(call, "for_statement")
        used = {text_of(item) for argument in arguments_of(call).items for item in nodes_in(argument.value)}
        while at is not None:
            body, names = field(at, "body"), _drawn(at)
            if body is not None and names:
                if len(names) == 1:
                    return self._unpacked(at, body, names[0], call)
                if used & self._reached(body, set(names)):
                    return _Loop(at, body, names)
            at = enclosing(at, "for_statement")
        raise _declined("loop", call)

    def _unpacked(self, loop: Node, body: Node, name: str, call: Node) -> _Loop:
        """``for batch in loader: x, y = batch``: the statement that takes the batch apart draws the names."""
        first = body.named_children[0]
        assignment = first.named_children[0] if first.type == "expression_statement" else first
        left, right = field(assignment, "left"), field(assignment, "right")
        is_apart = assignment.type == "assignment" and left is not None and left.type == "pattern_list"
        if is_apart and left is not None and right is not None and text_of(right) == name:
            return _Loop(loop, first, [text_of(item) for item in left.named_children])
        raise _declined("batch", call)

    def _reached(self, body: Node, names: set[str]) -> set[str]:
        """The names with those that statements of the loop make of them."""
        found = set(names)
        for node in nodes_in(body):
            left, right = field(node, "left"), field(node, "right")
            if node.type != "assignment" or left is None or right is None:
                continue
            if found & {text_of(item) for item in nodes_in(right) if item.type == "identifier"}:
                found.update(text_of(item) for item in nodes_in(left) if item.type == "identifier")
        return found

    def _moved_in(self, loop: _Loop) -> Iterator[Edit]:
        whole = field(loop.node, "body") or loop.body
        for node in nodes_in(whole):
            if node.type == "call" and self._makes_tensor(node):
                raise _declined("factory", node)
            if node.type == "attribute" and text_of(field(node, "attribute") or node) == "numpy":
                at = field(node, "object")
                if at is not None:
                    yield Edit(at.end_byte, at.end_byte, ".cpu()")
        names = [name for name in loop.names if name.isidentifier() and name != "_"]
        line = f"{', '.join(names)} = {', '.join(f'{name}.to(device)' for name in names)}"
        if loop.body.id == whole.id:
            first = whole.named_children[0]
            yield Edit(first.start_byte, first.start_byte, f"{line}{self._break(first)}")
        else:
            yield Edit(loop.body.end_byte, loop.body.end_byte, f"{self._break(loop.body)}{line}")

    def _break(self, statement: Node) -> str:
        """A new line at the indent of a statement; a semicolon where it shares its line."""
        start = self.source.lines.line_span(self.source.lines.line_of(statement.start_byte))[0]
        indent = self.source.slice(start, statement.start_byte)
        return "; " if indent.strip() else f"{self.source.newline}{indent}"


def _drawn(loop: Node) -> list[str]:
    """The names that a loop draws of what it goes through, without a counter."""
    target, iterable = field(loop, "left"), field(loop, "right")
    made_by = last_name(iterable) if iterable is not None and iterable.type == "call" else ""
    if target is None or made_by == "range":
        return []
    names = [text_of(item) for item in nodes_in(target) if item.type == "identifier"]
    return names[1:] if made_by == "enumerate" else names
