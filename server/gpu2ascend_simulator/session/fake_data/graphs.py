"""Data sets of torch_geometric that make up their graphs where their files are not here."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import Note, rows

_DEGREE = 4
"""Edges of a node in one direction."""
_OF_TRAINING, _OF_OTHERS = 20, 500
"""Nodes of a class for training, and nodes for validation and for testing, as in Planetoid."""


class _Kind(NamedTuple):
    graphs: int
    nodes: int
    features: int
    classes: int


def make_up_graphs(module: Any, note: Note) -> None:
    """Change the classes of ``torch_geometric.datasets``, for good. What is not here is not waited for."""
    kinds: dict[str, dict[str, _Kind]] = {}
    for owner, name, *numbers in rows("graphs.tsv"):
        kinds.setdefault(owner, {})[name.lower()] = _Kind(*map(int, numbers))
    for owner, by_name in kinds.items():
        if hasattr(module, owner):
            _change(getattr(module, owner), by_name, note)


def _change(owner: Any, kinds: dict[str, _Kind], note: Note) -> None:
    begin = owner.__init__
    signature = inspect.signature(begin)

    @functools.wraps(begin)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            begin(self, *args, **kwargs)
        except (OSError, RuntimeError):
            given = signature.bind(self, *args, **kwargs)
            given.apply_defaults()
            name = str(given.arguments.get("name", ""))
            kind = kinds.get(name.lower()) or kinds.get("")
            if kind is None:
                raise
            self.slices = self._data_list = None
            self.data, self.slices = self.collate(list(_graphs(kind)))
            note(
                f"torch_geometric {owner.__name__} {name}".rstrip() + f" ({kind.graphs} x {kind.nodes} nodes)"
            )

    owner.__init__ = __init__


def _graphs(kind: _Kind) -> Iterator[Any]:
    import torch

    made = importlib.import_module("torch_geometric.data").Data
    drawn = torch.Generator().manual_seed(0)
    for number in range(kind.graphs):
        ends = torch.randint(kind.nodes, (2, kind.nodes * _DEGREE), generator=drawn)
        edges = torch.cat((ends, ends.flip(0)), 1)
        features = torch.rand(kind.nodes, kind.features, generator=drawn)
        if kind.graphs == 1:
            classes = torch.arange(kind.nodes) % kind.classes
            yield made(x=features, edge_index=edges, y=classes, **_masks(kind))
        else:
            yield made(x=features, edge_index=edges, y=torch.tensor([number % kind.classes]))


def _masks(kind: _Kind) -> dict[str, Any]:
    import torch

    places = torch.arange(kind.nodes)
    trained = min(_OF_TRAINING * kind.classes, kind.nodes // 2)
    others = min(_OF_OTHERS, (kind.nodes - trained) // 2)
    return {
        "train_mask": places < trained,
        "val_mask": (places >= trained) & (places < trained + others),
        "test_mask": places >= kind.nodes - others,
    }
