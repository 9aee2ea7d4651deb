"""What the uses of one variable, or of one attribute of ``self``, show of its value.

A use proves a tensor where PyTorch refuses anything else, as an argument of one of its functions, and where
a method is called that nothing else has that the file can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.torch_classes import (
    kept_by_modules,
    tensor_methods,
    tensor_parameters,
)
from gpu2ascend_rules.inference.duck_typing import fits_tensor, tensor_check
from gpu2ascend_rules.inference.tensor_like import (
    GIVES_ARRAYS,
    OF_ARRAYS,
    OF_POSITIONS,
    ONLY_OF_TENSORS,
    tensor_like,
)
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding, Reaching
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import (
    Passed,
    arguments_of,
    call_of,
    enclosing,
    field,
    is_field,
    passed_to,
    same,
    text_of,
)
from gpu2ascend_rules.text.uses import scope_of_variable

from .values.legacy_types import cast_to
from .values.libraries import methods_of_libraries

FUNCTIONAL = "torch.nn.functional."
_DIMENSIONS = frozenset({"dim", "keepdim"})
_ALSO_OF_NUMBERS = frozenset(
    {
        "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
        "float_power", "pow", "remainder", "result_type", "to", "where", "xlogy",
    }
)  # fmt: skip
"""Functions of torch that are named as methods of tensors, and whose first argument may well be a number."""
_JOINING = frozenset(
    f"torch.{name}" for name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack")
)
"""Functions that take a list of tensors."""
_ONLY_OF_MODULES = frozenset(
    {"children", "modules", "named_children", "named_modules", "named_parameters", "parameters"}
)
"""Optimizers, schedulers and scalers have ``load_state_dict`` too."""
_OF_NO_OTHER = frozenset(
    {"named_modules", "named_parameters", "register_full_backward_hook", "register_full_backward_pre_hook"}
)
"""Methods that show a module on any expression, also on one that is no variable."""

_Shows = Callable[[Node, SourceFile], bool]


class Variable:
    """What all uses of one variable show; each is looked at once, whoever asks."""

    def __init__(self, source: SourceFile, uses: Sequence[Node]) -> None:
        self._source = source
        self._uses = uses
        self._unfit: list[Node] | None = None
        self._used_as: dict[object, bool] = {}
        self._bound_by: dict[object, bool] = {}
        self._reaching: Reaching | None = None
        self._reached: dict[object, frozenset[int]] = {}

    def reaching(self, place: Node, but: int) -> tuple[Binding, ...]:
        """The bindings that give it its value at a place, without that at the offset ``but``."""
        if self._reaching is None:
            bindings = self._source.names.bindings_in_scope(text_of(place), place)
            self._reaching = Reaching(bindings) if bindings else None
        return self._reaching.at(place, but=but) if self._reaching is not None else ()

    def bound_where(self, is_such: _Shows) -> frozenset[int]:
        """The nodes of its bindings that give it its value at a use which is such."""
        question = _question(is_such)
        if question not in self._reached:
            shown = [use for use in self._uses if is_such(use, self._source)]
            self._reached[question] = frozenset(
                one.node.id for use in shown for one in self.reaching(use, -1)
            )
        return self._reached[question]

    def fits_tensor(self, identifier: Node) -> bool:
        """Whether no use but one speaks against a tensor."""
        if self._unfit is None:
            self._unfit = list(islice((use for use in self._uses if not fits_tensor(use)), 2))
        return all(same(use, identifier) for use in self._unfit)

    def is_ever_bound(self, identifier: Node, is_such: Callable[[Binding], bool]) -> bool:
        """Whether one of its bindings is such."""
        question = _question(is_such)
        if question not in self._bound_by:
            bindings = self._source.names.bindings_in_scope(text_of(identifier), identifier)
            self._bound_by[question] = any(map(is_such, bindings))
        return self._bound_by[question]

    def is_used_as(self, is_such: _Shows) -> bool:
        """Whether one of the uses is such."""
        question = _question(is_such)
        if question not in self._used_as:
            self._used_as[question] = any(is_such(use, self._source) for use in self._uses)
        return self._used_as[question]


def _question(is_such: Callable[..., bool]) -> object:
    """What an answer is kept under: of a method the function alone, so that no answer keeps who asked."""
    return getattr(is_such, "__func__", is_such)


class Variables:
    """The variables of one file, and the attributes of ``self``, by what they are named in which scope."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._known: dict[tuple[str, int], Variable] = {}

    def of(self, identifier: Node) -> Variable:
        """The variable that an identifier names."""
        name, scope = text_of(identifier), scope_of_variable(identifier, self._source)
        key = (name, scope.id)
        if key not in self._known:
            self._known[key] = Variable(self._source, self._source.names.readers(name, scope))
        return self._known[key]

    def kept_in_self(self, attribute: Node) -> Variable | None:
        """What the methods of a class do with ``self.<name>``; None for any other expression."""
        holder = field(attribute, "object")
        if attribute.type != "attribute" or text_of(holder) != "self":
            return None
        owner = enclosing(attribute, "class_definition")
        if owner is None:
            return None
        name = text_of(attribute)
        key = (name, owner.id)
        if key not in self._known:
            self._known[key] = Variable(self._source, tuple(self._uses_in(owner, name)))
        return self._known[key]

    def _uses_in(self, owner: Node, attribute: str) -> Iterator[Node]:
        for identifier in self._source.identifiers(attribute.removeprefix("self.")):
            parent = parent_of(identifier)
            if parent is None or parent.type != "attribute" or text_of(parent) != attribute:
                continue
            if same(enclosing(parent, "class_definition"), owner):
                yield parent


