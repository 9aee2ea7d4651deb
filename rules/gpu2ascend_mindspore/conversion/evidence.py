"""What a file shows of its expressions: what they are, and what other parts of the conversion change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_imports
from gpu2ascend_rules.inference.classes.torch_classes import (
    is_module,
    is_tensor,
    items_of_tuple,
    kept_by_modules,
    result_of_call,
    result_of_method,
)
from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.limits.walks import REPEATED_WALK_LIMITS
from gpu2ascend_rules.options.choices import MindsporeApi
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    field,
    is_field,
    last_name,
    text_of,
    without_parentheses,
)
from gpu2ascend_rules.text.uses import assigned_value

from ..correspondences.binding import is_literal_kind
from ..correspondences.masks import masks_logits
from ..correspondences.table import entries
from .bases import BasesElsewhere
from .covered import Covered
from .lines import Unwrapped
from .results import gives_gradients, is_tensor_of_dataset, result_of_name
from .usage import (
    Methods,
    Variable,
    Variables,
    handed_to,
    is_called,
    is_checked_tensor,
    is_named_module,
    is_switched,
    is_use_of_module,
    proves_tensor,
)
from .values.arguments import is_device, is_dtype
from .values.callers import given_by_callers
from .values.functions import is_output_of_layer, is_tensor_of_function, takes_tensor
from .values.kept import own_object, returned_by, unpacked_by, values_kept
from .values.legacy_types import makes_legacy
from .values.lists import given_by, picked_by
from .values.others import OtherLibraries
from .values.parameters import is_parameter

ROOTS = frozenset({"torch"})
"""The modules whose names are converted."""
VISION = frozenset({"torchvision"})
EINOPS = frozenset({"einops"})
CONVERTED = ROOTS | VISION | EINOPS
"""Those of which the imports go, as all that is used of them is converted or keeps the file."""
_A_TENSOR = Instance("torch.Tensor")
_A_MODULE = Instance("torch.nn.Module")

_NO_VALUES = frozenset({BindingKind.IMPORT, BindingKind.DEFINITION})
"""What binds a module or a function: ``math.exp`` is no method of a tensor."""


class Evidence:
    """Answers about the expressions of one file."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.source: SourceFile = context.source
        self.writes_mint = context.options.mindspore_api is MindsporeApi.MINT
        """Whether layers are those of mint, whose weights have torch's names."""
        options, masked = context.options, masks_logits(self.source.data)
        self.entries = entries(compiled=options.graph, mint=self.writes_mint, masked=masked)
        """What stands for torch's APIs, by their names."""
        self._done = Covered()
        self.moved: list[tuple[int, int]] = []
        """Where the statements are that become functions of which gradients are taken."""
        self.called: list[tuple[int, int]] = []
        """Where calls are whose gradients are taken behind other updates."""
        self.prepared: list[tuple[int, int, int]] = []
        """Where lines are that move before such a function, and where that begins."""
        self.unwrapped: list[Unwrapped] = []
        """The statements of which only the body stays."""
        self._variables = Variables(self.source)
        self._methods = Methods(context)
        self.others = OtherLibraries(self.source)
        """What other libraries made."""
        self._pending: frozenset[int] = frozenset()
        """What is being looked into."""
        self._known: dict[tuple[int, frozenset[int], int], Instance] = {}
        """Answers by the expression, what was being looked into, and the steps that were left."""
        self._unknown: dict[tuple[int, frozenset[int]], int] = {}
        """The steps with which nothing was found; with fewer there is no more."""
        context.instances.classes.look_elsewhere(context.shared(BasesElsewhere).base_of)
        self.imports = tuple(scan_imports(self.source, CONVERTED))
        """What the file imports from torch and torchvision."""

    def take_care_of(self, node: Node, but: Node | None = None) -> None:
        """Leave a node, and what is in it but for one part, to who says so."""
        self._done.add(node, but)

    def is_taken_care_of(self, node: Node) -> bool:
        """Whether another part of the conversion changes what a node is in."""
        return node in self._done

    def instance(self, node: Node) -> Instance | None:
        """Of which class an expression certainly is; None where that is not proven.

        A variable is what the assignments that reach the place make it. Else it is a tensor where it is
        given to a function of torch that takes no other, or a method is called on it that nothing else has,
        and all that the code does with it fits a tensor.
        """
        found = self._instance(node, REPEATED_WALK_LIMITS.depth)
        if found is None and is_named_module(node) and not self._is_output_with_method(node):
            return _A_MODULE
        is_shown = found is None and (self._is_output_with_method(node) or self._is_proven_here(node))
        return _A_TENSOR if is_shown else found

    def _is_output_with_method(self, node: Node) -> bool:
        """Whether a method of tensors is called on what a module gives, and nothing else there has it."""
        if not is_field(node, "object") or self._methods.may_be_of_others(node, self.source):
            return False
        return self._is_output(node, REPEATED_WALK_LIMITS.depth)

    def _is_proven_here(self, node: Node) -> bool:
        """Whether a method is called on an expression, no variable, that tensors alone have."""
        node_type = without_parentheses(node).type
        if node_type not in ("call", "attribute", "subscript", "binary_operator"):
            return False
        is_proven = self._methods.proves_tensor(node, self.source)
        return is_proven and not self.others.made(node)

    def _instance(self, expression: Node, depth: int) -> Instance | None:
        node = without_parentheses(expression)
        if depth <= self._unknown.get((node.id, self._pending), -1):
            return None
        found = self._known.get((node.id, self._pending, depth))
        if found is None:
            found = self._looked_into(node, depth)
            if found is None:
                self._unknown[node.id, self._pending] = depth
            else:
                self._known[node.id, self._pending, depth] = found
        return found

    def _looked_into(self, node: Node, depth: int) -> Instance | None:
        found = self.context.instances.of(node)
        if found == _A_MODULE and depth and node.type == "identifier":
            return self._drawn_module(node, depth) or found
        if found is not None or not depth:
            return found
        if node.type == "identifier":
            return self._variable(node, depth)
        if node.type == "attribute":
            return self._attribute(node, depth)
        if node.type in ("binary_operator", "comparison_operator"):
            operands = [self._instance(one, depth - 1) for one in node.named_children]
            return _A_TENSOR if any(one == _A_TENSOR for one in operands) else None
        if node.type == "subscript":
            return self._element(node, depth)
        return self._called(node, depth) if node.type == "call" else None

    def _element(self, node: Node, depth: int) -> Instance | None:
        """What an index takes."""
        value = field(node, "value")
        is_one = gives_gradients(self.source, value) or self._is_one_of_several(node, depth)
        is_one = is_one or self._are_tensors(picked_by(self.context, node, self.reaching), depth)
        return _A_TENSOR if is_one else self._tensor(value, depth)

    def _called(self, call: Node, depth: int) -> Instance | None:
        """What a call gives."""
        if makes_legacy(self.source, call):
            return _A_TENSOR
        return own_object(self.context, call) or self._result(call, depth)

    def _given(self, node: Node, bindings: Sequence[Binding], depth: int) -> Instance | None:
        """What bindings all give a variable."""
        values = [given_by(self.context, binding, self.reaching) for binding in bindings]
        if values and all(values):
            found = {self._instance(value, depth - 1) for some in values for value in some}
            if len(found) == 1 and None not in found:
                return found.pop()
            if all(one is not None and is_module(one.class_name) for one in found):
                return _A_MODULE
        return _A_TENSOR if self._is_shown_by_use(node, bindings, depth) else None

    def _drawn_module(self, node: Node, depth: int) -> Instance | None:
        """The module that a loop draws, where all in its list are of one class."""
        drawn = [given_by(self.context, one, self.reaching) for one in self.reaching(node)]
        found = {self._instance(value, depth - 1) for values in drawn for value in values}
        return found.pop() if len(found) == 1 and all(drawn) else None

    def _is_shown_by_use(self, node: Node, bindings: Sequence[Binding], depth: int) -> bool:
        """Whether what is done with a variable shows that it is a tensor."""
        variable = self._variables.of(node)
        is_value = bool(bindings) and not any(one.kind in _NO_VALUES for one in bindings)
        is_fit = is_value and variable.fits_tensor(node)
        return is_fit and all(self._gives_tensor(one, variable, depth) for one in bindings)

    def _variable(self, node: Node, depth: int) -> Instance | None:
        if is_parameter(node):
            return _A_TENSOR
        bindings = self.reaching(node)
        before = self._pending
        new = [binding for binding in bindings if binding.node.id not in before]
        # Of ``x = x + y`` in a loop, x is what it was before, if that is a tensor.
        self._pending = before | {binding.node.id for binding in new}
        try:
            given = self._given(node, new, depth)
        finally:
            self._pending = before
        if given is not None:
            return given
        if is_checked_tensor(node, bindings):
            return _A_TENSOR
        handed = [
            self._instance(one, depth - 1) for item in new for one in given_by_callers(self.source, item)
        ]
        if handed and all(one is not None and is_module(one.class_name) for one in handed):
            return handed[0] if len(set(handed)) == 1 else _A_MODULE
        return _A_MODULE if self._shows_module(node, self._variables.of(node)) else None

    def _gives_tensor(self, binding: Binding, variable: Variable, depth: int) -> bool:
        """Whether what a binding gives a variable is a tensor: by itself, or by what is done with it then."""
        value = assigned_value(binding) if binding.kind is not BindingKind.PARAMETER else None
        if value is not None and (value.type == "none" or self._tensor(value, depth) is not None):
            return True
        if is_tensor_of_function(self.source, binding):
            return True
        if binding.value is None and (self._is_unpacked(binding, depth) or self._is_given(binding, depth)):
            return True
        place = binding.node.id
        if place in variable.bound_where(proves_tensor) or place in variable.bound_where(self._enters_layer):
            return True
        if value is not None and self._is_output(value, depth):
            return place not in variable.bound_where(self._methods.may_be_of_others)
        is_other = value is not None and self.others.made(value)
        return not is_other and place in variable.bound_where(self._methods.proves_tensor)

    def _is_given(self, binding: Binding, depth: int) -> bool:
        """Whether a parameter gets a tensor from every call of its function."""
        given = given_by_callers(self.source, binding) if depth else ()
        return bool(given) and all(
            self._tensor(one, depth) is not None or self._is_output(one, depth - 1) for one in given
        )

    def _is_unpacked(self, binding: Binding, depth: int) -> bool:
        """Whether a variable is one of several tensors that a call gives, ``values, indices = x.topk(3)``, or
        a part of one: ``x, y = points.t()``."""
        target = field(binding.statement, "left") if binding.statement.type == "assignment" else None
        is_several = target is not None and target.type in ("pattern_list", "tuple_pattern")
        value = field(binding.statement, "right") if is_several else None
        function = field(value, "function") if value is not None and value.type == "call" else None
        if value is None or function is None:
            return self._tensor(value, depth) is not None
        called = self._instance(function, depth - 1)
        layer = called if items_of_tuple(last_name(value)) is None else None
        if target is not None and layer is not None and layer.class_name and layer.definition is None:
            return is_output_of_layer(layer.class_name, target, binding.node)
        is_own = self._are_tensors(unpacked_by(self.context, binding, called), depth)
        return is_own or self._gives_several(value, depth) or self._tensor(value, depth) is not None

    def _is_one_of_several(self, node: Node, depth: int) -> bool:
        """Whether an expression takes one of several tensors that a call gives: ``x.max(1)[1]``."""
        value, index = field(node, "value"), field(node, "subscript")
        is_number = index is not None and index.type in ("integer", "unary_operator")
        return value is not None and is_number and self._gives_several(value, depth)

    def _gives_several(self, value: Node, depth: int) -> bool:
        """Whether an expression is a call that gives several tensors."""
        function = field(value, "function") if value.type == "call" else None
        if function is None or items_of_tuple(last_name(value)) is None or not arguments_of(value).items:
            return False  # without arguments, the largest of all is one
        resolution = self.source.names.qualified_name(function)
        if resolution is not None:
            return items_of_tuple(resolution.qualified_name) is not None
        owner = field(function, "object") if function.type == "attribute" else None
        return owner is not None and (
            self._tensor(owner, depth) is not None or self._is_output(owner, depth - 1)
        )

    def _enters_layer(self, name: Node, source: SourceFile) -> bool:
        """Whether a variable is given to a layer or to a loss of torch that takes tensors alone."""
        passed = handed_to(name)
        function = field(passed.call, "function") if passed is not None else None
        if passed is None or passed.argument.position is None or function is None:
            return False
        layer = self.context.instances.of(function) or self._instance(function, 2)
        is_known = layer is not None and layer.definition is None
        return is_known and layer is not None and takes_tensor(layer.class_name, passed.argument.position)

    def _attribute(self, node: Node, depth: int) -> Instance | None:
        """A module in what its data parallel form wraps, or in what the methods of a class use as one.

        Datasets of torchvision have tensors in two of their attributes, if they are of a kind.
        """
        owner = self._instance(node.named_children[0], depth - 1)
        if owner is not None and is_tensor_of_dataset(owner.class_name, node, self.source.data):
            return _A_TENSOR
        if text_of(node).endswith(".data"):
            return _A_TENSOR if owner == _A_TENSOR or self._is_output(node.named_children[0], depth) else None
        if text_of(node).endswith(".module") and self._is_module(node.named_children[0], depth - 1):
            return _A_MODULE
        kept = self._kept(owner, node, depth)
        variable = self._variables.kept_in_self(node) if kept is None else None
        return _A_MODULE if variable is not None and self._shows_module(node, variable) else kept

    def _kept(self, owner: Instance | None, attribute: Node, depth: int) -> Instance | None:
        """A module, or an object of a class of the file, that an attribute of such an object is given."""
        values = [self._instance(one, depth - 1) for one in values_kept(self.context, owner, attribute)]
        first = values[0] if values else None
        if first is None or not all(one is not None and is_module(one.class_name) for one in values):
            return first if len(values) == 1 and first is not None and first.definition is not None else None
        return first if len(values) == 1 else _A_MODULE

    def _is_module(self, node: Node, depth: int) -> bool:
        found = self._instance(node, depth)
        return found is not None and is_module(found.class_name)

    def _shows_module(self, node: Node, variable: Variable) -> bool:
        """Whether a variable is called and switched between training and evaluation, or has parameters."""

        def is_used_as(is_such: Callable[[Node, SourceFile], bool]) -> bool:
            return is_such(node, self.source) or variable.is_used_as(is_such)

        return (is_used_as(is_called) and is_used_as(is_switched)) or is_used_as(is_use_of_module)

    def reaching(self, node: Node, *, but: int = -1) -> tuple[Binding, ...]:
        """The bindings of a variable that give it its value at a place, less that at ``but``."""
        return self._variables.of(node).reaching(node, but)

    def is_ever_bound(self, node: Node, is_such: Callable[[Binding], bool]) -> bool:
        """Whether one of all the bindings of a variable is such."""
        return self._variables.of(node).is_ever_bound(node, is_such)

    def _is_output(self, expression: Node, depth: int) -> bool:
        """Whether an expression is what a module gives for its inputs, or computed of that; and no array."""
        value = without_parentheses(expression)
        if value.type in ("binary_operator", "unary_operator"):
            return depth > 0 and any(self._is_output(one, depth - 1) for one in value.named_children)
        function = field(value, "function") if value.type == "call" else None
        found = self._instance(function, depth - 1) if function is not None else None
        return found is not None and is_module(found.class_name) and not self._methods.may_give_arrays()

    def _tensor(self, node: Node | None, depth: int) -> Instance | None:
        found = self._instance(node, depth - 1) if node is not None else None
        return _A_TENSOR if found == _A_TENSOR else None

    def _result(self, call: Node, depth: int) -> Instance | None:
        """What a method of a tensor, or a function of tensors, gives."""
        function = field(call, "function")
        owner = field(function, "object") if function is not None and function.type == "attribute" else None
        if owner is not None and (self._tensor(owner, depth) is not None or self._is_output(owner, depth)):
            given = result_of_method(_A_TENSOR.class_name, last_name(call))
            return Instance(given) if given is not None else None
        if owner is not None and last_name(call) in kept_by_modules() and self._is_module(owner, depth - 1):
            return _A_MODULE
        if function is not None and self._returns_tensor(call, owner, function, depth):
            return _A_TENSOR
        resolution = self.source.names.qualified_name(function) if function is not None else None
        return result_of_name(resolution.qualified_name, call) if resolution is not None else None

    def _returns_tensor(self, call: Node, owner: Node | None, function: Node, depth: int) -> bool:
        """Whether a function or a module, of the file or a layer of torch, gives a tensor."""
        kept = self._instance(owner, depth - 1) if owner is not None else None
        called = self._instance(function, depth - 1)
        if self._are_tensors(returned_by(self.context, call, kept, called), depth):
            return True
        is_layer = called is not None and called.definition is None
        return is_layer and called is not None and result_of_call(called.class_name) is not None

    def _are_tensors(self, values: Sequence[Node], depth: int) -> bool:
        """Whether there are values, and all of them are tensors."""
        found = (self._tensor(one, depth) is not None or self._is_output(one, depth - 1) for one in values)
        return bool(values) and all(found)

    def is_of_kind(self, node: Node, kind: str) -> bool:
        """Whether an expression is certainly what an entry of the table is for."""
        if kind == "tensor":
            found = self.instance(node)
            return found is not None and is_tensor(found.class_name)
        if kind in ("dtype", "device"):
            return is_dtype(node, self.source) if kind == "dtype" else is_device(node, self.context)
        return is_literal_kind(node, kind)

    def is_module(self, node: Node) -> bool:
        """Whether an expression is certainly a module."""
        found = self.instance(node)
        return found is not None and is_module(found.class_name)
