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
_BY_HYDRA = frozenset({"yaml", "yml"})
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
    parameters: tuple[Node, ...]
    """The identifiers of those that ``@hydra.main`` gives one."""
    filled: tuple[tuple[str, Node], ...] = ()
    """The classes of which ``LightningCLI`` makes objects, with the keys of their arguments."""


def loads_of(file: ProgramFile, suffix: str) -> Loads | None:
    """Where a file gets configurations with a suffix; None where it does not."""
    if not _may_load(file, suffix):
        return None
    filled = tuple(_filled(file)) if suffix in _BY_HYDRA else ()
    found = Loads(file, tuple(_loaded(file, suffix)), tuple(_injected(file, suffix)), filled)
    return found if found.calls or found.parameters or found.filled else None


def _may_load(file: ProgramFile, suffix: str) -> bool:
    """Whether a file may read configurations with a suffix, by its bytes."""
    has = file.source.has
    if suffix in _BY_HYDRA and (has(b"hydra.main") or has(b"LightningCLI(")):
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


def _injected(file: ProgramFile, suffix: str) -> Iterator[Node]:
    if suffix not in _BY_HYDRA or not file.source.has(b"hydra.main"):
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
