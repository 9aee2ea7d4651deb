"""The extensions that a setup script builds, and which of them may be for CUDA: read off its tree.

The class of an extension goes through variables, choices, ``partial`` and functions to the call that makes
the extension, and its name through the parameters of those functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ...limits.parents import parent_of, parent_type
from ...limits.walks import FORWARD_LIMITS, WALK_LIMITS
from ...model.project.project_view import ProjectView
from ...text.scopes import BindingKind
from ...text.source_file import SourceFile
from ...text.syntax import (
    Arguments,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    outermost,
    passed_to,
    same,
    text_of,
)
from ...text.uses import uses_of_variable

_CLASS = "CUDAExtension"
_HELPER = "make_cuda_ext"
"""The function of OpenMMLab's projects that makes one."""
_MODULE = "torch.utils.cpp_extension"
OLD_MODULE = "torch.utils.ffi"
"""What built extensions before torch 1.0; the module that it made imports it, too."""
_OF_C = frozenset({
    "setuptools.Extension", "setuptools.extension.Extension", "distutils.core.Extension",
    "distutils.extension.Extension",
})  # fmt: skip
"""Classes for C, which compile CUDA sources where the script puts nvcc in the place of the compiler."""
_MAKERS = frozenset({f"{_MODULE}.{_CLASS}", f"{OLD_MODULE}.create_extension"}) | _OF_C
_WRAPPERS = frozenset({"partial"})
_ASKS = frozenset({"isinstance", "issubclass", "print", "getattr", "hasattr", "type"})
_SOURCE = re.compile(r"\.cuh?['\"]")
_SOURCE_OF_C = re.compile(r"\.(?:c|cc|cpp|cxx)['\"]")
_AROUND = ("conditional_expression", "parenthesized_expression")
_TEXT = re.compile(r"[\w.*]+$")
ANY = "*"
"""What is in the name of an extension for a part that the script computes."""
_MOST_SCRIPTS = 40
_SETUP = "setup"
EXTENSIONS = frozenset(f"torch.utils.cpp_extension.{name}" for name in ("CUDAExtension", "CppExtension"))
"""What makes an extension of torch; whether one is for CUDA, :func:`extensions_of` says."""


class Extension(NamedTuple):
    """An extension that may be compiled for CUDA."""

    call: Node
    """What makes it."""
    made_of: Node
    """Where ``CUDAExtension`` is named that it may be of."""
    names: tuple[str, ...]
    """The modules that it may be, by their qualified names as far as they are written."""
    is_of_c: bool = False
    """Whether its class is one for C."""

    @property
    def names_cuda_source(self) -> bool:
        """Whether a CUDA source is named in the call, whatever the class is."""
        return _SOURCE.search(text_of(self.call)) is not None


def extensions_of(source: SourceFile) -> tuple[Extension, ...]:
    """The extensions of a script that may be compiled for CUDA, by the calls that make them."""
    return source.once(extensions_of, lambda: tuple(_Reading(source).extensions()))


def built_names(project: ProjectView, path: str) -> frozenset[str]:
    """The modules that scripts of the project compile for CUDA, as far as one of its files sees them."""
    found: set[str] = set()
    script = project.find_module(path, _SETUP)
    if script is not None:
        found |= _names_in(script[1])
    for other in project.setup_scripts[:_MOST_SCRIPTS]:
        text = project.text_at(other) if script is None or other != script[0] else None
        if text is not None:
            found |= _names_in(text)
    return frozenset(found)


@lru_cache(maxsize=64)
def _names_in(script: str) -> frozenset[str]:
    is_of_c = "Extension" in script and _SOURCE.search(script) is not None
    if not is_of_c and not any(word in script for word in (_CLASS, _HELPER, OLD_MODULE)):
        return frozenset()
    source = SourceFile(script, "setup.py")
    return frozenset(name for item in extensions_of(source) for name in item.names)


