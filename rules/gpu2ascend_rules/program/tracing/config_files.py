"""Where the values of configuration files enter a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...flow.parameters import parameter_of
from ...limits.parents import parent_of
from ...text.syntax import call_of, chain_from_root, field, text_of
from ..files import ProgramFile
from ..values import Value

READERS = ("yaml", "json", "toml", "tomli", "tomllib", "omegaconf", "OmegaConf", "hydra", "mmengine", "mmcv",
           "Config", "ruamel")  # fmt: skip
"""What files import that read configurations, by the last parts of the names."""
_LOADS = frozenset(
    {
        *(f"yaml.{name}" for name in ("load", "safe_load", "full_load", "unsafe_load")),
        *(f"{name}.{load}" for name in ("json", "toml", "tomli", "tomllib") for load in ("load", "loads")),
        "omegaconf.OmegaConf.load", "hydra.compose", "mmengine.Config.fromfile", "mmcv.Config.fromfile",
        "mmengine.config.Config.fromfile", "json5.load",
    }
)  # fmt: skip
_MAY_LOAD = re.compile(
    rb"(?:yaml|json5?|toml|tomli|tomllib)\.(?:\w+_)?loads?\(|OmegaConf\.load\(|hydra\.main|compose\(|\.fromfile\("
)
_ROOTS = ("yaml", "json", "toml", "tomli", "tomllib", "OmegaConf", "omegaconf", "hydra", "Config", "mmengine",
          "mmcv", "compose", "safe_load", "json5")  # fmt: skip


def loaded(file: ProgramFile, keys: tuple[str, ...]) -> Iterator[Value]:
    """The expressions of a file that hold a configuration, with the value under some keys in it."""
    if not _MAY_LOAD.search(file.source.data):
        return
    for root in _ROOTS:
        for use in file.source.names.references(root):
            chain = chain_from_root(use)
            call = call_of(chain.node)
            found = file.source.names.qualified_name(chain.node) if call is not None else None
            if call is not None and found is not None and found.qualified_name in _LOADS:
                yield Value(file, call, keys)


def injected(file: ProgramFile, keys: tuple[str, ...]) -> Iterator[tuple[Value, Node]]:
    """The parameters that ``@hydra.main`` gives a configuration, as the identifiers that bind them."""
    if b"hydra.main" not in file.source.data:
        return
    for use in file.source.names.references("hydra"):
        chain = chain_from_root(use)
        decorator = parent_of(call_of(chain.node) or chain.node)
        if chain.attributes != ("main",) or decorator is None or decorator.type != "decorator":
            continue
        function = field(parent_of(decorator), "definition")
        name = parameter_of(function, 0, bound=False) if function is not None else None
        if name is not None and text_of(name) != "self":
            yield Value(file, name, keys), name
