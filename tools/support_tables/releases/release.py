"""The names of one PyTorch release: its modules and type stubs, read from the wheel and never imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..collect.bindings import ModuleName
from ..collect.wheel import Wheel

ROOT = "torch"
_INTERNAL = re.compile(
    r"torch\.(_(inductor|dynamo|functorch|export|higher_order_ops|refs|prims\w*|decomp|subclasses|logging"
    r"|native|numpy|strobelight|vendor|dispatch|awaits|custom_op|library|lazy)\b"
    r"|testing\._internal|onnx\._internal|utils\.benchmark\.(examples|utils)|utils\._sympy|fx\.experimental"
    r"|ao\.(pruning\._experimental|quantization\.(fx|pt2e|backend_config|quantizer))|bin\b|include\b|share\b)"
)
"""Modules of which programs use at most a few names: of them only the module itself is looked at."""
_SAYS_SO = re.compile(r"removed|deprecated|no longer", re.I)
_CLASSES_WITH_MEMBERS = ("torch.nn.Module", "torch.optim.Optimizer", "torch.utils.data.DataLoader")
TENSOR = "torch.Tensor"
_TENSOR_CLASSES = frozenset({"_TensorBase", "TensorBase", "Tensor"})
_NATIVE_LIBRARIES = ("torch/lib/libtorch_python.dylib", "torch/lib/libtorch_python.so")
_QUOTED = re.compile(rb"['\"](\w+)['\"]")
_NATIVE_WORD = re.compile(rb"(?<=\0)[A-Za-z_]\w*(?=\0)")


class Found(NamedTuple):
    """A name of a release."""

    origin: str
    """The name under which the object is defined first of all; the name itself where nobody can say."""
    is_own: bool
    """Whether torch defines it: a module's ``os`` is there, but of interest to nobody."""
    is_module: bool = False
    is_function: bool = False
    """Whether a module defines it as a function."""


