"""The names in a wheel: read as a zip archive, parsed with ``ast``, never imported."""

from __future__ import annotations

import ast
import warnings
import zipfile
from functools import cache, cached_property
from pathlib import Path

from .bindings import ModuleName, ModuleNames, attributes_of, bases_of, members_of, names_of

_NATIVE_LIBRARY = "torch_npu/lib/libtorch_npu.so"
_NATIVE = "torch_npu._C."

UNCERTAIN = "uncertain"
"""The kind of a class's member of which the wheel alone does not show whether it is there: a base class
outside the wheel may have it, or native code, where no more is to be seen than that its name occurs."""


class Wheel:
    """One wheel of a package whose modules are pure Python over native code."""

    def __init__(self, path: Path) -> None:
        """Raises: zipfile.BadZipFile: the file is no archive."""
        self.path = path
        self.version = path.name.split("-")[1]
        self._archive = zipfile.ZipFile(path)
        self._files = frozenset(self._archive.namelist())
        self.module = cache(self._module)
        self.kind_of = cache(self._kind_of)
        self.star_names = cache(self._star_names)

    def read(self, file: str) -> bytes | None:
        """The bytes of a file of the archive, or None."""
        return self._archive.read(file) if file in self._files else None

    def submodules(self, package: str) -> frozenset[str]:
        """The public modules directly below a package."""
        prefix = f"{package}."
        below = (module.removeprefix(prefix) for module in self._modules if module.startswith(prefix))
        return frozenset(name for name in below if "." not in name and not name.startswith("_"))

    def public_names(self, module: str) -> dict[str, str]:
        """The names that a module offers, with their kinds.

        Those are its ``__all__``, its public submodules, and what has no underscore and is defined there,
        star-imported, or imported relatively from a module beside it. Names that it borrows from
        elsewhere (``os``, ``Tuple``) are not its own.
        """
        names = self.module(module)
        if names is None:
            return {}
        own = {name for name, binding in names.bound.items() if _is_own(binding)}
        own.update(name for star in names.stars for name in self.star_names(star))
        public = {name for name in own if not name.startswith("_")}
        public |= self.submodules(module) | (names.exported or frozenset())
        return {name: self.kind_of(f"{module}.{name}") or "unknown" for name in sorted(public)}

    def members(self, name: str) -> tuple[str, ...]:
        """The public members that the body of a class binds."""
        found = self._class_at(name)
        names = sorted(set(members_of(found[1]))) if found is not None else ()
        return tuple(member for member in names if not member.startswith("_"))

    def attributes(self, name: str) -> frozenset[str]:
        """The public attributes that a class's methods set, which its body may not show."""
        found = self._class_at(name)
        names = attributes_of(found[1]) if found is not None else ()
        return frozenset(name for name in names if not name.startswith("_"))

    def _kind_of(self, name: str) -> str | None:
        """What a full name is: ``module``, ``class``, ``function``, ``attribute``, ``method``; else None.

        ``unknown`` is what is there but made by native code; see also :data:`UNCERTAIN`.
        """
        parent, _, last = name.rpartition(".")
        # A name that the parent binds, or a class of the parent's name, hides a submodule of that name.
        kind = self._kind_in_module(parent, last) if parent in self._modules else None
        if kind is None and parent:
            found = self._class_at(parent)
            kind = self._kind_in_class(found, last) if found is not None else None
        return kind or ("module" if name in self._modules else None)

    def all_modules(self, package: str) -> frozenset[str]:
        """A package and every module below it, folders without an ``__init__.py`` too."""
        prefix = f"{package}."
        return frozenset(name for name in self._modules if name == package or name.startswith(prefix))

    def text(self, module: str) -> bytes | None:
        """The text of a module, or None."""
        file = self._file_of(module)
        return self._archive.read(file) if file is not None else None

    def is_package(self, module: str) -> bool:
        """Whether a module is a package with an ``__init__.py``."""
        return (self._file_of(module) or "").endswith("__init__.py")

    def origin_of(self, module: str, name: str) -> str | None:
        """The full name under which what a module binds to a name is defined first of all.

        None where that is not of the wheel.
        """
        return self._origin(module, name, frozenset())

    def _origin(self, module: str, name: str, seen: frozenset[tuple[str, str]]) -> str | None:
        names = self.module(module)
        if names is None or (module, name) in seen:
            return None
        seen |= {(module, name)}
        binding = names.bound.get(name)
        if binding is None:
            stars = (self._origin(star, name, seen) for star in names.stars if name in self.star_names(star))
            is_exported = name in (names.exported or ())
            return next(filter(None, stars), f"{module}.{name}" if is_exported else None)
        if binding.kind != "import":
            return f"{module}.{name}"
        source, _, original = binding.target.rpartition(".")
        found = self._origin(source, original, seen) if source in self._modules else None
        return found or (binding.target if binding.target in self._modules else None)

    def tree(self, module: str) -> ast.Module | None:
        """The syntax of a module; None without one, and where it is newer than that of this Python."""
        file = self._file_of(module)
        if file is None:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            try:
                return ast.parse(self._archive.read(file), file)
            except SyntaxError:
                return None

    def unexplained(self, package: str) -> frozenset[str]:
        """The modules of a package from which other modules import what their texts do not bind.

        Native code adds names to those when it is loaded; nobody can say from texts which.
        """
        found: set[str] = set()
        for module in self.all_modules(package):
            names = self.module(module)
            for binding in names.bound.values() if names is not None else ():
                source, _, name = binding.target.rpartition(".")
                if binding.kind == "import" and source in self._modules and not self._has(source, name):
                    found.add(source)
        return frozenset(found)

    def _has(self, module: str, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the text of a module binds a name, or leaves open what it binds."""
        if module in seen:
            return False
        names = self.module(module)
        if names is None or "__getattr__" in names.bound or f"{module}.{name}" in self._modules:
            return True
        if name in names.bound or name in (names.exported or ()) or name.startswith("__"):
            return True
        return any(self._has(star, name, seen | {module}) for star in names.stars)

    def _module(self, name: str) -> ModuleNames | None:
        tree, file = self.tree(name), self._file_of(name)
        if tree is None or file is None:
            return None
        return names_of(tree, name, file.endswith("__init__.py"))

    def _file_of(self, module: str) -> str | None:
        stem = module.replace(".", "/")
        return next((file for file in (f"{stem}/__init__.py", f"{stem}.py") if file in self._files), None)

    @cached_property
    def _modules(self) -> frozenset[str]:
        """Every module of the archive, folders without an ``__init__.py`` too."""
        found: set[str] = set()
        for file in self._files:
            if file.endswith(".py"):
                name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                while name:
                    found.add(name)
                    name = name.rpartition(".")[0]
        return frozenset(found)

    def _star_names(self, module: str) -> set[str]:
        names = self.module(module)
        if names is None:
            return set()
        if names.exported is not None:
            return set(names.exported)
        own = {name for name, binding in names.bound.items() if _is_own(binding)}
        own.update(name for star in names.stars for name in self.star_names(star))
        return {name for name in own if not name.startswith("_")}

    def _binding(self, module: str, name: str) -> tuple[str, ModuleName] | None:
        """Where a module's name is bound first of all, imports followed within the wheel."""
        names = self.module(module)
        if names is None:
            return None
        binding = names.bound.get(name)
        if binding is None:
            stars = (self._binding(star, name) for star in names.stars if name in self.star_names(star))
            return next((found for found in stars if found is not None), None)
        if binding.kind == "import":
            source, _, original = binding.target.rpartition(".")
            if source in self._modules and (source, original) != (module, name):
                return self._binding(source, original) or (module, binding)
        return module, binding

    def _kind_in_module(self, module: str, name: str) -> str | None:
        found = self._binding(module, name)
        if found is not None:
            binding = found[1]
            if binding.kind != "import":
                return binding.kind
            return "module" if binding.target in self._modules else "unknown"
        names = self.module(module)
        is_exported = names is not None and name in (names.exported or ())
        return "unknown" if is_exported else None

    def _class_at(self, name: str) -> tuple[str, ast.ClassDef] | None:
        """The class of a full name, with the module that defines it."""
        module, _, last = name.rpartition(".")
        found = self._binding(module, last) if module in self._modules else None
        if found is None or found[1].node is None:
            return None
        return found[0], found[1].node

    def _kind_in_class(self, found: tuple[str, ast.ClassDef], member: str) -> str | None:
        module, node = found
        if member in members_of(node):
            return "method"
        for base in bases_of(node):
            inherited = self._class_at(f"{module}.{base}" if "." not in base else base)
            if inherited is not None:
                kind = self._kind_in_class(inherited, member)
            elif base.startswith(_NATIVE) and member.encode() + b"\0" not in self._native_strings:
                kind = None
            else:
                kind = UNCERTAIN
            if kind is not None:
                return kind
        return None

    @cached_property
    def _native_strings(self) -> bytes:
        """The native library. The names that it binds are in it, each before a NUL byte."""
        return self.read(_NATIVE_LIBRARY) or b""


def _is_own(binding: ModuleName) -> bool:
    """Whether a module has a name itself, rather than borrowed it from another package."""
    return binding.kind != "import" or binding.is_relative or binding.target.startswith(_NATIVE)
