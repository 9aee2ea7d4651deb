"""What the conditions of a file answer on the NPU, as far as the file decides it.

A test for CUDA that stays is not true there, nor is one for a module that only CUDA has: the import of it
fails, a search for it finds nothing, and what the file keeps of either is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...data import load_json
from ...facts.packages.predicates import Asks, Predicate, predicate
from ...facts.packages.third_party import is_absent_on_npu
from ...limits.walks import FORWARD_LIMITS, NAME_LIMITS
from ...text.guards import condition_of, handles_absence
from ...text.scopes import Binding, BindingKind
from ...text.syntax import (
    COMPREHENSION_TYPES,
    OWN_SCOPES,
    ancestors,
    arguments_of,
    chain_of,
    field,
    last_name,
    parts_of,
    text_of,
    without_parentheses,
)
from ...text.uses import statements_setting
from ..templates import plain_text
from .conditions.version_tests import answer_of_member_test, answer_of_version_test
from .conditions.whole import TESTING, combined
from .cuda_guards import Guard, guard_of, is_build_script, is_word_of_cuda
from .needing.given import split_name
from .needing.needs import needs_of

if TYPE_CHECKING:
    from ...engine.context import Context

_CONSTANTS = {"true": True, "false": False, "none": False}
_EQUAL, _UNEQUAL = frozenset({"==", "in", "is"}), frozenset({"!=", "not in", "is not", "<>"})
_ENVIRONMENT = frozenset({"os.getenv", "os.environ.get"})
_TOOLKIT = "torch.utils.cpp_extension.CUDA_HOME"
_BUILDS = frozenset({*load_json("backend_flags")["build"], _TOOLKIT})
"""What is False or None in the build of torch that the NPU uses."""
_LAST_OF_BUILDS = tuple(name.rpartition(".")[2] for name in _BUILDS)
_UNKNOWN = "?"
_LOOK_UPS = ("import_module", "__import__", "version", "distribution", "get_distribution", "metadata")
"""Functions that raise for a package that is not there."""


def answer_of(condition: Node, ctx: Context) -> bool | None:
    """Whether a condition is true on the NPU, or a value counts as true; None where that is not decided."""
    return _answer(condition, ctx, NAME_LIMITS.conditions)


def _answer(expression: Node, ctx: Context, depth: int) -> bool | None:
    node = without_parentheses(expression)
    if node.type in _CONSTANTS:
        return _CONSTANTS[node.type]
    answer = _ANSWERS.get(node.type)
    return answer(node, ctx, depth) if answer is not None else None


def _of_parts(node: Node, ctx: Context, depth: int) -> bool | None:
    return combined(node, lambda part: _answer(part, ctx, depth))


def _of_attribute(node: Node, ctx: Context, depth: int) -> bool | None:
    if text_of(field(node, "attribute") or node) == "is_cuda":
        return _of_kept(node, ctx)
    if text_of(node).endswith(_LAST_OF_BUILDS) and ctx.source.names.name_of(node) in _BUILDS:
        return False
    own = _of_own_attribute(node, ctx, depth)
    return own if own is not None else _of_module_attribute(node, ctx)


def _of_kept(test: Node, ctx: Context) -> bool | None:
    """A test that stays is not true on the NPU, unless transfer_to_npu answers it, which replaces both."""
    stays = is_build_script(ctx) or guard_of(test, ctx) is Guard.CUDA_ONLY
    return False if stays and not ctx.options.auto else None


def _of_choice(node: Node, ctx: Context, depth: int) -> bool | None:
    """``torch.cuda.is_available() if flag is None else flag``."""
    parts = parts_of(node)
    chosen = _answer(parts[1], ctx, depth) if len(parts) == 3 else None
    arms = parts[::2] if chosen is None else [parts[0 if chosen else 2]]
    return _common(_answer(arm, ctx, depth) for arm in arms)


def _of_comparison(node: Node, ctx: Context, depth: int) -> bool | None:
    """``x.device.type == 'cuda'``, ``kernel is not None``."""
    by_version = answer_of_version_test(node, ctx)
    if by_version is not None or node.child_count != 3:
        return by_version
    left, operator, right = node.children
    is_equal = operator.type in _EQUAL
    if not is_equal and operator.type not in _UNEQUAL:
        return None
    if _is_of_environment(left, right, ctx):
        return _of_environment(left, right, is_equal=is_equal)
    if right.type == "none":
        return (not is_equal) if _answer(left, ctx, depth) else _none(left, is_equal, ctx, depth)
    for side in (left, right):
        words = side.named_children if side.type in ("tuple", "list", "set") else [side]
        if words and all(is_word_of_cuda(word, ctx) for word in words):
            return (not is_equal) if guard_of(words[0], ctx) is Guard.CUDA_ONLY else None
    return None


def _is_of_environment(left: Node, right: Node, ctx: Context) -> bool:
    """``os.getenv('FORCE_CUDA') == '1'``, ``'FORCE_CUDA' in os.environ``."""
    is_asked = left.type == "string" and text_of(right) == "os.environ"
    return is_asked or (left.type == "call" and right.type == "string" and _names_environment(left, ctx))


def _of_environment(left: Node, right: Node, *, is_equal: bool) -> bool | None:
    """What a comparison says of a variable that makes a build use CUDA, and is not set there."""
    if left.type == "string":
        return (not is_equal) if "CUDA" in (plain_text(left) or "") else None
    is_alike = _unset(left) == plain_text(right)
    return is_alike is is_equal if _unset(left) is not _UNKNOWN else None


def _none(value: Node, is_equal: bool, ctx: Context, depth: int) -> bool | None:
    """Whether ``value is None``: what is not true here is a module that is not there."""
    return is_equal if _answer(value, ctx, depth) is False else None


def _of_call(call: Node, ctx: Context, depth: int) -> bool | None:
    function = field(call, "function")
    if function is None:
        return None
    resolution = ctx.source.names.qualified_name(function)
    name = resolution.qualified_name if resolution is not None else text_of(function)
    if name.startswith("torch.cuda."):
        return _of_kept(function, ctx)
    if name in _BUILDS:
        return False
    if name == "hasattr":
        return answer_of_member_test(call, ctx)
    if last_name(call) in TESTING:
        return _of_testing(call, ctx, depth)
    known = predicate(name)
    if known is not None:
        return _of_predicate(known, call, ctx)
    if name in _ENVIRONMENT:
        return _truth(_unset(call))
    if function.type == "identifier" and depth > 0:
        return _of_function(function, ctx, depth)
    return _of_module_attribute(function, ctx) if function.type == "attribute" else None


def _of_testing(call: Node, ctx: Context, depth: int) -> bool | None:
    """``device.startswith('cuda')``, ``bool(test)``, ``all(x.is_cuda for x in given)``."""
    given = field(call, "arguments")
    first = arguments_of(call).at(0)
    tested = first.value if first is not None else given
    if tested is not None and tested.type in COMPREHENSION_TYPES:
        tested = field(tested, "body")
    if tested is None:
        return None
    words = [tested] if tested.type in ("string", "identifier") else tested.named_children
    if words and all(is_word_of_cuda(word, ctx) for word in words):
        return False if guard_of(words[0], ctx) is Guard.CUDA_ONLY else None
    return _answer(tested, ctx, depth)


def _names_environment(call: Node, ctx: Context) -> bool:
    return ctx.source.names.name_of(field(call, "function") or call) in _ENVIRONMENT


def _unset(call: Node) -> str | None:
    """What a look-up of a variable gives by which a build is made to use CUDA, and which is not set there."""
    arguments = arguments_of(call)
    name, default = arguments.at(0), arguments.get("default", 1)
    if name is None or "CUDA" not in (plain_text(name.value) or ""):
        return _UNKNOWN
    if default is None or default.value.type == "none":
        return None
    return plain_text(default.value) or (_UNKNOWN if default.value.type != "string" else "")


def _truth(value: str | None) -> bool | None:
    return None if value is _UNKNOWN else bool(value)


def _of_predicate(known: Predicate, call: Node, ctx: Context) -> bool | None:
    if known.asks is Asks.PACKAGE:
        first = arguments_of(call).at(0)
        named = plain_text(first.value) if first is not None else None
        return False if named and is_absent_on_npu(named_module(named)) else None
    if known.asks is Asks.CUDA:  # else it comes to ask for the NPU
        stays = guard_of(field(call, "function") or call, ctx) is Guard.CUDA_ONLY
        return False if stays or any(ctx.source.identifiers(known.instead)) else None
    return {Asks.KERNELS: False, Asks.OTHER: False, Asks.NPU: True}.get(known.asks)


def named_module(requirement: str) -> str:
    """The module of a requirement: ``flash_attn`` of ``flash-attn>=2``."""
    name = requirement.partition("[")[0]
    for end in "<>=!~ ;":
        name = name.partition(end)[0]
    return name.strip().replace("-", "_")


def _of_function(function: Node, ctx: Context, depth: int) -> bool | None:
    """What a function of the file returns."""
    bindings = ctx.source.names.bindings_in_scope(text_of(function), function)
    if len(bindings) == 1 and bindings[0].kind is BindingKind.DEFINITION:
        return _of_returned(bindings[0], ctx, depth)
    return _of_bindings(bindings, ctx, depth - 1)


def _of_returned(function: Binding, ctx: Context, depth: int) -> bool | None:
    """What a function of the file returns at its end."""
    body = field(function.statement, "body")
    if function.statement.type != "function_definition" or body is None:
        return None
    last = parts_of(body)[-1:]
    for statement in parts_of(body)[: FORWARD_LIMITS.values]:
        early = _left_early(statement, ctx, depth - 1)
        if early is not None:
            last = [early]
            break
    if last and last[0].type == "try_statement" and _has_failing_import(last[0], last[0].end_byte, ctx):
        handlers = [item for item in last[0].named_children if item.type == "except_clause"]
        last = parts_of(handlers[0].named_children[-1])[-1:] if handlers else []
    returned = last[0].named_children if last and last[0].type == "return_statement" else []
    return _answer(returned[0], ctx, depth - 1) if returned else None


def _left_early(statement: Node, ctx: Context, depth: int) -> Node | None:
    """The ``return`` by which an ``if`` ends a function on the NPU."""
    condition, consequence = field(statement, "condition"), field(statement, "consequence")
    last = parts_of(consequence)[-1:] if consequence is not None else []
    is_left = statement.type == "if_statement" and bool(last) and last[0].type == "return_statement"
    return last[0] if is_left and condition is not None and _answer(condition, ctx, depth) else None


def _of_name(name: Node, ctx: Context, depth: int) -> bool | None:
    """What a variable holds, by all that may give it a value on the NPU."""
    return _of_bindings(ctx.source.names.bindings_in_scope(text_of(name), name), ctx, depth)


def _of_bindings(bindings: tuple[Binding, ...], ctx: Context, depth: int) -> bool | None:
    """What the bindings that are reached give a name."""
    if not bindings or len(bindings) > FORWARD_LIMITS.values or depth <= 0:
        return None
    reached = [item for item in bindings if not _fails(item, ctx, depth - 1)]
    handling = [item.node.start_byte for item in reached if _handles_failure(item, ctx)]
    last = max(handling, default=-1)
    if len(reached) == len(bindings) and not handling and all(map(_is_constant, reached)):
        return None  # a setting, which others may change
    return _common(_of_binding(item, ctx, depth - 1) for item in reached if item.node.start_byte >= last)


def _is_constant(binding: Binding) -> bool:
    return binding.value is not None and binding.value.type in _CONSTANTS


def _common(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    return found.pop() if len(found) == 1 else (False if not found else None)


def _of_binding(binding: Binding, ctx: Context, depth: int) -> bool | None:
    if binding.kind is BindingKind.IMPORT and binding.target == _TOOLKIT:
        return False  # it is None where there is no toolkit of CUDA
    if binding.kind is BindingKind.IMPORT:
        return _of_module(binding.target, ctx)
    if binding.kind is not BindingKind.ASSIGNMENT or binding.value is None:
        return None
    return _answer(binding.value, ctx, depth)


def _of_module(target: str, ctx: Context) -> bool | None:
    """What a name of another module of the project holds, or returns."""
    module, name = split_name(target)
    if not module or not ctx.project.has_module(ctx.source.path, module):
        return None
    return ctx.project.cuda.answer_on_npu(ctx.source.path, module, name, ctx.options)


def _of_module_attribute(node: Node, ctx: Context) -> bool | None:
    """What ``flags.USE_KERNEL`` holds, or ``flags.has_kernel`` returns."""
    resolution = ctx.source.names.qualified_name(node)
    return _of_module(resolution.qualified_name, ctx) if resolution is not None else None


def _fails(binding: Binding, ctx: Context, depth: int) -> bool:
    """Whether a binding is not reached on the NPU: it is the import of what only CUDA has, behind one that is
    tried, or on a way that the NPU does not take."""
    if binding.kind is BindingKind.IMPORT and needs_of(ctx).is_of_cuda(binding):
        return True
    inner = binding.statement
    for parent in ancestors(binding.statement):
        if parent.type in OWN_SCOPES:
            return False
        if parent.type == "try_statement" and inner.type in ("block", "else_clause"):
            end = inner.start_byte if inner.type == "else_clause" else binding.node.start_byte
            if handles_absence(parent) and _has_failing_import(parent, end, ctx):
                return True
        condition, holds = condition_of(inner, parent)
        if condition is not None and _answer(condition, ctx, depth) is (not holds):
            return True
        inner = parent
    return False


def _handles_failure(binding: Binding, ctx: Context) -> bool:
    """Whether a binding stands in what handles the failure of an import of what only CUDA has."""
    inner = binding.statement
    for parent in ancestors(binding.statement):
        if parent.type in OWN_SCOPES:
            return False
        if parent.type == "try_statement" and inner.type == "except_clause":
            return _has_failing_import(parent, inner.start_byte, ctx)
        inner = parent
    return False


def _has_failing_import(tried: Node, end: int, ctx: Context) -> bool:
    missing = ctx.once("imports that fail", lambda: _failing_imports(ctx))
    return any(tried.start_byte <= at < end for at in missing)


def _failing_imports(ctx: Context) -> tuple[int, ...]:
    """Where the file imports what only CUDA has, or asks for the version of such a package."""
    needs, found = needs_of(ctx), []
    found += [item.statement.start_byte for item in ctx.source.names.imports if needs.is_of_cuda(item)]
    for word in _LOOK_UPS:
        for identifier in ctx.source.identifiers(word):
            call = ctx.source.enclosing(identifier, "call")
            first = arguments_of(call).at(0) if call is not None and last_name(call) == word else None
            named = plain_text(first.value) if first is not None else None
            if call is not None and named and is_absent_on_npu(named_module(named)):
                found.append(call.start_byte)
    return tuple(found)


def answer_of_module(name: str, ctx: Context) -> bool | None:
    """What a name of the module holds or, of a function, returns on the NPU."""
    bindings = ctx.source.names.bindings_in_scope(name, ctx.source.root)
    if len(bindings) == 1 and bindings[0].kind is BindingKind.DEFINITION:
        return _of_returned(bindings[0], ctx, NAME_LIMITS.conditions)
    return _of_bindings(bindings, ctx, NAME_LIMITS.conditions)


def _of_own_attribute(node: Node, ctx: Context, depth: int) -> bool | None:
    """What ``self.flag`` is given in its class, where that is one expression."""
    chain, owner = chain_of(node), ctx.source.enclosing(node, "class_definition")
    is_own = chain is not None and len(chain.attributes) == 1 and text_of(chain.root) in ("self", "cls")
    if chain is None or owner is None or not is_own or depth <= 0:
        return None
    values: list[Node] = []
    for statement in statements_setting(chain.attributes[0], owner, ctx.source):
        value = field(statement, "right")
        if statement.type != "assignment" or value is None or value.type in _CONSTANTS:
            return None
        values.append(value)
    return _common(_answer(value, ctx, depth - 1) for value in values) if values else None


_ANSWERS: dict[str, Callable[[Node, Context, int], bool | None]] = {
    "not_operator": _of_parts,
    "boolean_operator": _of_parts,
    "conditional_expression": _of_choice,
    "comparison_operator": _of_comparison,
    "call": _of_call,
    "identifier": _of_name,
    "attribute": _of_attribute,
}