class Release:
    """One release, by its wheel for any platform."""

    def __init__(self, wheel: Wheel) -> None:
        self._wheel = wheel
        self.version = wheel.version

    @cached_property
    def names(self) -> dict[str, Found]:
        """Every name that the release has below ``torch``, but for internals and what only raises."""
        found: dict[str, Found] = {ROOT: Found(ROOT, True, True)}
        for module in self._modules:
            found[module] = Found(module, True, True)
            offered = self._names_of(module, frozenset())
            if _INTERNAL.match(module):
                offered = {name: entry for name, entry in offered.items() if entry.origin in self._modules}
            for name, entry in offered.items():
                found.setdefault(f"{module}.{name}", entry)
        for module, other in self._shadowed.items():
            for name, entry in self._names_of(other, frozenset()).items():
                found.setdefault(f"{module}.{name}", entry)
        for name in self.native:
            found.setdefault(name, Found(name, True))
        for gone in self.raising:
            for name in [name for name in found if name == gone or name.startswith(f"{gone}.")]:
                del found[name]
        return found

    @cached_property
    def _shadowed(self) -> dict[str, str]:
        """The modules whose package gives their name to another module of torch: what is read by that name is
        of the other one, what is imported from it is of the module itself."""
        found: dict[str, str] = {}
        for module in self._modules:
            package, _, name = module.rpartition(".")
            given = self._wheel.module(package) if package else None
            if given is not None and name in given.bound and given.bound[name].kind == "import":
                other = self._wheel.origin_of(package, name)
                if other is not None and other != module and other in self._modules:
                    found[module] = other
        return found

    @cached_property
    def native(self) -> frozenset[str]:
        """The functions and members that type stubs and the bodies of a few classes show."""
        return frozenset(self._native_names())

    def is_package(self, module: str) -> bool:
        """Whether a module is a package."""
        return self._wheel.is_package(module)

    @cached_property
    def raising(self) -> frozenset[str]:
        """The functions and modules that are there to say that they are gone."""
        return frozenset(self._raising())

    def may_have(self, name: str) -> bool:
        """Whether native code of the release has a word: stubs leave functions out."""
        return name.encode() in self._native_words

    def may_make(self, name: str) -> bool:
        """Whether a module may make a name that its text does not bind: by a star import of another package,
        or in its ``__getattr__``, which then has the name as a text."""
        module, _, last = name.rpartition(".")
        if name in self.raising or module not in self._made_by:
            return False
        made = self._made_by[module]
        return made is None or last in made

    def may_be_native(self, name: str) -> bool:
        """Whether native code may add a name to a module of Python, when it is loaded."""
        return name.rpartition(".")[0] in self._unexplained

    @cached_property
    def _unexplained(self) -> frozenset[str]:
        return frozenset(self._wheel.unexplained(ROOT)) - {ROOT}

    @cached_property
    def _made_by(self) -> dict[str, frozenset[str] | None]:
        found: dict[str, frozenset[str] | None] = {}
        for module in self._modules:
            text = self._wheel.text(module) or b""
            names = None
            if (b"import *" in text or b"__getattr__" in text) and not _INTERNAL.match(module):
                names = self._wheel.module(module)
            if names is None:
                continue
            if any(star.partition(".")[0] != ROOT for star in names.stars):
                found[module] = None
            elif "__getattr__" in names.bound:
                found[module] = frozenset(match.decode() for match in _QUOTED.findall(text))
        return found

    @cached_property
    def _modules(self) -> dict[str, None]:
        return dict.fromkeys(sorted(self._wheel.all_modules(ROOT)))

    def _names_of(self, module: str, seen: frozenset[str]) -> dict[str, Found]:
        names = self._wheel.module(module)
        if names is None or module in seen:
            return {}
        found: dict[str, Found] = {}
        for star in names.stars:
            for name, entry in self._names_of(star, seen | {module}).items():
                exported = getattr(self._wheel.module(star), "exported", None)
                if name in exported if exported is not None else not name.startswith("_"):
                    found[name] = entry
        for name, binding in names.bound.items():
            found[name] = self._found(module, name, binding)
        for name in names.exported or ():
            found.setdefault(name, Found(f"{module}.{name}", True))
        return found

    def _found(self, module: str, name: str, binding: ModuleName) -> Found:
        if binding.kind != "import":
            return Found(f"{module}.{name}", True, is_function=binding.kind == "function")
        origin = self._wheel.origin_of(module, name)
        is_own = origin is not None and origin.partition(".")[0] == ROOT
        is_function = origin is not None and self._wheel.kind_of(origin) == "function"
        return Found(origin or f"{module}.{name}", is_own, is_function=is_function)

    def _native_names(self) -> Iterator[str]:
        """Functions of ``torch`` and methods of tensors, which only stubs show; members of a few classes."""
        for file in ("torch/__init__.pyi", "torch/_C/__init__.pyi", "torch/_C/_VariableFunctions.pyi"):
            for statement in self._stub(file):
                yield from _names_in_stub(statement)
        for module in ("torch._tensor", "torch.tensor"):
            for member in self._wheel.members(f"{module}.Tensor"):
                yield f"{TENSOR}.{member}"
        for owner in _CLASSES_WITH_MEMBERS:
            members = {*self._wheel.members(owner), *self._wheel.attributes(owner)}
            yield from (f"{owner}.{member}" for member in members)

    def _stub(self, file: str) -> list[ast.stmt]:
        data = self._wheel.read(file)
        return ast.parse(data).body if data is not None else []

    def _raising(self) -> Iterator[str]:
        for module in self._modules:
            tree = self._wheel.tree(module)
            if tree is None or _INTERNAL.match(module):
                continue
            if any(_says_that_it_is_gone(statement) for statement in tree.body):
                yield module
            defined = {item.name: item for item in tree.body if isinstance(item, ast.FunctionDef)}
            # A module of that name can be imported from all the same, as ``torch.autograd.variable``.
            gone = [
                name
                for name, item in defined.items()
                if _only_raises(item.body) and f"{module}.{name}" not in self._modules
            ]
            for name in gone:
                yield f"{module}.{name}"
                yield from self._imported_from(module, name)
            for owner in (item for item in tree.body if isinstance(item, ast.ClassDef)):
                if owner.name == "Tensor":
                    yield from self._gone_methods(owner, module, frozenset(gone))

    def _imported_from(self, module: str, name: str) -> Iterator[str]:
        """The names that the package's root gives to a function that only raises."""
        root = self._wheel.module(ROOT)
        for local, binding in root.bound.items() if root is not None else ():
            if binding.kind == "import" and binding.target == f"{module}.{name}":
                yield f"{ROOT}.{local}"

    def _gone_methods(self, owner: ast.ClassDef, module: str, gone: frozenset[str]) -> Iterator[str]:
        """The methods of tensors that raise, or that call what only raises."""
        for method in owner.body:
            if isinstance(method, ast.FunctionDef) and (
                _only_raises(method.body) or self._delegates_to_gone(method)
            ):
                yield f"{TENSOR}.{method.name}"

    def _delegates_to_gone(self, method: ast.FunctionDef) -> bool:
        for statement in ast.walk(method):
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").endswith("_linalg_utils"):
                tree = self._wheel.tree("torch._linalg_utils")
                wanted = {name.name for name in statement.names}
                return tree is not None and any(
                    isinstance(item, ast.FunctionDef) and item.name in wanted and _only_raises(item.body)
                    for item in tree.body
                )
        return False

    @cached_property
    def _native_words(self) -> frozenset[bytes]:
        data = b"".join(self._wheel.read(file) or b"" for file in _NATIVE_LIBRARIES)
        return frozenset(_NATIVE_WORD.findall(data))


def _names_in_stub(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef) and statement.name in _TENSOR_CLASSES:
        for member in _bound_by(statement.body):
            yield f"{TENSOR}.{member}"
    for name in _bound_by([statement]):
        if not name.startswith("__"):
            yield f"{ROOT}.{name}"


def _bound_by(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.ImportFrom):
            yield from (name.asname for name in statement.names if name.asname)


def _only_raises(body: list[ast.stmt]) -> bool:
    """Whether a function does nothing but say that it is gone."""
    left = [item for item in body if not isinstance(getattr(item, "value", None), ast.Constant)]
    return len(left) == 1 and _says_that_it_is_gone(left[0])


def _says_that_it_is_gone(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Raise) or not isinstance(statement.exc, ast.Call):
        return False
    if ast.unparse(statement.exc.func) not in ("RuntimeError", "ImportError"):
        return False
    return _SAYS_SO.search(ast.unparse(statement.exc)) is not None
