"""Run by itself: imports modules of a package on stubs, and asks for the global names of every function.

``python stub_modules.py FOLDER PACKAGE`` prints JSON: by module of the package what could not be resolved.
Everything but the standard library and the package itself is a stub that has every name.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar


class _Meta(type):
    """Classes that have every attribute, and of which nothing and everything is an instance."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _named(name)

    def __getitem__(cls, _: object) -> Any:
        return cls

    def __or__(cls, _: object) -> Any:
        return cls

    __ror__ = __and__ = __or__

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __lt__(cls, _: object) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __lt__

    def __contains__(cls, _: object) -> bool:
        return False


class _Stub(metaclass=_Meta):
    """What every name of a stub module is: a class to be derived from, called, or used as a value."""

    def __new__(cls, *args: Any, **_: Any) -> Any:
        decorated = args[0] if len(args) == 1 else None
        if cls.__module__ == __name__ and isinstance(decorated, (types.FunctionType, type)):
            return decorated
        return object.__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __init_subclass__(cls, **_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _named(name)

    def __call__(self, *args: Any, **_: Any) -> Any:
        return _Stub(*args)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, _: object) -> Any:
        return _Stub()

    def __setitem__(self, _: object, __: object) -> None:
        pass

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return 1

    __index__ = __len__ = __int__

    def __float__(self) -> float:
        return 1.0

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __lt__(self, _: object) -> bool:
        return True

    __le__ = __gt__ = __ge__ = __lt__

    def _operate(self, *_: object) -> Any:
        return _Stub()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operate
    __floordiv__ = __mod__ = __pow__ = __neg__ = __or__ = __ror__ = __and__ = __matmul__ = _operate


_KNOWN: dict[str, Any] = {}


def _named(name: str) -> Any:
    if name not in _KNOWN:
        _KNOWN[name] = _Meta(name, (_Stub,), {"__module__": __name__})
    return _KNOWN[name]


class _Module(types.ModuleType):
    __path__: ClassVar[list[str]] = []
    __all__: ClassVar[list[str]] = []
    __version__ = "9.9.9"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _named(name)


class _Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stub for whatever nobody else finds."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class _Standard(importlib.abc.MetaPathFinder):
    """Finds the standard library."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname.partition(".")[0] in sys.stdlib_module_names:
            return importlib.machinery.PathFinder.find_spec(fullname, path, target)
        return None


class _Package(importlib.abc.MetaPathFinder):
    """Finds the modules of the package, and nothing where it has none."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        first, *below = fullname.split(".")
        if first != self.name:
            return None
        base = self.folder.joinpath(*below)
        for path in (base / "__init__.py", base.with_suffix(".py")):
            if path.is_file():
                return importlib.util.spec_from_file_location(
                    fullname, path, loader=_Loader(fullname, str(path))
                )
        if base.is_dir():
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(base)]
            return spec
        raise ModuleNotFoundError(fullname, name=fullname)


class _Loader(importlib.machinery.SourceFileLoader):
    """Goes on behind a statement that a stub cannot satisfy, such as arithmetic, and notes unbound names."""

    unbound: ClassVar[dict[str, set[str]]] = {}

    def exec_module(self, module: types.ModuleType) -> None:
        path = str(module.__file__)
        found = self.unbound.setdefault(path, set())
        for statement in ast.parse(Path(path).read_bytes()).body:
            try:
                exec(compile(ast.Module([statement], []), path, "exec"), vars(module))
            except NameError as error:
                found.add(f"on loading: {error}")
            except (Exception, SystemExit):
                continue


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _unbound(module: types.ModuleType, code: types.CodeType) -> set[str]:
    """The global names that functions of a module read and that nothing binds."""
    found: set[str] = set()
    for inner in _codes(code):
        if inner is code:
            continue
        for instruction in dis.get_instructions(inner):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                name = instruction.argval
                is_local = instruction.opname == "LOAD_NAME" and name in inner.co_names
                if not is_local and not hasattr(builtins, name) and name not in vars(module):
                    found.add(name)
    return found


def _failures(folder: Path, package: str) -> dict[str, list[str]]:
    """By module the names that are not bound, when it is loaded and in its functions."""
    standard = [item for item in sys.meta_path if item is not importlib.machinery.PathFinder]
    sys.meta_path[:] = [*standard, _Package(folder, package), _Standard(), _Stubs()]
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (package, *path.relative_to(folder).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            code = compile(path.read_bytes(), str(path), "exec")
            module = importlib.import_module(name)
        except (SyntaxError, ImportError, ValueError):
            continue
        unbound = _unbound(module, code) if module.__dict__.get("__file__") == str(path) else set()
        found[str(path.relative_to(folder))] = sorted(unbound | _Loader.unbound.get(str(path), set()))
    return found


_FORBIDDEN = (
    "subprocess.",
    "socket.",
    "shutil.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.kill",
)
_CHANGES = (
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.truncate",
)


def _only_reads(event: str, arguments: tuple[Any, ...]) -> None:
    """Keeps a script that does its work when it is imported from doing any."""
    is_write = event == "open" and not str(arguments[1] or "r").startswith("r")
    if is_write or event.startswith((*_FORBIDDEN, *_CHANGES)):
        raise PermissionError(event)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.addaudithook(_only_reads)
    folder, package = Path(sys.argv[1]).resolve(), sys.argv[2]
    sys.argv[1:] = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        failures = _failures(folder, package)
    print(json.dumps(failures))
