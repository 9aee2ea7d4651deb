"""From parts to one module: their imports once, their helpers once, nothing that is not used."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from ..targets.helpers import NPU, Home
from ..targets.registry import all_targets

_HEADER = "# Made by gpu2ascend from its parts: "
_HEADER_LINE = re.compile(rf"^{_HEADER}([a-z0-9_, ]+)$", re.MULTILINE)
_PART = re.compile(r"^# ([a-z0-9_]+): (.*)$", re.MULTILINE)
"""The first line of a part: its name, and what it is."""
_IGNORE = "# gpu2ascend: ignore-file"
_STOOD_IN_FOR = ("torch.", "torchvision.", "einops.")


class UnknownPartError(ValueError):
    """A part is asked for that does not exist."""


class _SourcePart(NamedTuple):
    """One part of a module."""

    title: str
    """What its first line says; outside of :data:`NPU` the API that it stands in for."""
    defines: frozenset[str]
    """The names that it binds."""
    reads: frozenset[str]
    """The names that it reads and does not bind."""
    imports: tuple[str, ...]
    """The statements that import what it reads."""
    body: str


def assemble(parts: Iterable[str]) -> str:
    """The text of a module that defines what these parts define.
    Raises UnknownPartError: there is no such part."""
    asked = sorted(set(parts))
    return _module(_in_order(asked), asked, {})


def modules(parts: Iterable[str]) -> dict[str, str]:
    """The modules that define together what these parts define, by their names, in order.

    The last has the name that files import. Others hold what does not fit into it.

    Raises:
        UnknownPartError: there is no such part.
    """
    asked = sorted(set(parts))
    home = home_of(asked)
    chunks: list[list[str]] = [[]]
    places: dict[str, str] = {}
    for name in _in_order(asked):
        grown = [*chunks[-1], name]
        if chunks[-1] and _module(grown, asked, places).count("\n") > home.most_lines:
            places.update(dict.fromkeys(chunks[-1], f"{home.module}_{len(chunks) + 1}"))
            chunks.append([])
        chunks[-1].append(name)
    names = [*dict.fromkeys(places.values()), home.module]
    return {
        name: _module(chunk, asked if name == home.module else (), places)
        for name, chunk in zip(names, chunks, strict=True)
    }


def _names_wanted(need: str, bodies: str, *, is_asked: bool) -> Iterator[str]:
    """What a module imports of a part: what its own parts read, and what is public where it is asked for."""
    for name in _part(need).defines:
        if re.search(rf"\b{name}\b", bodies) or (is_asked and not name.startswith("_")):
            yield name


def _module(chunk: Collection[str], asked: Collection[str], places: Mapping[str, str]) -> str:
    """One of several modules: its own parts, and imports of what it or its users need of others."""
    own = [_part(name) for name in chunk]
    bodies = "\n".join(part.body for part in own)
    wanted: dict[str, set[str]] = {}
    for need in {*asked, *(need for name in chunk for need in _needs(name))} & places.keys() - {*chunk}:
        names = _names_wanted(need, bodies, is_asked=need in asked)
        wanted.setdefault(places[need], set()).update(names)
    imports = _merged({text for part in own for text in part.imports})
    more = [
        f"from .{one} import {', '.join(sorted(names))}  # noqa: F401"
        for one, names in sorted(wanted.items())
    ]
    header = [_HEADER + ", ".join(asked)] if asked else []
    about = f'"""{home_of(chunk).about}"""\n'
    head = "\n".join([_IGNORE, *header, about, *imports, *([""] if more else []), *more])
    return "\n\n\n".join([head, *(part.body for part in own)]) + "\n"


def _merged(imports: Iterable[str]) -> list[str]:
    """Import statements of one name each in order, those of names of one module as one."""
    plain: list[str] = []
    by_module: dict[str, set[str]] = {}
    for text in imports:
        module, is_from, name = text.removeprefix("from ").partition(" import ")
        if is_from:
            by_module.setdefault(module, set()).add(name)
        else:
            plain.append(text)
    return sorted(
        [*plain, *(f"from {module} import {', '.join(sorted(names))}" for module, names in by_module.items())]
    )


def parts_of(text: str) -> frozenset[str]:
    """The parts that a module of ours was assembled from; none if it is not ours."""
    found = _HEADER_LINE.search(text)
    names = found[1].split(", ") if found else ()
    return frozenset(name for name in names if name in part_names(home_of([name])))


def home_of(parts: Iterable[str]) -> Home:
    """The package that some parts belong to; those of a file are all of one."""
    asked = set(parts)
    if not asked or asked & part_names(NPU):
        return NPU
    return next((one.helpers for one in all_targets() if asked & part_names(one.helpers)), NPU)


def is_ours(text: str) -> bool:
    """Whether a module was assembled here."""
    return _HEADER_LINE.search(text) is not None


@cache
def part_names(home: Home = NPU) -> frozenset[str]:
    """All parts of a package; no two packages have one of the same name."""
    return frozenset(_parts(home))


@cache
def stand_ins(home: Home) -> Mapping[str, str]:
    """The part by the API that it stands in for. What it defines has the last name of that."""
    titles = {part.title: name for name, part in sorted(_parts(home).items())}
    return {title: name for title, name in titles.items() if title.startswith(_STOOD_IN_FOR)}


@cache
def part_with(home: Home, name: str) -> str:
    """The part that stands in for an API and defines what others call by a name.

    What stands in for a method in place gives a new tensor, under the plain name.
    Raises UnknownPartError: no part does."""
    for title, part in stand_ins(home).items():
        if title.rpartition(".")[2] in (name, f"{name}_") and name in _part(part).defines:
            return part
    raise UnknownPartError(name)


def _in_order(names: Iterable[str]) -> dict[str, None]:
    """The parts with those that they need, each after what it needs."""
    order: dict[str, None] = {}
    for name in names:
        order.update(_in_order(_needs(name)))
        order[name] = None
    return order


def _part(name: str) -> _SourcePart:
    try:
        return _parts(home_of([name]))[name]
    except KeyError:
        raise UnknownPartError(name) from None


@cache
def _needs(name: str) -> list[str]:
    """The parts that bind what a part reads."""
    reads = _part(name).reads
    return [other for other, part in sorted(_parts(home_of([name])).items()) if part.defines & reads]


@cache
def _parts(home: Home) -> Mapping[str, _SourcePart]:
    """The parts of all modules of a package."""
    paths = (home.folder / "parts").glob("[a-z]*.py")
    return {name: part for path in paths for name, part in _taken_apart(path.read_text(encoding="utf-8"))}


def _taken_apart(text: str) -> Iterator[tuple[str, _SourcePart]]:
    """The parts of a module, by their names."""
    head, *pieces = _PART.split(text)
    imported = list(_imported(ast.parse(head)))
    for name, title, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        table = symtable.symtable(body, name, "exec")
        binds = frozenset(
            one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()
        )
        reads = _global_names(table) - binds
        imports = tuple(statement for bound, statement in imported if bound in reads)
        yield name, _SourcePart(title, binds, reads, imports, body.strip("\n"))


def _imported(head: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a module has from elsewhere, each with a statement that imports it alone."""
    for statement in head.body:
        if isinstance(statement, ast.ImportFrom) and not statement.level:
            for alias in statement.names:
                yield alias.asname or alias.name, f"from {statement.module} import {ast.unparse(alias)}"
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0], f"import {ast.unparse(alias)}"


def _global_names(table: symtable.SymbolTable) -> frozenset[str]:
    """The names of the module that a block and those in it read."""
    is_module = table.get_type() == "module"
    own = (one.get_name() for one in table.get_symbols() if is_module or one.is_global())
    return frozenset(own).union(*map(_global_names, table.get_children()))
