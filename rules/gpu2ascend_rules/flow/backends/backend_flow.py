"""Where a text that names a communication back end ends up: ``'nccl'``.

Unlike ``'cuda'`` the word has one meaning in code that uses torch, so that little evidence is enough: a
name with *backend* in it, a function that sets process groups up, or a comparison with either. What goes
elsewhere is :attr:`BackendUse.UNKNOWN`, and a person is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...text.scopes import scope_of
from ...text.syntax import (
    arguments_of,
    enclosing,
    field,
    is_field,
    last_name,
    same,
    text_of,
    without_parentheses,
)
from ...text.uses import uses_of_variable
from ..libraries import Origin, source_of_callee
from ..parameters import parameter_for
from ..templates import plain_text
from ..words import is_device_text, names_text
from .backend_names import BACKENDS, has_hccl_branch, is_backend_name, is_setup_name
from .backend_uses import BackendUse, BackendVerdict, strongest

if TYPE_CHECKING:
    from ...engine.context import Context

MAX_DEPTH = 6
"""How many variables and parameters a value is followed through."""
_SINKS = frozenset({"init_process_group", "new_group", "new_subgroups", "init_distributed", "Backend"})
_SAYS = frozenset(
    {
        "print", "info", "debug", "warning", "warn", "error", "critical", "exception", "log", "write", "join",
        "Path", "CDLL", "find_library", "add_argument", "skip", "skipif", "fail", "xfail", "import_module",
    }
)  # fmt: skip
_KEEPS_TEXT = frozenset({"str", "lower", "strip", "upper", "cast"})
_HOLDS_DEFAULT = frozenset({"field", "Field", "Option", "Argument", "ib", "attrib", "option"})
_OPTIONS = frozenset({"add_argument", "add_option", "option", "add_arg", "Option"})
_GIVES_ITEM = frozenset({"get", "pop", "setdefault", "getenv", "getattr"})
_SEARCHES = frozenset({"startswith", "endswith", "replace", "find", "count", "index", "split"})
_DISPLAYS = frozenset({"list", "tuple", "set", "expression_list"})
_KEEPS_VALUE = frozenset({"parenthesized_expression", "await", "lambda"})

_BACKEND = BackendVerdict(BackendUse.BACKEND)
_UNKNOWN = BackendVerdict(BackendUse.UNKNOWN)
_NONE = BackendVerdict(BackendUse.NONE)


class _Value(NamedTuple):
    """The text on its way: the expression that has it, and whether that is a list that holds it."""

    node: Node
    boxed: bool = False
    depth: int = 0


def backend_use(string: Node, ctx: Context) -> BackendVerdict:
    """What a string literal that names a communication back end is used as."""
    return _Climb(ctx).of(_Value(string))


class _Climb:
    """Climbs from an expression to what decides its use."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._steps: dict[str, Callable[[_Value, Node], BackendVerdict]] = {
            "conditional_expression": self._conditional,
            "boolean_operator": self._either,
            "named_expression": self._named,
            "pair": self._pair,
            "keyword_argument": self._keyword,
            "argument_list": self._positional,
            "comparison_operator": self._compared,
            "assignment": self._assigned,
            "default_parameter": self._default,
            "typed_default_parameter": self._default,
            "return_statement": self._returned,
            "for_statement": self._iterated,
            "for_in_clause": self._iterated,
            "case_pattern": self._case,
            "union_pattern": self._case,
            "type": self._annotated,
            "subscript": self._subscript,
        }
        self._steps.update(dict.fromkeys(_KEEPS_VALUE, lambda value, parent: self.of(_at(value, parent))))
        self._steps.update(dict.fromkeys(_DISPLAYS, self._element))

    def of(self, value: _Value) -> BackendVerdict:
        """The use of a value, by where its expression stands."""
        parent = value.node.parent
        step = self._steps.get(parent.type) if parent is not None else None
        if parent is None or step is None or value.depth > MAX_DEPTH:
            return _NONE
        return step(value, parent)

    # -- expressions -------------------------------------------------------------------------------

    def _conditional(self, value: _Value, parent: Node) -> BackendVerdict:
        parts = [part for part in parent.named_children if part.type != "comment"]
        if len(parts) != 3 or same(parts[1], value.node):
            return _NONE
        other = parts[2] if same(parts[0], value.node) else parts[0]
        if plain_text(other) == "hccl":
            return _NONE
        verdict = self.of(_at(value, parent))
        if verdict.use is BackendUse.UNKNOWN and plain_text(other) in BACKENDS:
            return _BACKEND
        return verdict

    def _either(self, value: _Value, parent: Node) -> BackendVerdict:
        others = (part for part in parent.named_children if not same(part, value.node))
        if not value.boxed and any(self._is_backend(other) for other in others):
            return _BACKEND
        return self.of(_at(value, parent))

    def _named(self, value: _Value, parent: Node) -> BackendVerdict:
        name = field(parent, "name")
        if name is None:
            return _UNKNOWN
        return strongest((self._bound(value, name), self.of(_at(value, parent))))

    def _element(self, value: _Value, parent: Node) -> BackendVerdict:
        if value.boxed:
            return _UNKNOWN
        before = [child for child in parent.named_children if child.end_byte <= value.node.start_byte]
        if before and (plain_text(before[-1]) or "").startswith("-"):
            return _NONE  # the value of an option on a command line: the rule on commands speaks
        verdict = self.of(_Value(parent, True, value.depth))
        return verdict._replace(node=parent) if verdict.node is None else verdict

    def _subscript(self, value: _Value, parent: Node) -> BackendVerdict:
        if is_field(value.node, "value"):
            return self.of(_Value(parent, False, value.depth)) if value.boxed else _NONE
        holder = field(parent, "value")
        is_literal = holder is not None and text_of(holder).rpartition(".")[2] == "Literal"
        return BackendVerdict(BackendUse.LOOKUP, value.node) if is_literal else _NONE

    def _annotated(self, value: _Value, parent: Node) -> BackendVerdict:
        generic = enclosing(parent, "generic_type")
        if generic is None or not text_of(generic).startswith(("Literal[", "typing.Literal[")):
            return _NONE
        return BackendVerdict(BackendUse.LOOKUP, value.node)

    # -- dictionaries ------------------------------------------------------------------------------

    def _pair(self, value: _Value, pair: Node) -> BackendVerdict:
        key, dictionary = field(pair, "key"), pair.parent
        if key is None or dictionary is None or value.boxed:
            return _UNKNOWN
        if same(key, value.node):
            return self._table_key(dictionary)
        text = plain_text(key)
        if text is None:
            return _UNKNOWN
        if is_device_text(text):
            return _NONE  # the entry of a table by device: the NPU needs one of its own
        if is_backend_name(text) or self._holds_backends_alone(dictionary):
            return _BACKEND
        return _UNKNOWN

    def _table_key(self, dictionary: Node) -> BackendVerdict:
        keys = [plain_text(field(item, "key")) for item in dictionary.named_children if item.type == "pair"]
        known = sum(key in BACKENDS for key in keys)
        return BackendVerdict(BackendUse.KEY, dictionary) if known > 1 else _NONE

    def _holds_backends_alone(self, dictionary: Node) -> bool:
        pairs = [item for item in dictionary.named_children if item.type == "pair"]
        values = [plain_text(field(item, "value")) for item in pairs]
        return len(values) > 1 and all(value in BACKENDS for value in values)

    # -- calls -------------------------------------------------------------------------------------

    def _keyword(self, value: _Value, parent: Node) -> BackendVerdict:
        name_node, holder = field(parent, "name"), parent.parent
        call = holder.parent if holder is not None else None
        if name_node is None or call is None or call.type != "call":
            return _UNKNOWN
        name, callee = text_of(name_node), last_name(call)
        if source_of_callee(call, self._ctx).origin in (Origin.FOREIGN, Origin.PLAIN):
            return _NONE
        if name == "choices":
            return BackendVerdict(BackendUse.CHOICE, value.node)
        if callee in _OPTIONS and name in ("default", "const", "flag_value"):
            return self._option(value, call)
        if callee in _HOLDS_DEFAULT and name == "default":
            return self.of(_at(value, call))
        return self._by_name(value, name) or self._given(value, call, name)

    def _given(self, value: _Value, call: Node, name: str) -> BackendVerdict:
        parameter = self._parameter(call, name)
        if parameter is not None:
            return self._bound(value, parameter)
        return _NONE if names_text(name) else _UNKNOWN

    def _parameter(self, call: Node, argument: str | int) -> Node | None:
        function = field(call, "function")
        return parameter_for(function, argument, self._ctx) if function is not None else None

    def _option(self, value: _Value, call: Node) -> BackendVerdict:
        names = [plain_text(item.value) or "" for item in arguments_of(call).positional]
        if any(is_backend_name(name.lstrip("-").replace("-", "_")) for name in names):
            return _NONE if "hccl" in text_of(call) else _BACKEND
        return self.of(_at(value, call)) if last_name(call) in _HOLDS_DEFAULT else _UNKNOWN

    def _positional(self, value: _Value, parent: Node) -> BackendVerdict:
        call = parent.parent
        if call is None or call.type != "call":
            return _UNKNOWN
        arguments = [child for child in parent.named_children if child.type != "comment"]
        position = next((i for i, child in enumerate(arguments) if same(child, value.node)), 0)
        name = last_name(call)
        if name in _SINKS or self._imported_name(call) in _SINKS:
            return _BACKEND
        if name in _SAYS or name.endswith(("Error", "Exception", "Warning")):
            return _NONE
        if name in ("getattr", "hasattr", "setattr", "delattr") and position == 1:
            return _NONE
        if name in _GIVES_ITEM:
            return self._item(value, call, position)
        if name in _KEEPS_TEXT or (name in _HOLDS_DEFAULT and position == 0):
            return self.of(_at(value, call))
        if name == "Choice":
            return BackendVerdict(BackendUse.CHOICE, value.node)
        if name in _SEARCHES:
            return self._searched(value, call)
        if name == "parametrize":
            told = is_backend_name(plain_text(arguments[0]) or "")
            return _BACKEND if told and position else _UNKNOWN
        return self._argument(value, call, name, position)

    def _imported_name(self, call: Node) -> str:
        """The name under which a callee was defined: ``init_process_group`` of one imported as ``setup``."""
        function = field(call, "function")
        resolution = self._ctx.source.names.qualified_name(function) if function is not None else None
        return resolution.qualified_name.rpartition(".")[2] if resolution is not None else ""

    def _argument(self, value: _Value, call: Node, name: str, position: int) -> BackendVerdict:
        """The argument of a function that nothing is known of but its name."""
        parameter = self._parameter(call, position)
        if parameter is not None:
            return self._bound(value, parameter)
        if source_of_callee(call, self._ctx).origin in (Origin.FOREIGN, Origin.PLAIN):
            return _NONE
        if is_setup_name(name):
            return _BACKEND
        return _UNKNOWN

    def _item(self, value: _Value, call: Node, position: int) -> BackendVerdict:
        """The default of ``d.get('backend', 'nccl')``; its first text is a key."""
        if position == 0:
            return _NONE
        keys = arguments_of(call).positional[:position]
        told = any(is_backend_name(plain_text(key.value) or "") for key in keys)
        return _BACKEND if told else self.of(_at(value, call))

    def _searched(self, value: _Value, call: Node) -> BackendVerdict:
        function = field(call, "function")
        receiver = field(function, "object") if function is not None else None
        if receiver is None or not self._is_backend(receiver):
            return _NONE
        return BackendVerdict(BackendUse.LOOKUP, value.node) if value.boxed else _BACKEND

    # -- comparisons -------------------------------------------------------------------------------

    def _compared(self, value: _Value, comparison: Node) -> BackendVerdict:
        others = [part for part in comparison.named_children if not same(part, value.node)]
        told = any(self._is_backend(other) for other in others)
        if has_hccl_branch(comparison):
            return _NONE
        if value.boxed:
            return BackendVerdict(BackendUse.LOOKUP, value.node) if told else _UNKNOWN
        if value.node.type != "string":
            return _NONE  # a variable that holds the text is tested: that tells nothing of the text
        return _BACKEND if told else _UNKNOWN

    def _is_backend(self, expression: Node) -> bool:
        """Whether an expression is a back end's name, by its own name or by what was assigned to it."""
        node = without_parentheses(expression)
        if node.type == "call":
            return self._gives_backend(node)
        if node.type == "subscript":
            return any(is_backend_name(plain_text(part) or text_of(part)) for part in node.named_children)
        if node.type == "attribute":
            return is_backend_name(text_of(node).rpartition(".")[2])
        if node.type != "identifier":
            return False
        bindings = self._ctx.source.names.bindings_in_scope(text_of(node), node)
        calls = (item.value for item in bindings if item.value is not None and item.value.type == "call")
        return is_backend_name(text_of(node)) or any(is_backend_name(last_name(call)) for call in calls)

    def _gives_backend(self, call: Node) -> bool:
        """Whether a call gives a back end's name: ``get_backend()``, ``d.get('backend')``, ``b.lower()``."""
        function = field(call, "function")
        arguments = [item.value for item in arguments_of(call).items]
        if is_backend_name(last_name(call)) or any(is_backend_name(plain_text(i) or "") for i in arguments):
            return True
        if last_name(call) == "str":
            return any(self._is_backend(argument) for argument in arguments)
        receiver = field(function, "object") if function is not None else None
        return receiver is not None and self._is_backend(receiver)

    def _case(self, value: _Value, pattern: Node) -> BackendVerdict:
        statement = enclosing(pattern, "match_statement")
        subject = field(statement, "subject") if statement is not None else None
        told = subject is not None and self._is_backend(subject) and pattern.type == "case_pattern"
        return _BACKEND if told else _UNKNOWN

    # -- variables ---------------------------------------------------------------------------------

    def _assigned(self, value: _Value, statement: Node) -> BackendVerdict:
        target = field(statement, "left")
        if target is None or not is_field(value.node, "right"):
            return _NONE
        return self._stored(value, target)

    def _stored(self, value: _Value, target: Node) -> BackendVerdict:
        if target.type == "identifier":
            return self._bound(value, target)
        if target.type == "attribute":
            return self._by_name(value, text_of(target).rpartition(".")[2]) or _UNKNOWN
        if target.type == "subscript":
            keys = target.named_children[1:]
            told = any(is_backend_name(plain_text(key) or "") for key in keys)
            return (self._by_name(value, "backend") or _UNKNOWN) if told else _UNKNOWN
        return _UNKNOWN

    def _by_name(self, value: _Value, name: str) -> BackendVerdict | None:
        if not is_backend_name(name):
            return None
        return BackendVerdict(BackendUse.LOOKUP, value.node) if value.boxed else _BACKEND

    def _bound(self, value: _Value, name: Node) -> BackendVerdict:
        """The use of a value by the name that it is bound to, or else by the uses of that name."""
        if self._has_hccl_sibling(name):
            return _NONE
        uses = uses_of_variable(name, self._ctx.source)
        found = (self.of(_Value(use, value.boxed, value.depth + 1)) for use in uses)
        told = self._by_name(value, text_of(name)) or strongest(found)
        return _UNKNOWN if told.use is BackendUse.NONE else told

    def _has_hccl_sibling(self, name: Node) -> bool:
        """Whether a constant is one of a set of names for back ends that has the NPU's too."""
        scope = scope_of(name)
        is_constant = scope.type == "class_definition" or "nccl" in text_of(name).lower()
        return is_constant and "hccl" in text_of(scope).lower()

    def _default(self, value: _Value, parameter: Node) -> BackendVerdict:
        name = field(parameter, "name")
        return self._bound(value, name) if name is not None else _UNKNOWN

    def _returned(self, value: _Value, statement: Node) -> BackendVerdict:
        function = enclosing(statement, "function_definition")
        name = field(function, "name") if function is not None else None
        told = self._by_name(value, text_of(name)) if name is not None else None
        return told or _UNKNOWN

    def _iterated(self, value: _Value, loop: Node) -> BackendVerdict:
        target = field(loop, "left")
        if not value.boxed or target is None or not is_field(value.node, "right"):
            return _NONE
        return _BACKEND if is_backend_name(text_of(target)) else _UNKNOWN


def _at(value: _Value, node: Node) -> _Value:
    return value._replace(node=node)
