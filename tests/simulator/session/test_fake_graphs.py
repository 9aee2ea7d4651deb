"""Graphs are made up where they are not here, with what their data set has."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data.graphs import make_up_graphs

pytest.importorskip("torch")


class Planetoid:
    """As the class of torch_geometric, whose files are in the folder ``here``."""

    data: Any = None

    def __init__(self, root: str, name: str, split: str = "public") -> None:
        if root != "here":
            raise OSError("no network")

    def collate(self, graphs: list[Any]) -> tuple[Any, Any]:
        """All graphs as one, and where each begins."""
        return graphs[0], None


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was noted, with a class that makes up its graphs."""
    data = SimpleNamespace(Data=lambda **given: SimpleNamespace(**given))
    monkeypatch.setitem(sys.modules, "torch_geometric.data", data)
    monkeypatch.setattr(Planetoid, "__init__", Planetoid.__init__)
    noted: list[str] = []
    make_up_graphs(SimpleNamespace(Planetoid=Planetoid), noted.append)
    return noted


def test_nodes_have_features_classes_and_masks(noted: list[str]) -> None:
    made = Planetoid("nowhere", name="Cora").data
    assert (tuple(made.x.shape), int(made.y.max())) == ((2708, 1433), 6)
    assert int(made.edge_index.max()) < 2708
    assert [int(mask.sum()) for mask in (made.train_mask, made.val_mask, made.test_mask)] == [140, 500, 500]
    assert noted == ["torch_geometric Planetoid Cora (1 x 2708 nodes)"]


def test_what_is_here_is_used(noted: list[str]) -> None:
    assert (Planetoid("here", "Cora").data, noted) == (None, [])


def test_of_an_unknown_name_nothing_is_made_up(noted: list[str]) -> None:
    with pytest.raises(OSError, match="no network"):
        Planetoid("nowhere", "Atlantis")
