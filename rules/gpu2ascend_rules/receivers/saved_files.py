"""What a file saves, and whether it is what a load in it reads: tensors alone, or objects as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..flow.names.parameters import parameter_of
from ..flow.templates import plain_text
from ..limits.below import nodes_in
from ..limits.parents import parent_of
from ..text.scopes import BindingKind
from ..text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    encloses,
    field,
    is_field,
    last_name,
    last_name_of,
    parts_of,
    passed_to,
    same,
    text_of,
)
from ..text.uses import uses_of_variable
from .evidence import methods_defined_here

SETTINGS = frozenset(
    {
        "args", "opt", "opts", "options", "cfg", "config", "hparams", "hyper_parameters", "np_rng_state",
        "numpy_rng_state", "model_args", "train_args",
    }
)  # fmt: skip
"""Keys of checkpoints that hold objects other than tensors, numbers and texts."""
MODEL_METHODS = frozenset({"eval", "train", "state_dict", "parameters", "named_parameters", "modules"})
"""Methods of models that no tensor has."""
_PARSED = frozenset({"args", "opts", "flags", "FLAGS"})
"""What functions call the options that a parser gave, which are an object."""
_NAMES_OF_SETTINGS = SETTINGS | {"conf", "configs", "flags", "FLAGS", "settings"}
_GETTERS = ("get", "pop")
_NUMBERS_OF_NUMPY = frozenset(f"numpy.{name}" for name in ("mean", "nanmean", "median", "std", "max", "min"))
_OF_MAPPINGS = frozenset({"get", "items", "keys", "values", "pop", "update", "copy", "setdefault"})
_FEWEST_KEYS = 2
"""Keys that a load and a save have in common, for the one to read what the other writes."""
_SEQUENCES = frozenset({"list", "tuple"})
_OTHER_ARMS = frozenset({"else_clause", "elif_clause", "except_clause"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern"})
_GIVEN = {(BindingKind.PARAMETER, holder) for holder in ("parameters", "typed_parameter")}
_AS_MAPPINGS = frozenset({"subscript", "attribute", "dictionary_splat", "list_splat"})
"""Where a parameter stands that is a mapping, a sequence, or of a kind that its attributes show."""


class _Saved(NamedTuple):
    """What one call saves."""

    value: Node
    items: Mapping[str, Node]
    """Of a dictionary, by key."""
    listed: Sequence[Node]


def is_saved_with_objects(load: Node, ctx: Context) -> bool:
    """Whether a load reads what the file itself saves, by the names of its items, their number or its own
    name, and that holds a model, an optimizer or the options of a program."""
    statement = parent_of(load)
    target = field(statement, "left") if statement is not None and is_field(load, "right") else None
    if target is None or ctx.source.has(b"add_safe_globals"):
        return False
    matching = [saved for saved in _saved_in(ctx) if _is_read(target, load, saved, ctx)]
    return bool(matching) and all(_holds_objects(saved, ctx) for saved in matching)


def loads_what_is_tested(load: Node) -> bool:
    """Whether a path is loaded only where a test finds it given, or there: ``if args.resume:``."""
    given = arguments_of(load).at(0)
    path = text_of(given.value) if given is not None else ""
    for parent in ancestors(load):
        condition, arm = field(parent, "condition"), field(parent, "consequence")
        is_arm = arm is not None and encloses(arm, load)
        if condition is not None and is_arm and any(text_of(node) == path for node in nodes_in(condition)):
            return True
    return False


def may_be_saved_with_options(load: Node, ctx: Context) -> bool:
    """Whether a load asks for items that a file of the project saves beside the options of a program."""
    saved = [item.partition(":")[2] for item in ctx.project.read_settings if item.startswith("saved:")]
    if not saved or ctx.source.has(b"add_safe_globals"):
        return False
    holder = parent_of(load)
    target = field(holder, "left") if holder is not None and is_field(load, "right") else None
    uses = [load]
    if target is not None and target.type == "identifier":
        uses = list(_uses_of_loaded(target, load, ctx))
    keys = {key for use in uses for key in _keys_asked(use)}
    return bool(keys) and any(keys <= set(items.split(",")) for items in saved)


def _is_read(target: Node, load: Node, saved: _Saved, ctx: Context) -> bool:
    if target.type in _PATTERNS:
        return len(target.named_children) == len(saved.listed)
    if target.type != "identifier":
        return False
    if saved.items:
        keys = {key for use in _uses_of_loaded(target, load, ctx) for key in _keys_asked(use)}
        return len(keys) >= _FEWEST_KEYS and keys <= saved.items.keys()
    return not saved.listed and text_of(saved.value) == text_of(target)


def _uses_of_loaded(target: Node, load: Node, ctx: Context) -> Iterator[Node]:
    """The uses of a variable behind a load, until it is given something else."""
    bindings = ctx.source.names.bindings_in_scope(text_of(target), target)
    later = (item for item in bindings if item.node.start_byte > load.end_byte)
    given = (item for item in later if not _is_otherwise(item.node, load))
    # what it is given next may be computed of it: c = c["model"]
    end = min(((field(item.statement, "right") or item.node).end_byte for item in given), default=None)
    for use in uses_of_variable(target, ctx.source):
        if use.start_byte > load.end_byte and (end is None or use.start_byte < end):
            yield use
            yield from _uses_where_handed(use, ctx)


def _uses_where_handed(use: Node, ctx: Context) -> Iterator[Node]:
    """The uses of what a method takes that is given a value, if the file has one of its name."""
    passed = passed_to(use)
    found = methods_defined_here(last_name(passed.call), ctx) if passed is not None else ()
    if passed is None or len(found) != 1:
        return
    positional = [item.value for item in arguments_of(passed.call).positional]
    place = next((at for at, value in enumerate(positional) if same(value, use)), -1)
    parameter = parameter_of(found[0], passed.argument.keyword or place, bound=True)
    if parameter is not None:
        yield from uses_of_variable(parameter, ctx.source)


def _is_otherwise(node: Node, load: Node) -> bool:
    """Whether a place is in another arm of a choice than a load."""
    arms = (parent for parent in ancestors(node) if parent.type in _OTHER_ARMS)
    return any(encloses(whole, load) for arm in arms if (whole := parent_of(arm)) is not None)


def _keys_asked(use: Node) -> Iterator[str]:
    """The keys by which a mapping is asked: ``c['k']``, ``c.pop('k')``, ``'k' in c``."""
    parent = parent_of(use)
    if parent is None:
        return
    asked = None
    if parent.type == "subscript" and is_field(use, "value"):
        asked = field(parent, "subscript")
    elif parent.type == "comparison_operator" and parent.named_child_count == 2:
        asked = parent.named_children[0]
    elif parent.type == "attribute" and text_of(field(parent, "attribute")) in _GETTERS:
        call = call_of(parent)
        first = arguments_of(call).at(0) if call is not None else None
        asked = first.value if first is not None else None
    key = plain_text(asked) if asked is not None and asked.type == "string" else None
    if key is not None:
        yield key


def _saved_in(ctx: Context) -> Sequence[_Saved]:
    return ctx.once("saved in this file", lambda: list(_found(ctx)))


def _found(ctx: Context) -> Iterator[_Saved]:
    for value in _values(ctx):
        origins = ctx.origins(value)
        made = [origin for origin in origins if origin.type == "dictionary"]
        for origin in made or origins:  # not what a load gave the same variable before
            items = dict(_items(origin)) if origin.type == "dictionary" else {}
            if origin.type == "dictionary" and value.type == "identifier":
                items.update(_added(value, ctx))
            yield _Saved(value, items, parts_of(origin) if origin.type in _SEQUENCES else ())


def _values(ctx: Context) -> Iterator[Node]:
    """What calls of ``torch.save`` are given, and those of functions that hand on all that they are given."""
    for word in ctx.source.identifiers("save"):
        call = ctx.source.enclosing(word, "call")
        if call is None or ctx.source.names.called_in(call) != "torch.save":
            continue
        given = arguments_of(call).get("obj", 0)
        if given is not None:
            yield given.value
        elif arguments_of(call).unpacked:
            yield from _handed_on(call, ctx)


def _handed_on(call: Node, ctx: Context) -> Iterator[Node]:
    name = field(ctx.source.enclosing(call, "function_definition"), "name")
    uses = ctx.source.names.readers(text_of(name), ctx.source.root) if name is not None else ()
    for use in uses:
        outer = call_of(use)
        given = arguments_of(outer).at(0) if outer is not None else None
        if given is not None:
            yield given.value


def _items(dictionary: Node) -> Iterator[tuple[str, Node]]:
    for pair in dictionary.named_children:
        key, value = field(pair, "key"), field(pair, "value")
        name = plain_text(key) if key is not None and key.type == "string" else None
        if name is not None and value is not None:
            yield name, value


def _added(variable: Node, ctx: Context) -> Iterator[tuple[str, Node]]:
    """What is put into a dictionary after it is made: ``content['args'] = args``."""
    for use in uses_of_variable(variable, ctx.source):
        place = parent_of(use)
        if place is None or place.type != "subscript" or not is_field(place, "left"):
            continue
        value = field(parent_of(place), "right")
        for key in _keys_asked(use):
            if value is not None:
                yield key, value


def _holds_objects(saved: _Saved, ctx: Context) -> bool:
    values = saved.items.values() or saved.listed or (saved.value,)
    return any(_is_object(value, ctx) for value in values)


def _is_object(value: Node, ctx: Context) -> bool:
    """Whether a variable or an attribute is a model or an optimizer, holds options as attributes, or numbers
    of NumPy; of a sequence, whether any item is."""
    if value.type in _SEQUENCES:
        return any(_is_object(item, ctx) for item in parts_of(value))
    if value.type not in ("identifier", "attribute"):
        return False
    name = last_name_of(value)
    asked = {text_of(field(use, "attribute")) for use in _attributes_of(value, ctx)}
    holds_options = name in _NAMES_OF_SETTINGS and bool(asked - _OF_MAPPINGS)
    is_model = not asked.isdisjoint(MODEL_METHODS)
    return holds_options or is_model or _is_handed_options(value, ctx) or _has_numpy(value, ctx)


def _has_numpy(value: Node, ctx: Context) -> bool:
    """Whether a list is added numbers of NumPy to: ``self.losses.append(np.mean(losses))``."""
    for attribute in _attributes_of(value, ctx):
        call = call_of(attribute) if text_of(field(attribute, "attribute")) == "append" else None
        added = arguments_of(call).at(0) if call is not None else None
        if added is not None and ctx.source.names.called_in(added.value) in _NUMBERS_OF_NUMPY:
            return True
    return False


def _is_handed_options(value: Node, ctx: Context) -> bool:
    """Whether a function saves a parameter called ``args`` of which it uses nothing itself."""
    if value.type != "identifier" or text_of(value) not in _PARSED:
        return False
    bindings = ctx.source.names.bindings_in_scope(text_of(value), value)
    kinds = {(item.kind, getattr(parent_of(item.node), "type", "")) for item in bindings}
    is_given = kinds <= _GIVEN and bool(kinds)
    uses = [parent_of(use) for use in uses_of_variable(value, ctx.source)]
    return is_given and not any(use is not None and use.type in _AS_MAPPINGS for use in uses)


def _attributes_of(value: Node, ctx: Context) -> Iterator[Node]:
    """The places that read an attribute of what a variable or an attribute of an object is."""
    for word in ctx.source.identifiers(last_name_of(value)):
        named = parent_of(word) if value.type == "attribute" else word
        outer = parent_of(named)
        is_read = outer is not None and outer.type == "attribute" and same(field(outer, "object"), named)
        if outer is not None and is_read and text_of(named) == text_of(value):
            yield outer
