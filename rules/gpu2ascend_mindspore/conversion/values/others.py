"""What is certainly neither a tensor nor a module: what NumPy, the standard library and others give."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from tree_sitter import Node

from gpu2ascend_rules.inference.walk.reading import ReadingOfAll, Walk, Way
from gpu2ascend_rules.inference.walk.walker import Walker
from gpu2ascend_rules.text.scopes import BindingKind, reaching
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field, text_of

_LIBRARIES = frozenset(
    {
        "argparse", "ast", "bs4", "click", "configparser", "csv", "cv2", "datetime", "decimal", "fractions",
        "gc", "glob", "h5py", "hashlib", "imageio", "io", "json", "logging", "math", "matplotlib", "nibabel",
        "nltk", "numbers", "omegaconf", "os", "pandas", "pathlib", "pickle", "PIL", "platform", "polars",
        "random", "re", "requests", "scipy", "seaborn", "shutil", "skimage", "socket", "soundfile",
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
_BUILTINS = frozenset({"bool", "dict", "float", "int", "len", "list", "open", "range", "repr", "set", "str"})
_OF_TENSORS = frozenset({"asnumpy", "item", "numpy", "tolist"})
"""Methods of tensors that give something else."""


class OtherLibraries:
    """Answers for one file."""

    def __init__(self, source: SourceFile) -> None:
        self._walker = Walker(source, _Makers())

    def made(self, expression: Node) -> bool:
        """Whether an expression is certainly an object of a library other than torch, or of Python itself.

        A part of such an object is one, and what its methods give.
        """
        return self._walker.of(expression) is _Maker.OTHER


class _Maker(enum.Enum):
    """What made an object."""

    OTHER = "a library that has no tensors, or Python itself"
    UNKNOWN = "anything"
    PENDING = "being looked into"


class _Makers(ReadingOfAll[_Maker]):
    """Whether all that a variable is assigned is made by other libraries."""

    unknown = _Maker.UNKNOWN
    pending = _Maker.PENDING
    ways = frozenset({Way.CALLEES})
    literals: Mapping[str, _Maker] = dict.fromkeys(
        (
            "string", "concatenated_string", "integer", "float", "true", "false", "dictionary", "set", "list",
            "list_comprehension", "dictionary_comprehension", "set_comprehension", "tuple",
        ),
        _Maker.OTHER,
    )  # fmt: skip

    def settled(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        if node.type not in ("identifier", "attribute", "call", "subscript"):
            return _Maker.UNKNOWN
        resolution = walk.source.names.qualified_name(node)
        binding = resolution.binding if resolution is not None else None
        if resolution is not None and binding is not None and binding.kind is BindingKind.IMPORT:
            return _Maker.OTHER if _gives_no_tensor(resolution.qualified_name) else _Maker.UNKNOWN
        if node.type == "identifier":
            return self._reaching(node, walk, depth)
        if text_of(node).rpartition(".")[0] == "self":
            return None
        if node.type == "call":
            return self._called(field(node, "function"), walk, depth)
        inner = field(node, "object" if node.type == "attribute" else "value")
        return walk.of(inner, depth) if inner is not None else _Maker.UNKNOWN

    def _reaching(self, node: Node, walk: Walk[_Maker], depth: int) -> _Maker | None:
        """What a variable is at a place that only some of its assignments reach."""
        bindings = walk.source.names.bindings_in_scope(text_of(node), node)
        here = reaching(bindings, node) if len(bindings) > 1 else bindings
        if len(here) == len(bindings) or any(one.kind is not BindingKind.ASSIGNMENT for one in here):
            return None
        values = [one.value for one in here if one.value is not None]
        return self.joined(walk.of(one, depth) for one in values) if len(values) == len(here) else None

    def _called(self, function: Node | None, walk: Walk[_Maker], depth: int) -> _Maker:
        if function is None:
            return _Maker.UNKNOWN
        if function.type == "identifier" and text_of(function) in _BUILTINS:
            return _Maker.UNKNOWN if walk.source.names.bindings(text_of(function)) else _Maker.OTHER
        if function.type == "attribute" and text_of(function).rpartition(".")[2] in _OF_TENSORS:
            return _Maker.OTHER
        return walk.of(function, depth)


def _gives_no_tensor(name: str) -> bool:
    root, _, rest = name.partition(".")
    if root == "numpy":
        return rest in _ARRAYS or rest.startswith("random.")
    return root in _LIBRARIES and name not in _PICKS
