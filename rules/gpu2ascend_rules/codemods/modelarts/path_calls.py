"""Which arguments of a file's calls are paths, by the table ``data/path_parameters.tsv``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tree_sitter import Node

from ...data import load_tsv
from ...limits.below import nodes_in
from ...text.names import Certainty
from ...text.source_file import SourceFile
from ...text.syntax import arguments_of, enclosing, field, last_name, text_of, without_parentheses

_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath"})
_NO_PATHS = frozenset({"none", "integer", "float", "true", "false", "list", "tuple", "dictionary", "lambda"})
_OPENERS = frozenset(
    {
        "open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "io.BytesIO", "io.StringIO",
        "tempfile.TemporaryFile", "tempfile.NamedTemporaryFile", "tempfile.SpooledTemporaryFile",
    }
)  # fmt: skip


class PathCall(NamedTuple):
    """A callable and its parameters that are paths, with the positions at which they are given."""

    parameters: tuple[tuple[str, int | None], ...]
    only_with: str
    made_by: frozenset[str]


@cache
def path_calls() -> dict[str, PathCall]:
    """The table, by the qualified name of the callable; of a method with the dot before it."""
    found = {}
    for row in load_tsv("path_parameters"):
        positions = [None if text == "-" else int(text) for text in row["positions"].split(",")]
        parameters = tuple(zip(row["parameters"].split(","), positions, strict=True))
        found[row["callable"]] = PathCall(parameters, row["only_with"], frozenset(row["made_by"].split()))
    return found


@cache
def words_of_calls() -> frozenset[bytes]:
    """The last parts of the names; a file without any of them has none of the calls."""
    last = (name.rpartition(".")[2] for name in path_calls())
    return frozenset(word.encode() for word in last if word != "*") | {b"datasets"}


def path_arguments(source: SourceFile) -> Iterator[Node]:
    """The expressions that are given as paths, and may be something else than an open file."""
    calls = _Calls(source)
    for node in nodes_in(source.root):
        if node.type == "call":
            yield from calls.paths_of(node)


class _Calls:
    """The calls of one file."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._roots = {binding.target.partition(".")[0] for binding in source.names.imports}

    def paths_of(self, call: Node) -> Iterator[Node]:
        known = self._known(call)
        if known is None:
            return
        given = arguments_of(call)
        for name, position in known.parameters:
            item = given.keyword(name) or (given.at(position) if position is not None else None)
            if item is not None and self._may_be_path(item.value):
                yield item.value

    def _known(self, call: Node) -> PathCall | None:
        name = self._qualified(call)
        if name is not None:
            found = path_calls().get(name) or path_calls().get(_with_star(name))
            if found is not None:
                return found
        return self._method(call)

    def _method(self, call: Node) -> PathCall | None:
        function = field(call, "function")
        known = path_calls().get(f".{last_name(call)}")
        if known is None or function is None or function.type != "attribute":
            return None
        receiver = field(function, "object")
        if known.only_with not in self._roots or receiver is None:
            return None
        if known.made_by and not self._is_made_by(receiver, known.made_by):
            return None
        return known

    def _is_made_by(self, receiver: Node, makers: frozenset[str]) -> bool:
        """Whether a value, or what its methods were called on, comes from one of some calls."""
        at = self._assigned(receiver)
        while at is not None and at.type == "call":
            if self._qualified(at) in makers:
                return True
            function = field(at, "function")
            inner = field(function, "object")
            if function is not None and function.type == "call":  # ToPILImage()(x)
                inner = function
            at = self._assigned(inner) if inner is not None else None
        return False

    def _assigned(self, value: Node) -> Node | None:
        """What a name was given, if that is one thing; other expressions are themselves."""
        value = without_parentheses(value)
        return self._source.names.only_value(value) if value.type == "identifier" else value

    def _qualified(self, call: Node) -> str | None:
        """The qualified name of what is called; of a name that nothing binds, a function of Python's."""
        function = field(call, "function")
        found = self._source.names.qualified_name(function) if function is not None else None
        if found is None or found.certainty is Certainty.AMBIGUOUS:
            return None
        is_bare = "." not in found.qualified_name
        return found.qualified_name if is_bare or found.certainty is Certainty.CERTAIN else None

    def _may_be_path(self, value: Node) -> bool:
        inner = without_parentheses(value)
        if inner.type in _NO_PATHS or inner.type == "generator_expression" or _is_bytes(inner):
            return False
        if text_of(inner) == "__file__":  # what lies beside the code is copied with it
            return False
        if inner.type == "call" and last_name(inner) == "get_path":
            return False
        if inner.type == "call" and self._qualified(inner) in _PATHS:
            return not arguments_of(inner).positional  # the path in it is wrapped
        return not self._is_open_file(inner)

    def _is_open_file(self, value: Node) -> bool:
        if value.type == "call":
            return self._qualified(value) in _OPENERS or last_name(value) == "open"
        if value.type != "identifier":
            return False
        bindings = self._source.names.bindings_in_scope(text_of(value), value)
        return any(self._opens(item.value or _of_with(item.node)) for item in bindings)

    def _opens(self, value: Node | None) -> bool:
        return value is not None and value.type == "call" and self._is_open_file(value)


def _of_with(name: Node) -> Node | None:
    """What ``with open(path) as name`` enters."""
    item = enclosing(name, "as_pattern")
    return item.named_children[0] if item is not None and item.named_children else None


def _is_bytes(value: Node) -> bool:
    return value.type == "string" and "b" in text_of(value).partition("'")[0].partition('"')[0].lower()


def _with_star(name: str) -> str:
    """``torchvision.datasets.*`` for ``torchvision.datasets.MNIST``, and so on for methods of classes."""
    parts = name.split(".")
    if parts[-1] == "from_pretrained" and len(parts) > 2:
        return f"{parts[0]}.*.from_pretrained"
    return ".".join((*parts[:-1], "*"))
