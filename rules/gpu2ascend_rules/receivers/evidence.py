"""Whose method is called: evidence for and against a receiver being a torch object."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import MemberRef
from ..flow.libraries import is_foreign_library, is_made_by_foreign
from ..inference.duck_typing import tensor_check
from ..inference.kinds import Kind
from ..inference.own_methods import OwnMethods
from ..limits.parents import parent_of
from ..model.project.project_view import may_define_method
from ..text.source_file import SourceFile
from ..text.syntax import Within, ancestors, chain_of, field, is_field, passed_to, start_of, text_of

_IMPORTS_TORCH = re.compile(r"^\s*(?:import|from) torch\b", re.MULTILINE)
TORCH_KINDS = frozenset({Kind.TENSOR, Kind.MODULE, Kind.STREAM, Kind.OPTIMIZER})


def is_foreign(ref: MemberRef, ctx: Context) -> bool:
    """Whether a receiver comes from another framework: by its own name, or by what it was made of."""
    if ref.receiver_name is not None and is_foreign_library(ref.receiver_name):
        return True
    return is_made_by_foreign(ref.receiver, ctx)


def methods_defined_here(name: str, ctx: Context) -> list[Node]:
    """The function definitions of that name inside the file's classes."""
    return ctx.once(("methods", name), lambda: _methods_defined_here(name, ctx))


def _methods_defined_here(name: str, ctx: Context) -> list[Node]:
    return [
        function
        for identifier in ctx.source.identifiers(name)
        if (function := parent_of(identifier)) is not None
        and function.type == "function_definition"
        and is_field(identifier, "name")
        and owner_of(function) is not None
    ]


_OWNERS = frozenset({"class_definition", "function_definition"})


def owner_of(method: Node) -> Node | None:
    """The class whose body holds a function definition directly."""
    owner = next((item for item in ancestors(method) if item.type in _OWNERS), None)
    return owner if owner is not None and owner.type == "class_definition" else None


def could_be_own(ref: MemberRef, ctx: Context) -> bool:
    """Whether an unknown receiver could be an object of the project's own class with such a method.

    A class that is a torch module has the NPU's method too, so it raises no doubt. Neither does a call
    inside such a method: it passes the request on to what the object holds.
    """
    plain = ctx.once(("methods of plain classes", ref.name), lambda: Within(_of_plain_classes(ref.name, ctx)))
    if ref.node.start_byte in plain:
        return False
    is_open = bool(plain) or may_define_method(ctx.project, ref.name)
    return is_open and not _is_made_by_module_elsewhere(ref, ctx)


def _of_plain_classes(name: str, ctx: Context) -> Iterator[Node]:
    for method in methods_defined_here(name, ctx):
        owner = owner_of(method)
        if owner is not None and not ctx.types.is_module_class(owner):
            yield method


def is_defined_by_own_class(ref: MemberRef, ctx: Context) -> bool:
    """Whether the receiver is an object of one of the file's classes that define the method themselves, or
    keep something else under its name."""
    owner = ctx.source.enclosing(ref.node, "class_definition")
    is_self = text_of(ref.receiver) == "self"
    if is_self and owner is not None and owner.id in _classes_with_field(ref.name, ctx):
        return True
    methods = methods_defined_here(ref.name, ctx)
    if not methods:
        return False
    if not is_self:
        own = ctx.once("own methods", lambda: OwnMethods(ctx.source, ctx.instances.classes))
        return own.is_called(ref.receiver, ref.name)
    if owner is None:
        return False
    first = bisect_left(methods, owner.start_byte, key=start_of)
    return first < len(methods) and methods[first].start_byte < owner.end_byte


def _classes_with_field(name: str, ctx: Context) -> frozenset[int]:
    """The classes of the file, by the ids of their nodes, of which code sets ``self.name``."""
    return ctx.once(("classes with a field", name), lambda: frozenset(_that_set(name, ctx)))


def _that_set(name: str, ctx: Context) -> Iterator[int]:
    for identifier in ctx.source.identifiers(name):
        target = parent_of(identifier)
        if target is None or text_of(target) != f"self.{name}" or not is_field(target, "left"):
            continue
        owner = ctx.source.enclosing(target, "class_definition")
        if owner is not None:
            yield owner.id


def is_of_class_elsewhere(ref: MemberRef, ctx: Context) -> bool:
    """Whether the receiver is made by a class of another file of the project that defines the method, or by
    one of several in a table that all do."""
    known = ctx.project.defines_method(ref.name)
    if not known:
        return False
    listed = _listed_makers(ref.receiver, ctx)
    if listed:
        return set(listed) <= {owner.rpartition(".")[2] for owner in known}
    maker = _maker(ref.receiver, ctx)
    module, _, name = maker.rpartition(".")
    if not name or not ctx.project.has_module(ctx.source.path, module or maker):
        return False
    return any(owner.rpartition(".")[2] == name for owner in known)


def is_module_of_project(ref: MemberRef, ctx: Context) -> bool:
    """Whether the receiver is made by a class of another file of the project that is a module of torch, or by
    a function of one that works with torch."""
    module, _, name = _maker(ref.receiver, ctx).rpartition(".")
    found = ctx.project.find_module(ctx.source.path, module) if module else None
    if found is None:
        return False
    is_module = _is_module_class(found, name, ctx)
    if is_module is not None:
        return is_module
    return f"def {name}(" in found[1] and _IMPORTS_TORCH.search(found[1]) is not None