class _Reading:
    """One script, read once."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._seen: set[int] = set()

    def extensions(self) -> Iterator[Extension]:
        """Every extension, once, in the order of the places that name the class."""
        for named in self._named():
            is_of_c = self._source.names.name_of(named) in _OF_C
            for call in self._makers(named, WALK_LIMITS.callers):
                item = Extension(call, named, tuple(dict.fromkeys(self._names(call))), is_of_c)
                if item.names_cuda_source or not is_of_c:
                    yield item
        for identifier in self._source.identifiers(_HELPER):
            helped = call_of(identifier)
            bindings = self._source.names.bindings_in_scope(_HELPER, identifier)
            if helped is not None and all(item.kind is BindingKind.IMPORT for item in bindings):
                yield Extension(helped, identifier, tuple(dict.fromkeys(self._with_module(helped))))

    def _named(self) -> Iterator[Node]:
        """Where the class is named, whatever the script calls it; also without an import of it."""
        names = self._source.names
        for binding in names.imports:
            if binding.target in _MAKERS:
                yield from names.references(binding.name)
        for identifier in self._source.identifiers(_CLASS):
            parent = parent_of(identifier)
            if parent is not None and parent.type == "attribute" and is_field(identifier, "attribute"):
                if names.name_of(parent).startswith(_MODULE):
                    yield parent
            elif names.is_reference(identifier) and not names.bindings(_CLASS):
                yield identifier

    def _makers(self, held: Node, depth: int) -> Iterator[Node]:
        """The calls that make an extension of the class that an expression holds."""
        if held.id in self._seen or depth < 0:
            return
        self._seen.add(held.id)
        call = call_of(held)
        passed = passed_to(held)
        if call is not None:
            yield call
        elif passed is not None and last_name(passed.call) in _WRAPPERS:
            yield from self._makers(passed.call, depth)
        elif passed is not None:
            if last_name(passed.call) not in _ASKS and len(arguments_of(passed.call).items) > 1:
                yield passed.call
        else:
            whole = outermost(held, *_AROUND)
            for use in self._entries(whole) if parent_type(whole) == "pair" else self._uses(whole):
                yield from self._makers(use, depth - 1)

    def _uses(self, value: Node) -> Iterator[Node]:
        """Where a value is used that is assigned, given as a default, or returned."""
        holder = parent_of(value)
        if holder is None:
            return
        if holder.type == "expression_list":
            yield from self._uses_of_item(value, holder)
        elif holder.type == "return_statement":
            function = self._source.enclosing(holder, "function_definition")
            name = field(function, "name")
            if function is not None and name is not None:
                scope = self._source.names.scope_of(function)
                calls = (call_of(use) for use in self._source.names.readers(text_of(name), scope))
                yield from (call for call in calls if call is not None)
        else:
            target = field(holder, "left") if holder.type == "assignment" else field(holder, "name")
            if target is not None and not same(target, value):
                yield from self._reads(target)

    def _reads(self, target: Node) -> Iterator[Node]:
        """Where a variable is read, or an attribute of the class around it."""
        owner = self._source.names.scope_of(target)
        name = field(target, "attribute") if target.type == "attribute" else target
        if target.type == "identifier":
            yield from uses_of_variable(target, self._source)
        if name is None or (target.type == "identifier" and owner.type != "class_definition"):
            return
        for identifier in self._source.identifiers(text_of(name)):
            read = parent_of(identifier)
            is_attribute = is_field(identifier, "attribute") and not same(read, target)
            if read is not None and read.type == "attribute" and is_attribute:
                yield read

    def _entries(self, value: Node) -> Iterator[Node]:
        """Where what a table has is taken out of it: ``KINDS[name]``."""
        pair = parent_of(value)
        table = parent_of(pair)
        target = field(parent_of(table), "left") if table is not None else None
        for use in self._reads(target) if target is not None else ():
            lookup = parent_of(use)
            if lookup is not None and lookup.type == "subscript" and is_field(use, "value"):
                yield lookup

    def _uses_of_item(self, value: Node, values: Node) -> Iterator[Node]:
        """``extension, options = CUDAExtension, {}``."""
        targets = field(parent_of(values), "left")
        index = next((at for at, item in enumerate(values.named_children) if same(item, value)), -1)
        if targets is not None and targets.type == "pattern_list" and index < targets.named_child_count:
            target = targets.named_children[index]
            if target.type == "identifier":
                yield from uses_of_variable(target, self._source)

    # -- what the module is called -----------------------------------------------------------------

    def _names(self, call: Node) -> Iterator[str]:
        """What an extension may be called; ``name`` and ``module`` of a function around are put together."""
        arguments = arguments_of(call)
        given = arguments.keyword("name")
        texts = [item.value for item in arguments.positional if item.value.type != "list"]
        for value in [given.value] if given is not None else texts[:2]:
            yield from self._texts(value, WALK_LIMITS.callers)

    def _texts(self, value: Node, depth: int) -> Iterator[str]:
        """The texts that an expression may be, or what they end in."""
        if depth < 0:
            return
        if value.type == "identifier":
            bindings = self._source.names.bindings_in_scope(text_of(value), value)
            for binding in bindings[: FORWARD_LIMITS.values]:
                if binding.kind is BindingKind.PARAMETER:
                    yield from self._given(binding.scope, text_of(value), depth - 1)
                elif binding.value is not None:
                    yield from self._texts(binding.value, depth - 1)
            return
        last = _last_part(value)
        if last is not None:
            yield from self._texts(last, depth - 1)
        elif value.type == "string":
            ending = _TEXT.search(_template(value))
            if ending is not None:
                yield ending[0].lstrip(".")

    def _given(self, function: Node, parameter: str, depth: int) -> Iterator[str]:
        """What the calls of a function of the script give for a parameter."""
        name = field(function, "name")
        parameters = field(function, "parameters")
        if name is None or parameters is None:
            return
        known = [re.split(r"[:=\s]", text_of(item))[0] for item in parameters.named_children]
        at = known.index(parameter) if parameter in known else -1
        scope = self._source.names.scope_of(function)
        calls = [call for use in self._source.names.readers(text_of(name), scope) if (call := call_of(use))]
        of_cuda = [call for call in calls if _SOURCE.search(text_of(call))]
        for call in calls:
            if of_cuda and _SOURCE_OF_C.search(text_of(call)) and call not in of_cuda:
                continue  # one function makes those for CUDA, and those that are C++ alone
            arguments = arguments_of(call)
            item = arguments.get(parameter, at)
            if item is not None:
                yield from self._below_module(arguments, item.value, depth)

    def _with_module(self, call: Node) -> Iterator[str]:
        arguments = arguments_of(call)
        given = arguments.get("name", 0)
        if given is not None:
            yield from self._below_module(arguments, given.value, WALK_LIMITS.callers)

    def _below_module(self, arguments: Arguments, name: Node, depth: int) -> Iterator[str]:
        """A name alone, and below the package that is given as ``module``."""
        module = arguments.keyword("module")
        below = list(self._texts(module.value, depth)) if module is not None else []
        for text in self._texts(name, depth):
            yield from (f"{package}.{text}" for package in below)
            yield text


def _last_part(value: Node) -> Node | None:
    """What a text ends in that is put together: ``a + b``, ``'%s.%s' % (a, b)``, ``'{}.{}'.format(a, b)``."""
    if value.type == "binary_operator":
        right = field(value, "right")
        return right.named_children[-1] if right is not None and right.type == "tuple" else right
    if value.type == "concatenated_string":
        return value.named_children[-1]
    if value.type == "call":
        positional = arguments_of(value).positional
        return positional[-1].value if positional and last_name(value) == "format" else None
    fields = [item for item in value.named_children if item.type == "interpolation"]
    is_last = value.type == "string" and _template(value).endswith(("." + ANY, "/" + ANY))
    return fields[-1].named_children[0] if fields and (is_last or len(value.named_children) == 1) else None


def _template(string: Node) -> str:
    """The text of a literal, with a mark for each part that is computed."""
    parts = (item for item in string.named_children if item.type in ("string_content", "interpolation"))
    return "".join(ANY if item.type == "interpolation" else text_of(item) for item in parts)
