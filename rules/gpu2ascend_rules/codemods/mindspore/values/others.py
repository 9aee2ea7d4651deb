"""What is certainly neither a tensor nor a module: what NumPy, the standard library and others give."""

from __future__ import annotations

from tree_sitter import Node

from ....limits.walks import WALK_LIMITS
from ....text.scopes import BindingKind
from ....text.source_file import SourceFile
from ....text.syntax import field, text_of, without_parentheses

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


def is_of_other_library(source: SourceFile, node: Node, depth: int = WALK_LIMITS.depth) -> bool:
    """Whether an expression is certainly an object of a library other than torch, or of Python itself.

    A part of such an object is one, and what its methods give.
    """
    node = without_parentheses(node)
    if not depth or node.type not in ("identifier", "attribute", "call", "subscript"):
        return node.type in _LITERALS
    resolution = source.names.qualified_name(node)
    binding = resolution.binding if resolution is not None else None
    if resolution is not None and binding is not None and binding.kind is BindingKind.IMPORT:
        return _gives_no_tensor(resolution.qualified_name)
    if node.type == "identifier":
        bindings = source.names.bindings_in_scope(text_of(node), node)
        return bool(bindings) and all(
            one.kind is BindingKind.ASSIGNMENT
            and one.value is not None
            and is_of_other_library(source, one.value, depth - 1)
            for one in bindings
        )
    if node.type == "call":
        return _is_made_by_other(source, node, depth)
    inner = field(node, "object" if node.type == "attribute" else "value")
    return inner is not None and is_of_other_library(source, inner, depth - 1)


_LITERALS = frozenset(
    {"string", "concatenated_string", "integer", "float", "true", "false", "dictionary", "set"}
    | {"list", "list_comprehension", "dictionary_comprehension", "set_comprehension", "tuple"}
)


def _is_made_by_other(source: SourceFile, call: Node, depth: int) -> bool:
    function = field(call, "function")
    if function is None:
        return False
    if function.type == "identifier" and text_of(function) in _BUILTINS:
        return not source.names.bindings(text_of(function))
    return is_of_other_library(source, function, depth - 1)


def _gives_no_tensor(name: str) -> bool:
    root, _, rest = name.partition(".")
    if root == "numpy":
        return rest in _ARRAYS or rest.startswith("random.")
    return root in _LIBRARIES and name not in _PICKS
