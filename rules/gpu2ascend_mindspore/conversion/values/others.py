"""What is certainly neither a tensor nor a module: what NumPy, the standard library and others give."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from gpu2ascend_rules.inference.walk.reading import ReadingOfAll, Walk, Way
from gpu2ascend_rules.inference.walk.walker import Walker
from gpu2ascend_rules.text.scopes import BindingKind, reaching
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import (
    COMPREHENSION_TYPES,
    arguments_of,
    field,
    parts_of,
    text_of,
    value_given,
)

from .callers import given_by_callers

_LIBRARIES = frozenset(
    {
        "argparse", "ast", "bs4", "click", "configparser", "csv", "cv2", "datetime", "decimal", "fractions",
        "gc", "glob", "h5py", "hashlib", "imageio", "io", "json", "logging", "math", "matplotlib", "nibabel",
        "nltk", "numbers", "omegaconf", "os", "pandas", "pathlib", "pickle", "PIL", "platform", "polars",
        "random", "re", "requests", "scipy", "seaborn", "shutil", "skimage", "sklearn", "socket", "soundfile",
        "sqlite3", "string", "subprocess", "sympy", "sys", "tarfile", "tempfile", "textwrap", "threading",
        "time", "timeit", "toml", "tomllib", "typing", "urllib", "uuid", "warnings", "xml", "yaml", "zipfile",
    }
)  # fmt: skip
"""Libraries that give no tensor, whatever they are given."""
_PICKS = frozenset({"random.choice", "random.sample", "random.choices", "pickle.load", "pickle.loads"})
"""Functions of theirs that give back what they were given."""
_ARRAYS = frozenset(
    {
        "arange", "array", "asarray", "ascontiguousarray", "concatenate", "empty", "eye", "frombuffer",
        "fromfile", "full", "genfromtxt", "identity", "linspace", "load", "loadtxt", "logspace", "meshgrid",
        "ones", "stack", "zeros",
    }
)  # fmt: skip
"""Functions of NumPy that make arrays; of a tensor others may give a tensor."""
_COMPUTED = {
    "binary_operator": 1,
    "comparison_operator": 1,
    "unary_operator": 1,
    "parenthesized_expression": 1,
    "conditional_expression": 2,
}
"""What is no tensor if none of its parts is: of a choice the first and the last."""
_BUILTINS = frozenset({"bool", "dict", "float", "int", "len", "list", "open", "range", "repr", "set", "str"})
_HOLDING = frozenset({"dict", "list", "set"})
_READ = ("identifier", "attribute", "call", "subscript")
_DISPLAYS = ("dictionary", "list", "set", "tuple")
_GIVING_ELEMENTS = frozenset({"get", "pop", "popitem", "setdefault"})
"""Methods of Python's containers that give what is in them."""
_OF_TENSORS = frozenset({"asnumpy", "item", "numpy", "tolist"})
"""Methods of tensors that give something else."""


class OtherLibraries:
    """Answers for one file."""

    def __init__(self, source: SourceFile) -> None:
        self._walker = Walker(source, _Makers())

    def made(self, expression: Node) -> bool:
        """Whether an expression is certainly an object of a library other than torch, or of Python itself.

        A part of such an object is one, and what its methods give; not what a list or a dictionary holds.
        """
        return self._walker.of(expression) in (_Maker.OTHER, _Maker.HOLDER)


class _Maker(enum.Enum):
    """What made an object."""

    OTHER = "a library that has no tensors, or Python itself"
    HOLDER = "a list, a dictionary or a tuple of Python, with anything in it"
    UNKNOWN = "anything"
    PENDING = "being looked into"


