"""Where the values of configuration files enter a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import arguments_of, call_of, chain_from_root, field, text_of
from ...names.files import ProgramFile
from ...names.parameters import parameter_of

_YAML = ("yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "omegaconf.OmegaConf.load",
         "hydra.compose", "mmengine.Config.fromfile", "mmengine.config.Config.fromfile",
         "mmcv.Config.fromfile", "hyperpyyaml.load_hyperpyyaml")  # fmt: skip
_INI = tuple(f"configparser.{name}" for name in ("ConfigParser", "RawConfigParser", "SafeConfigParser"))
_LOADS: Mapping[str, tuple[str, ...]] = {
    "yaml": _YAML,
    "yml": _YAML,
    "json": ("json.load", "json.loads", "json5.load"),
    "toml": tuple(f"{name}.{load}" for name in ("toml", "tomli", "tomllib") for load in ("load", "loads")),
    "ini": _INI,
    "cfg": _INI,
    "conf": _INI,
}
"""The functions that read configurations, by the suffix of the files."""
_OF_YAML = frozenset({"yaml", "yml"})
_OF_YACS = "CfgNode"
"""The class of configurations that files of YAML change by their keys."""
_LIGHTNING = "LightningCLI"
_GIN = "gin"
BY_OPTIONS = "configargparse"
"""What reads configurations whose keys are the options of a command line."""
_OF_LIGHTNING = ("model", "data")
READERS = tuple(
    sorted(
        {
            _LIGHTNING,
            _GIN,
            _OF_YACS,
            BY_OPTIONS,
            *(part for names in _LOADS.values() for name in names for part in name.split(".")),
        }
    )
)
"""What a file imports that reads configurations, by the last parts of the names, and more."""


class Loads(NamedTuple):
    """Where one file gets configurations."""

    file: ProgramFile
    calls: tuple[Node, ...]
    """The expressions that hold one."""
    names: tuple[Node, ...]
    """The identifiers that hold one: parameters that ``@hydra.main`` gives it, variables of yacs."""
    filled: tuple[tuple[str, Node], ...] = ()
    """The classes of which ``LightningCLI`` makes objects, with the keys of their arguments."""


def loads_of(file: ProgramFile, suffix: str) -> Loads | None:
    """Where a file gets configurations with a suffix; None where it does not."""
    if not _may_load(file, suffix):
        return None
    filled = tuple(_filled(file)) if suffix in _OF_YAML else ()
    names = (*_injected(file), *_of_yacs(file)) if suffix in _OF_YAML else ()
    found = Loads(file, tuple(_loaded(file, suffix)), names, filled)
    return found if found.calls or found.names or found.filled else None


def _may_load(file: ProgramFile, suffix: str) -> bool:
    """Whether a file may read configurations with a suffix, by its bytes."""
    has = file.source.has
    if suffix in _OF_YAML and any(map(has, (b"hydra.main", b"LightningCLI(", b"CfgNode"))):
        return True
    return any(has(name.rpartition(".")[2].encode() + b"(") for name in _LOADS.get(suffix, ()))


def _loaded(file: ProgramFile, suffix: str) -> Iterator[Node]:
    names = _LOADS.get(suffix, ())
    for root in dict.fromkeys(part for name in names for part in name.split(".")):
        for use in file.source.names.references(root):
            chain = chain_from_root(use)
            call = call_of(chain.node)
            if call is not None and file.source.names.name_of(chain.node) in names:
                yield call


def _filled(file: ProgramFile) -> Iterator[tuple[str, Node]]:
    for use in file.source.names.references(_LIGHTNING) if file.source.has(b"LightningCLI(") else ():
        call = call_of(use)
        for place, key in enumerate(_OF_LIGHTNING if call is not None else ()):
            given = arguments_of(call).at(place) if call is not None else None
            if given is not None:
                yield key, given.value


def is_of_yacs(made: Node | None, file: ProgramFile) -> bool:
    """Whether an expression makes a configuration of yacs, or of what extends its class."""
    function = field(made, "function") if made is not None and made.type == "call" else None
    return function is not None and file.source.names.name_of(function).endswith(f".{_OF_YACS}")


def _of_yacs(file: ProgramFile) -> Iterator[Node]:
    """The variables that hold a configuration of yacs."""
    names = file.source.names
    imported = {item.name for item in names.imports if item.target.endswith(f".{_OF_YACS}")}
    for use in (use for name in sorted(imported) for use in names.references(name)):
        call = call_of(use)
        assignment = parent_of(call) if call is not None and is_of_yacs(call, file) else None
        name = field(assignment, "left") if assignment is not None else None
        if name is not None and name.type == "identifier":
            yield name


def _injected(file: ProgramFile) -> Iterator[Node]:
    if not file.source.has(b"hydra.main"):
        return
    for use in file.source.names.references("hydra"):
        chain = chain_from_root(use)
        decorator = parent_of(call_of(chain.node) or chain.node)
        if chain.attributes != ("main",) or decorator is None or decorator.type != "decorator":
            continue
        function = field(parent_of(decorator), "definition")
        name = parameter_of(function, 0, bound=False) if function is not None else None
        if name is not None and text_of(name) != "self":
            yield name