def proves_tensor(name: Node, source: SourceFile) -> bool:
    """Whether a variable is given to a function of torch for a parameter that takes tensors alone."""
    if _is_cast(name, source):
        return True
    parent = parent_of(name)
    if parent is not None and parent.type in ("list", "tuple"):
        joined = passed_to(parent)
        return joined is not None and joined.argument.position == 0 and _name(joined, source) in _JOINING
    passed = handed_to(name)
    taken = tensor_parameters(_name(passed, source)) if passed is not None else {}
    if passed is None or not taken or text_of(passed.argument.value).startswith("*"):
        return False
    argument = passed.argument
    return argument.keyword in taken if argument.keyword is not None else argument.position in taken.values()


def handed_to(name: Node) -> Passed | None:
    """What a value is handed to, also when it was moved or cast: ``loss(out, target.float())``."""
    node = name
    while (method := parent_of(node)) is not None and method.type == "attribute":
        call = call_of(method) if is_field(node, "object") else None
        if call is None or text_of(field(method, "attribute")) not in kept_by_modules():
            break
        node = call
    return passed_to(node)


def _is_cast(name: Node, source: SourceFile) -> bool:
    """Whether a variable is cast, or moved as no module is: ``x.to(device=device, dtype=torch.long)``,
    ``x.type(torch.LongTensor)``, ``x.cuda(non_blocking=True)``."""
    method = next((one for one in _ONLY_WITH if calls_method(name, frozenset({one}))), "")
    call = call_of(parent_of(name)) if method else None
    if call is None:
        return False
    keyword = _ONLY_WITH[method]
    return arguments_of(call).keyword(keyword) is not None if keyword else bool(cast_to(source, call))


_ONLY_WITH = {"type": "", "to": "dtype", "cuda": "non_blocking"}
"""Methods that modules have, too, and the argument that those of tensors alone take."""


def _name(passed: Passed, source: SourceFile) -> str:
    """The qualified name of the function that an argument is given to; empty if it has none."""
    function = field(passed.call, "function")
    found = source.names.qualified_name(function) if function is not None else None
    return found.qualified_name if found is not None else ""


class Methods:
    """The methods that prove a tensor in one file: nothing else that the file can hold has them.

    That is known of Python itself, of the classes of the project and of the libraries of a table. In a file
    that imports another library they prove nothing.
    """

    def __init__(self, context: Context) -> None:
        own = context.project.tensor_like | frozenset(tensor_like(context.source.data))
        others = own | methods_of_libraries(_libraries_of(context))
        is_open = "*" in others
        self._others = others
        self._methods = frozenset[str]() if is_open else ONLY_OF_TENSORS - others
        self._with_dimension = frozenset[str]() if is_open else OF_ARRAYS - others
        self._with_positions = frozenset[str]() if is_open else OF_POSITIONS - others

    def proves_tensor(self, name: Node, source: SourceFile) -> bool:
        """Whether a use of a variable is a method that only tensors have, or that calls a dimension so."""
        if calls_method(name, self._methods) or _names_dimension(name, self._with_dimension):
            return True
        if _has_positions_of_tensor(name, self._with_positions):
            return True
        passed = passed_to(name)
        is_first = passed is not None and passed.argument.position == 0
        return is_first and passed is not None and _name(passed, source) in _functions_of_tensors()

    def may_give_arrays(self) -> bool:
        """Whether a module of the project may give an array, which has methods of tensors too."""
        return GIVES_ARRAYS in self._others

    def may_be_of_others(self, name: Node, source: SourceFile) -> bool:
        """Whether a method is called on an expression that something else may have, an array aside."""
        return calls_method(name, self._others)


