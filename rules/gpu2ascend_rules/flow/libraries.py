"""Whose devices a callable means: torch's, another framework's, or nobody knows."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..data import load_tsv
from ..engine.scan import imported_name
from ..facts.packages.third_party import cuda_modules
from ..inference.extensions.setup_scripts import ANY, OLD_MODULE
from ..inference.walk.reading import LITERAL_TYPES, Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..text.names import absolute_name
from ..text.scopes import Binding
from ..text.syntax import arguments_of, field, is_field

if TYPE_CHECKING:
    from ..engine.context import Context
    from ..model.project.project_view import ProjectView
    from ..text.source_file import SourceFile


class Origin(enum.Enum):
    """Where a callable comes from."""

    TORCH = "torch"
    """torch, or a library whose devices are torch's."""
    FOREIGN = "foreign"
    """A framework with devices of its own."""
    PLAIN = "none"
    """A library that computes on no device."""
    PROJECT = "project"
    """Another file of the project."""
    LIBRARY = "library"
    """A library that no table lists."""
    UNKNOWN = "unknown"
    """Not a library's: a method of an unknown object, a name of this file, or of the standard library."""


class Source(NamedTuple):
    """A callable's origin, with the library's name when it is imported."""

    origin: Origin
    library: str = ""


_UNKNOWN = Source(Origin.UNKNOWN)
_SILENT = Source(Origin.UNKNOWN, "?")
"""What is no evidence: a parameter, an item of a loop."""
_PENDING = Source(Origin.UNKNOWN, "...")
"""What says neither yes nor no: a literal beside it, or a name that is being looked into."""


_OF_ARRAYS = frozenset({"numpy", "scipy"})
"""Libraries whose arrays have nothing of a device: what is asked for it is a tensor, which a function of
theirs was given and returns: ``np.log(x).cuda()``."""


_OBJECTS = frozenset({"identifier", "attribute", "call", "subscript", "binary_operator"})


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    return {row["library"]: row["devices"] for row in load_tsv("device_libraries")}


def _devices_of(name: str) -> str | None:
    """By whose devices the library of a dotted name means its own; the longest row that fits counts."""
    table = _table()
    while name and name not in table:
        name = name.rpartition(".")[0]
    return table.get(name)


def is_foreign_library(name: str) -> bool:
    """Whether a dotted name belongs to a library that has nothing to do with torch's devices."""
    return _devices_of(name) in ("foreign", "none")


def is_plain_library(name: str) -> bool:
    """Whether a dotted name belongs to a library that computes on the CPU only."""
    return _devices_of(name) == "none"


def is_known_library(name: str) -> bool:
    """Whether a dotted name belongs to a library of the table."""
    return _devices_of(name) is not None


def is_torch_library(name: str) -> bool:
    """Whether a dotted name belongs to torch or to a library whose devices are torch's."""
    return _devices_of(name) == "torch"


def _source_of_name(qualified_name: str, source: SourceFile, project: ProjectView) -> Source:
    """The origin of an imported name."""
    root = qualified_name.partition(".")[0]
    if not root:
        return Source(Origin.PROJECT)
    if root in sys.stdlib_module_names:
        return _UNKNOWN
    listed = _devices_of(qualified_name)
    if listed is not None:
        return Source(Origin(listed), root)
    if project.has_module(source.path, root):
        return Source(Origin.PROJECT)
    return Source(Origin.LIBRARY, root)


def is_of_another_framework(ctx: Context) -> bool:
    """Whether most code near the file works with another framework, and the file does not speak of torch: it
    goes on running on GPUs."""
    main = ctx.project.main_framework(ctx.source.path)
    return main not in ("", "torch") and not ctx.source.has(b"torch")


def is_of_other_devices(expression: Node, ctx: Context) -> bool:
    """Whether an object comes from a library whose devices are not torch's. A name that is given a device
    does not hold what is of one without any, whatever else it is bound to; what has a device may."""
    if is_field(expression, "object"):
        return is_made_by_foreign(expression, ctx)
    origin = source_of_value(expression, ctx).origin
    is_apart = is_field(expression, "value") or expression.type != "identifier"
    return origin is Origin.FOREIGN or (origin is Origin.PLAIN and is_apart)


def is_made_by_foreign(expression: Node, ctx: Context) -> bool:
    """Whether what an object was made of, as in ``paddle.ones().cuda()``, is of a library without torch."""
    source = source_of_value(expression, ctx)
    if source.library in _OF_ARRAYS:
        return _is_array(expression, ctx)
    return source.origin in (Origin.FOREIGN, Origin.PLAIN)


def _is_array(expression: Node, ctx: Context) -> bool:
    """Whether a value begins with what a function makes of no object: ``np.ones(2)``."""
    node: Node | None = expression
    while node is not None and node.type == "call":
        if ctx.source.names.called_in(node):
            first = arguments_of(node).at(0)
            return first is None or first.value.type not in _OBJECTS
        node = field(field(node, "function"), "object")
    return False


def source_of_callee(call: Node, ctx: Context) -> Source:
    """The origin of what a call calls, or of the object whose method it calls."""
    function = field(call, "function")
    return source_of_value(function, ctx) if function is not None else _UNKNOWN


def source_of_value(expression: Node, ctx: Context) -> Source:
    """The origin of what made an object."""
    walker = ctx.once("libraries", lambda: Walker(ctx.source, _Sources(ctx.project), ctx.instances.classes))
    found = walker.of(expression)
    return _UNKNOWN if found is _PENDING or found is _SILENT else found