class _Makers(ReadingOfAll[_Maker]):
    """Whether all that a variable is assigned is made by other libraries."""

    unknown = _Maker.UNKNOWN
    pending = _Maker.PENDING
    ways = frozenset({Way.CALLEES, Way.RETURNS})
    literals: Mapping[str, _Maker] = dict.fromkeys(
        ("string", "concatenated_string", "integer", "float", "true", "false"), _Maker.OTHER
    )

    def joined(self, values: Iterator[_Maker]) -> _Maker:
        found = {*values} - {self.pending}
        if found == {_Maker.OTHER, _Maker.HOLDER}:
            return _Maker.HOLDER
        return super().joined(iter(found or {self.pending}))

    def settled(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        if node.type in _COMPUTED:
            return self.joined(walk.of(one, depth) for one in parts_of(node)[:: _COMPUTED[node.type]])
        if node.type in _DISPLAYS or node.type in COMPREHENSION_TYPES:
            made = self.joined(walk.of(one, depth) for one in _held(node))
            return _Maker.OTHER if made is _Maker.OTHER else _Maker.HOLDER
        return self._read(node, walk, depth) if node.type in _READ else _Maker.UNKNOWN

    def _read(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        """What a name, an attribute, an element or a call gives."""
        resolution = walk.source.names.qualified_name(node)
        binding = resolution.binding if resolution is not None else None
        if resolution is not None and binding is not None and binding.kind is BindingKind.IMPORT:
            return _Maker.OTHER if _gives_no_tensor(resolution.qualified_name) else _Maker.UNKNOWN
        if node.type == "identifier":
            return self._reaching(node, walk, depth)
        if node.type == "call":
            return self._called(node, walk, depth)
        return self._part(node, walk, depth)

    def _part(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        if node.type == "attribute" and text_of(node).rpartition(".")[0] == "self":
            return None
        inner = field(node, "object" if node.type == "attribute" else "value")
        made = walk.of(inner, depth) if inner is not None else _Maker.UNKNOWN
        is_element = node.type == "subscript" or text_of(field(node, "attribute")) in _GIVING_ELEMENTS
        return _Maker.UNKNOWN if made is _Maker.HOLDER and is_element else made

    def _reaching(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        """What a variable is at a place that only some of its assignments reach."""
        bindings = walk.source.names.bindings_in_scope(text_of(node), node)
        if len(bindings) == 1 and bindings[0].kind is BindingKind.PARAMETER:
            given = given_by_callers(walk.source, bindings[0])
            return self.joined(walk.of(one, depth) for one in given) if given else None
        here = reaching(bindings, node) if len(bindings) > 1 else bindings
        is_whole = len(here) == len(bindings) and all(one.value is not None for one in here)
        if is_whole or any(one.kind is not BindingKind.ASSIGNMENT for one in here):
            return None
        values = [one.value or value_given(one.node) for one in here]
        return self.joined(walk.of(one, depth) if one is not None else self.unknown for one in values)

    def _called(self, call: Node, walk: Walk[_Maker], depth: int) -> _Maker:
        function, given = field(call, "function"), arguments_of(call)
        if function is None:
            return _Maker.UNKNOWN
        name = walk.source.names.name_of(function) or ""
        if name.startswith("numpy.") and given.items and not given.unpacked:
            made = self.joined(walk.of(one.value, depth) for one in given.items)
            return _Maker.OTHER if made is _Maker.OTHER else walk.of(function, depth)
        if function.type == "identifier" and text_of(function) in _BUILTINS:
            if walk.source.names.bindings(text_of(function)):
                return _Maker.UNKNOWN
            return _Maker.HOLDER if text_of(function) in _HOLDING else _Maker.OTHER
        if function.type == "attribute" and text_of(function).rpartition(".")[2] in _OF_TENSORS:
            return _Maker.OTHER
        method = _own_method(function, walk)
        if method is not None:
            return walk.returned(method, depth)
        return walk.of(function, depth)


def _held(display: Node) -> list[Node]:
    """What a display or a comprehension holds, as far as it is written there."""
    every = [field(display, "body")] if display.type in COMPREHENSION_TYPES else parts_of(display)
    pairs = [one if one is None or one.type != "pair" else field(one, "value") for one in every]
    return [one for one in pairs if one is not None]


def _own_method(function: Node, walk: Walk[_Maker]) -> Node | None:
    """The method of its class that ``self.name`` is."""
    owner = walk.source.enclosing(function, "class_definition")
    receiver, _, name = text_of(function).rpartition(".")
    is_own = owner is not None and receiver == "self" and function.type == "attribute"
    return walk.classes.method(owner, name) if is_own and owner is not None else None


def _gives_no_tensor(name: str) -> bool:
    root, _, rest = name.partition(".")
    if root == "numpy":
        return rest in _ARRAYS or rest.startswith("random.")
    return root in _LIBRARIES and name not in _PICKS
