"""What the calls of a function in its file give for one of its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of, parent_type
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import Arguments, arguments_of, call_of, enclosing, field, is_field, text_of
from gpu2ascend_rules.text.uses import uses_of_variable

_SPLATS = ("list_splat_pattern", "dictionary_splat_pattern")


def given_by_callers(source: SourceFile, binding: Binding) -> Sequence[Node]:
    """The arguments for a parameter, of all calls; none where the function is used otherwise, too.

    Those for ``__init__`` are given where an object of the class is made. Else a call gives the default.
    """
    function = enclosing(binding.node, "function_definition", "lambda")
    name, parameters = _name_of(function), field(function, "parameters")
    if binding.kind is not BindingKind.PARAMETER or function is None or name is None or parameters is None:
        return ()
    is_method = _is_method(function)
    names = [_name(one) for one in parameters.named_children if one.type != "comment"]
    if binding.name not in names or any(one.type in _SPLATS for one in parameters.named_children):
        return ()
    position = names.index(binding.name)
    default = field(parameters.named_children[position], "value")
    found = [
        _given(arguments_of(one), binding.name, position - is_method, default) if one is not None else None
        for one in _calls_of(source, function, name, is_method=is_method)
    ]
    return [one for one in found if one is not None] if None not in found else ()


def _name_of(function: Node | None) -> Node | None:
    """The name of a function, or the variable that a ``lambda`` is given to."""
    if function is None or function.type != "lambda":
        return field(function, "name")
    assignment = parent_of(function)
    is_given = assignment is not None and assignment.type == "assignment"
    name = field(assignment, "left") if is_given else None
    return name if name is not None and name.type == "identifier" else None


def _is_method(function: Node) -> bool:
    holder = enclosing(function, "class_definition", "function_definition")
    is_in_class = holder is not None and holder.type == "class_definition"
    return is_in_class and function.type != "lambda"


def _calls_of(source: SourceFile, function: Node, name: Node, *, is_method: bool) -> list[Node | None]:
    """The calls of a function, or of the class whose objects it makes; None for any other use."""
    if function.type == "lambda":
        return [call_of(use) for use in uses_of_variable(name, source) if use.start_byte != name.start_byte]
    made = field(enclosing(function, "class_definition"), "name") if text_of(name) == "__init__" else None
    return _calls(source, made, is_method=False) if made else _calls(source, name, is_method=is_method)


def _calls(source: SourceFile, name: Node, *, is_method: bool) -> list[Node | None]:
    """The calls of a function of the file; None for each use that is anything else."""
    found: list[Node | None] = []
    for identifier in source.identifiers(text_of(name)):
        holder = parent_of(identifier)
        is_attribute = holder is not None and holder.type == "attribute" and is_field(identifier, "attribute")
        is_other = (
            is_attribute != is_method
        )  # ``loss`` in ``loss = net.loss(x)``, ``train`` of ``net.train()``
        if identifier.start_byte != name.start_byte and not is_other and not _is_of_super(identifier):
            found.append(call_of(holder if is_attribute else identifier))
    return found


def _is_of_super(name: Node) -> bool:
    """Whether it is the class of ``super(Net, self)``, which makes no object."""
    call = parent_of(parent_of(name))
    is_first = call is not None and call.type == "call" and text_of(field(call, "function")) == "super"
    return is_first and parent_type(name) == "argument_list"


def _given(arguments: Arguments, name: str, position: int, default: Node | None) -> Node | None:
    given = arguments.get(name, position)
    if arguments.unpacked:
        return None
    return given.value if given is not None else default


def _name(parameter: Node) -> str:
    """The name of a parameter, whatever its annotation and default."""
    named = field(parameter, "name")
    return text_of(named if named is not None else (parameter.named_children or [parameter])[0])