def _libraries_of(context: Context) -> Iterator[str]:
    """The top-level modules that a file imports from outside its project."""
    for one in context.source.names.imports:
        root = one.target.partition(".")[0]
        if root and not context.project.has_module(context.source.path, root):
            yield root


@cache
def _functions_of_tensors() -> frozenset[str]:
    """The functions that are methods of their first argument too: a tensor, and by some of them a number."""
    return frozenset(f"torch.{name}" for name in tensor_methods() - _ALSO_OF_NUMBERS)


def _names_dimension(name: Node, methods: frozenset[str]) -> bool:
    """Whether a method that arrays have too is called as tensors call it: with ``dim``."""
    call = call_of(parent_of(name)) if calls_method(name, methods) and parent_of(name) is not None else None
    if call is None:
        return False
    given = (arguments_of(call).keyword(dimension) for dimension in _DIMENSIONS)
    return any(one is not None and one.value.type != "string" for one in given)


def _has_positions_of_tensor(name: Node, methods: frozenset[str]) -> bool:
    """Whether a method that arrays have too has positions that they do not take: ``x.transpose(1, 2)``."""
    call = call_of(parent_of(name)) if calls_method(name, methods) else None
    if call is None:
        return False
    given = [one.value for one in arguments_of(call).items if one.keyword is None]
    if calls_method(name, frozenset({"view"})):
        return len(given) > 1 and any(text_of(one) == "-1" for one in given)
    if calls_method(name, frozenset({"repeat"})):
        return len(given) > 2
    if calls_method(name, frozenset({"t"})):
        return not arguments_of(call).items
    numbers = {text_of(one) for one in given}
    is_pair = calls_method(name, frozenset({"transpose"})) and len(given) == len(numbers) == 2
    return is_pair and all(_is_place(one) for one in given) and not numbers <= {"0", "1"}


def _is_place(node: Node) -> bool:
    return text_of(node).removeprefix("-").isdecimal()


def is_use_of_module(name: Node, source: SourceFile) -> bool:
    """Whether a use of a variable is a method that only modules have."""
    return calls_method(name, _ONLY_OF_MODULES)


def is_named_module(node: Node) -> bool:
    """Whether an expression is what a method is called on that nothing but a module has."""
    return calls_method(node, _OF_NO_OTHER)


def is_called(name: Node, source: SourceFile) -> bool:
    """Whether a use of a variable calls it."""
    return call_of(name) is not None


def is_switched(name: Node, source: SourceFile) -> bool:
    """Whether a use of a variable switches it to training or to evaluation."""
    return calls_method(name, frozenset({"eval", "train"}))


def calls_method(name: Node, names: frozenset[str]) -> bool:
    """Whether one of some methods is called on a variable."""
    parent = parent_of(name)
    if parent is None or parent.type != "attribute" or not is_field(name, "object"):
        return False
    member = field(parent, "attribute")
    return member is not None and text_of(member) in names and call_of(parent) is not None


def is_checked_tensor(node: Node, bindings: Sequence[Binding]) -> bool:
    """Whether the code has made sure that a variable is a tensor, and not assigned it since."""
    check = tensor_check(node, node)
    is_checked = check is not None and not any(
        check.start_byte <= binding.node.start_byte < check.end_byte for binding in bindings
    )
    return is_checked or _has_data_of_its_kind(node)


def _has_data_of_its_kind(item: Node) -> bool:
    """``state = tuple([one.data for one in state])``: of tensors alone, the data has data again."""
    around = enclosing(item, "list_comprehension", "generator_expression")
    clauses = [one for one in _clauses(around) if text_of(field(one, "left")) == text_of(item)]
    over = field(clauses[0], "right") if clauses else None
    target = field(enclosing(around, "assignment"), "left") if around is not None else None
    is_same = over is not None and target is not None and text_of(over) == text_of(target)
    return is_same and text_of(field(around, "body")) == f"{text_of(item)}.data"


def _clauses(comprehension: Node | None) -> list[Node]:
    every = comprehension.named_children if comprehension is not None else []
    return [one for one in every if one.type == "for_in_clause"]
