"""Which code of a file TorchScript compiles: an equivalent is Python that TorchScript does not take.

What a file hands to ``torch.jit.script`` is followed to the functions and classes of the same file, and from
there to whatever those name: TorchScript compiles all of it, and arms for ``torch.jit.is_scripting()``.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..limits.below import nodes_in
from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from ..text.scopes import BindingKind
from ..text.syntax import arguments_of, enclosing, field, is_base_class, is_field, target_of, text_of
from ..text.uses import values_of_attribute

_SCRIPT_MODULES = frozenset(
    {"torch.jit.ScriptModule", "torch.jit._script.ScriptModule", "torch.jit.RecursiveScriptModule"}
)
_OF_A_CLASS = frozenset({"torch.jit.script_method", "torch.jit.export"})
"""Decorators of methods: their class is compiled as a whole."""
_COMPILERS = (
    frozenset({"torch.jit.script", "torch.jit._script.script", "torch.jit.script_if_tracing"}) | _OF_A_CLASS
)
_ASKED = "torch.jit.is_scripting"
_WORDS = tuple(sorted({name.rpartition(".")[2] for name in _COMPILERS | _SCRIPT_MODULES}))
_SUBJECTS = ("obj", "fn")
"""The names of the first parameter of the compilers."""
_Span = tuple[int, int]


def is_scripted(node: Node, ctx: Context) -> bool:
    """Whether TorchScript compiles the code at a node, or makes a module that is there a part of one."""
    if b"jit" not in ctx.source.data:
        return False
    spans = ctx.once(is_scripted, lambda: _compiled_spans(ctx))
    return any(start <= node.start_byte and node.end_byte <= end for start, end in spans)


def _compiled_spans(ctx: Context) -> tuple[_Span, ...]:
    """The text of everything that is compiled, and of the values that compiled names are given."""
    waiting = list(_handed_over(ctx))
    known: dict[int, Node] = {}
    followed: set[tuple[str, int]] = set()
    while waiting:
        checkpoint()
        node = waiting.pop()
        if node.id not in known:
            known[node.id] = node
            waiting += _named_in(node, followed, ctx)
    return tuple({(node.start_byte, node.end_byte) for node in known.values()})


def _handed_over(ctx: Context) -> Iterator[Node]:
    """The definitions and expressions that the file itself has compiled."""
    for use, name in _uses(ctx):
        parent = parent_of(use)
        if parent is None:
            continue
        call = parent if parent.type == "call" and is_field(use, "function") else None
        decorator = parent if parent.type == "decorator" else parent_of(call)
        if name in _SCRIPT_MODULES:
            owner = enclosing(use, "class_definition") if is_base_class(use) else None
        elif decorator is not None and decorator.type == "decorator":
            owner = enclosing(use, "class_definition") if name in _OF_A_CLASS else parent_of(decorator)
        else:
            owner = None
            if call is not None:
                yield from _subjects(call, ctx)
        if owner is not None:
            yield owner
    yield from _arms_for_scripts(ctx)


def _arms_for_scripts(ctx: Context) -> Iterator[Node]:
    """The arms that run only in compiled code, whatever compiles it: ``if torch.jit.is_scripting():``."""
    for word in ctx.source.identifiers("is_scripting"):
        call = ctx.source.enclosing(word, "call")
        if call is not None and is_field(call, "condition") and ctx.source.names.called_in(call) == _ASKED:
            arm = field(parent_of(call), "consequence")
            if arm is not None:
                yield arm


def _uses(ctx: Context) -> Iterator[tuple[Node, str]]:
    """Every expression that means a compiler or ``ScriptModule``, and which of them it is."""
    words = list(_WORDS)
    words += [item.name for item in ctx.source.names.imports if item.target in _COMPILERS | _SCRIPT_MODULES]
    done: set[str] = set()
    while words:
        word = words.pop()
        if word in done:
            continue
        done.add(word)
        for identifier in ctx.source.identifiers(word):
            parent = parent_of(identifier)
            is_attribute = parent is not None and is_field(identifier, "attribute")
            use = parent if is_attribute and parent is not None else identifier
            name = ctx.source.names.name_of(use)
            if name not in _COMPILERS | _SCRIPT_MODULES:
                continue
            yield use, name
            words += _name_given(use)


def _name_given(value: Node) -> Iterator[str]:
    """The name that an assignment gives to a value, ``fuse = torch.jit.script``."""
    target = target_of(value)
    if target is not None and target.type == "identifier":
        yield text_of(target)


def _subjects(call: Node, ctx: Context) -> Iterator[Node]:
    """What a call has compiled, and the expressions that it may come from."""
    given = arguments_of(call)
    found = given.at(0) or next(filter(None, map(given.keyword, _SUBJECTS)), None)
    if found is None:
        return
    yield found.value
    yield from ctx.origins(found.value)
    if found.value.type == "attribute":
        yield from values_of_attribute(found.value, ctx.source)
    if found.value.type == "identifier":
        yield from _passed_for(found.value, ctx)


def _passed_for(identifier: Node, ctx: Context) -> Iterator[Node]:
    """What calls of a function in the file pass for a parameter of it."""
    name = text_of(identifier)
    for binding in ctx.source.names.bindings_in_scope(name, identifier):
        function = field(binding.scope, "name")
        parameters = field(binding.scope, "parameters")
        if binding.kind is not BindingKind.PARAMETER or function is None or parameters is None:
            continue
        names = [text_of(child).partition(":")[0].partition("=")[0] for child in parameters.named_children]
        for use in ctx.source.names.references(text_of(function)):
            call = parent_of(use)
            if call is not None and call.type == "call" and is_field(use, "function"):
                found = arguments_of(call).get(name, names.index(name) if name in names else -1)
                if found is not None:
                    yield found.value


def _named_in(node: Node, followed: set[tuple[str, int]], ctx: Context) -> Iterator[Node]:
    """The functions and classes of the file that compiled code names, and what its names are given.

    Each name of a scope is followed once, however often compiled code reads it.
    """
    for child in nodes_in(node):
        if child.type != "identifier" or not ctx.source.names.is_reference(child):
            continue
        bindings = ctx.source.names.bindings_in_scope(text_of(child), child)
        key = (text_of(child), bindings[0].scope.id if bindings else 0)
        if key in followed:
            continue
        followed.add(key)
        for binding in bindings:
            if binding.kind is BindingKind.DEFINITION:
                yield binding.statement
            elif binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
                yield binding.value