def _is_made_by_module_elsewhere(ref: MemberRef, ctx: Context) -> bool:
    """Whether a class of another file that is a module of torch, and nothing else, makes the receiver."""
    module, _, name = _maker(ref.receiver, ctx).rpartition(".")
    found = ctx.project.find_module(ctx.source.path, module) if module else None
    return found is not None and _is_module_class(found, name, ctx) is True


def _is_module_class(found: tuple[str, str], name: str, ctx: Context) -> bool | None:
    """Whether a class of another file is a module of torch; None where that file has no such class.
    The file is parsed once for all that the class makes."""
    return ctx.once(("module class", found[0], name), lambda: _reads_module_class(found, name, ctx))


def _reads_module_class(found: tuple[str, str], name: str, ctx: Context) -> bool | None:
    if re.search(rf"\bclass {re.escape(name)}\b", found[1]) is None:
        return None
    source = SourceFile(found[1], found[0])
    bindings = source.names.bindings_in_scope(name, source.root)
    owner = parent_of(bindings[0].node) if len(bindings) == 1 else None
    is_class = owner is not None and owner.type == "class_definition"
    return owner is not None and is_class and Context(source, ctx.options).types.is_module_class(owner)


def _maker(receiver: Node, ctx: Context) -> str:
    """The name of the imported class or function that makes an object."""
    function = _making(receiver, ctx)
    resolution = ctx.source.names.qualified_name(function) if function is not None else None
    is_imported = resolution is not None and resolution.binding is not None
    return resolution.qualified_name if resolution is not None and is_imported else ""


def _listed_makers(receiver: Node, ctx: Context) -> list[str]:
    """The classes in a table of another module of the project of which one makes an object:
    ``REGISTRY[args.name](...)``."""
    function = _making(receiver, ctx)
    held = field(function, "value") if function is not None and function.type == "subscript" else None
    module, _, table = ctx.source.names.name_of(held).rpartition(".")
    found = ctx.project.find_module(ctx.source.path, module) if module else None
    if found is None:
        return []
    return ctx.once(("listed makers", found[0], table), lambda: _listed_in(found, table))


def _listed_in(found: tuple[str, str], table: str) -> list[str]:
    source = SourceFile(found[1], found[0])
    entries = (value for name in source.identifiers(table) for value in _entries(name))
    return [source.names.name_of(value).rpartition(".")[2] for value in entries]


def _entries(table: Node) -> Iterator[Node]:
    """What an assignment to a table, or to one of its items, puts in it."""
    holder = parent_of(table)
    target = holder if holder is not None and holder.type == "subscript" else table
    statement = parent_of(target)
    value = field(statement, "right") if statement is not None and is_field(target, "left") else None
    if value is None:
        return
    if value.type == "dictionary":
        yield from (item for pair in value.named_children if (item := field(pair, "value")) is not None)
    elif target is holder:
        yield value


def _making(receiver: Node, ctx: Context) -> Node | None:
    """What is called to make an object, alone or in a tuple, where all that a name is given but what its own
    methods give shows it."""
    value: Node | None = receiver
    if receiver.type == "identifier":
        bindings = ctx.source.names.bindings_in_scope(text_of(receiver), receiver)
        values = [item.value or field(item.statement, "right") for item in bindings]
        made = [item for item in values if item is None or not _is_moved(item, receiver)]
        value = made[0] if len(made) == 1 else None
    return field(value, "function") if value is not None and value.type == "call" else None


def _is_moved(value: Node, receiver: Node) -> bool:
    """``model.cuda()``, given back to ``model``."""
    function = field(value, "function") if value.type == "call" else None
    chain = chain_of(function) if function is not None else None
    return chain is not None and text_of(chain.root) == text_of(receiver) and chain.attributes == ("cuda",)


def is_checked_tensor(node: Node, receiver: Node) -> bool:
    """Whether the code has just made sure that a receiver is a tensor: ``isinstance(x, Tensor) and x.a``."""
    return tensor_check(node, receiver) is not None


def is_in_map_location(node: Node, ctx: Context) -> bool:
    """Whether a call is in a function given to ``torch.load``, where it is called on a storage."""
    function = ctx.source.enclosing(node, "lambda")
    passed = passed_to(function) if function is not None else None
    if passed is None:
        return False
    if passed.argument.keyword is not None:
        return passed.argument.keyword == "map_location"
    callee = field(passed.call, "function")
    return callee is not None and text_of(callee).endswith("load")


def is_assigned(ref: MemberRef) -> bool:
    """Whether the attribute is what an assignment or a deletion writes to."""
    parent = parent_of(ref.node)
    if parent is None:
        return False
    if parent.type in ("assignment", "augmented_assignment"):
        return is_field(ref.node, "left")
    return parent.type in ("delete_statement", "pattern_list", "tuple_pattern")


def is_argument_namespace(receiver: Node) -> bool:
    """Whether a receiver is called as parsed command-line arguments and settings usually are."""
    chain = chain_of(receiver)
    words = (text_of(chain.root), *chain.attributes) if chain is not None else ()
    last = words[-1].lower() if words else ""
    return last in {"args", "opt", "opts", "options", "config", "cfg", "conf", "params", "flags", "hparams"}