class _Sources(Reading[Source]):
    """The import that an object begins with. What gives a name no value says nothing about it."""

    unknown = _SILENT
    pending = _PENDING
    literals = dict.fromkeys(LITERAL_TYPES, _PENDING)
    ways = frozenset({Way.AWAITING, Way.DRAWN, Way.ITEMS, Way.MEMBERS, Way.RESULTS, Way.UNPACKING})
    guesses = True

    def __init__(self, project: ProjectView) -> None:
        self._project = project

    def joined(self, values: Iterator[Source]) -> Source:
        found = set(values) - {_SILENT}
        if len(found) > 1:
            found.discard(_PENDING)
        if len(found) > 1:
            return _UNKNOWN
        return found.pop() if found else _SILENT

    def joined_in_name(self, name: str, values: Iterator[Source]) -> Source:
        """``torch_tensorrt, has_it = optional_import('torch_tensorrt')`` is the library of that name."""
        return Source(Origin.FOREIGN, name) if is_foreign_library(name) else self.joined(values)

    def dead_end(self, node: Node, walk: Walk[Source]) -> Source:
        return _UNKNOWN

    def unbound(self, name: str) -> Source | None:
        return Source(Origin.FOREIGN, name) if is_foreign_library(name) else None

    def settled(self, node: Node, walk: Walk[Source], depth: int) -> Source | None:
        if node.type != "identifier":
            return None
        resolution = walk.source.names.resolve(node)
        if resolution is None or resolution.binding is None:
            return None
        return _source_of_name(resolution.qualified_name, walk.source, self._project)

    def unpacked(self, value: Node, walk: Walk[Source], depth: int) -> Source | None:
        return walk.of(value, depth)

    def defined(self, binding: Binding, walk: Walk[Source], depth: int) -> Source | None:
        """A class of this file that only extends one of another framework is that framework's."""
        bases = field(binding.statement, "superclasses")
        found = (walk.of(base, depth) for base in (bases.named_children if bases is not None else ()))
        return next((source for source in found if source.origin is Origin.FOREIGN), _UNKNOWN)


def is_foreign_file(ctx: Context) -> bool:
    """Whether a file works with another framework and with nothing of torch."""
    foreign = False
    for binding in ctx.source.names.imports:
        if binding.target.startswith(".") or is_torch_library(binding.target):
            return False
        if ctx.project.has_module(ctx.source.path, binding.target.partition(".")[0]):
            return False
        foreign = foreign or has_own_devices(binding.target)
    return foreign


def has_own_devices(name: str) -> bool:
    """Whether a dotted name belongs to a library that computes on devices of its own."""
    return _devices_of(name) == "foreign"


# -- the project's own CUDA extensions -------------------------------------------------------------


def extension_module(binding: Binding, ctx: Context, *, is_star: bool = False) -> str | None:
    """The module of an import that the project compiles for CUDA, or None.

    A setup script of the project names it, or its name says so and it is no file of the project.
    """
    named = imported_name(binding)
    module = named if field(binding.statement, "module_name") is None or is_star else named.rpartition(".")[0]
    if not module.strip("."):
        module = named
    if not ctx.extension_names and "cuda" not in named.lower():
        return None
    for candidate in dict.fromkeys((module, named)):
        if is_extension(candidate, ctx):
            return candidate.lstrip(".")
    return module if _says_that_it_is_compiled(module, ctx) else None


def _says_that_it_is_compiled(module: str, ctx: Context) -> bool:
    """Whether the name of a module without a package has "cuda", and it is no known library or file."""
    if "." in module or "cuda" not in module.lower():
        return False
    is_own = ctx.project.has_module(ctx.source.path, module) or ctx.project.is_in_folder(module)
    is_known = module in sys.stdlib_module_names or is_known_library(module) or _is_cuda_library(module)
    return not is_own and not is_known


def is_extension(module: str, ctx: Context) -> bool:
    """Whether a module is one that a setup script compiles for CUDA, as the file names it."""
    if module in ctx.extension_names:
        return not is_in_same_folder(module, ctx)
    absolute = absolute_name(module, ctx.source.path)
    is_named = any(_ends_alike(absolute, built) for built in ctx.extension_names)
    if not is_named or is_in_same_folder(module, ctx):
        return False
    found = ctx.project.find_module(ctx.source.path, module)
    return not _is_member(module, ctx) if found is None else OLD_MODULE in found[1]


def _is_member(name: str, ctx: Context) -> bool:
    """Whether a dotted name is what a module of the project has that is no package: ``models.net.Net``."""
    owner = name.rpartition(".")[0]
    path = ctx.project.path_of_module(ctx.source.path, owner) if owner.strip(".") else None
    return path is not None and not path.endswith("__init__.py")


def is_in_same_folder(module: str, ctx: Context) -> bool:
    """Whether a module is a file in the folder of the one that imports it, which a script finds first; what a
    package imports by that name is the library."""
    names = ctx.project.names_in(ctx.source.path.rpartition("/")[0])
    return "." not in module and f"{module}.py" in names and "__init__.py" not in names


def _ends_alike(named: str, built: str) -> bool:
    """Whether one qualified name is the end of the other: a script may be in the package, or around it."""
    if ANY in built:
        return fnmatchcase(named, built) or fnmatchcase(named, f"*.{built}")
    return named == built or named.endswith(f".{built}") or built.endswith(f".{named}")


def _is_cuda_library(module: str) -> bool:
    """Whether a module is one of the libraries that a rule of their own speaks of."""
    libraries = cuda_modules()
    return module in libraries or module.partition(".")[0] in libraries
