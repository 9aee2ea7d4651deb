"""What is left: the next order first, all places on request, and done orders are gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.texts.answers.budget import BUDGET, tokens

from ..conftest import Ask, V

pytestmark = pytest.mark.slow


@pytest.fixture
def migrated(ask: Ask, project: Path) -> Path:
    ask("migrate", project="proj", output="out", write=True, **V)
    return project.parent / "out/proj_msft"


def test_an_order_is_gone_once_its_places_are_edited(ask: Ask, migrated: Path) -> None:
    (order,) = ask("what_is_left", project="out/proj_msft").data["orders"]
    assert order["code"] == "NPU101" and order["places"][0]["path"] == "train.py"
    train = migrated / "train.py"
    train.write_text(train.read_text().replace("torch.cuda.comm.broadcast(x, [0, 1])", "pass"))
    left = ask("what_is_left", project="out/proj_msft")
    assert left.data["orders"] == [] and [item["id"] for item in left.data["done"]] == [order["id"]]
    assert "Nothing is left" in left.text
    asked = ask("what_is_left", project="out/proj_msft", order=order["id"])
    assert not asked.failed and [item["id"] for item in asked.data["done"]] == [order["id"]]


def test_of_an_order_that_is_done_it_is_said_while_others_are_left(ask: Ask, migrated: Path) -> None:
    (order,) = ask("what_is_left", project="out/proj_msft").data["orders"]
    train = migrated / "train.py"
    train.write_text(train.read_text().replace("comm.broadcast", "comm.gather"))
    asked = ask("what_is_left", project="out/proj_msft", order=order["id"])
    assert asked.data["orders"] == [] and f"done: {order['id']}" in asked.text and asked.data["total"] == 1


def test_an_order_lists_all_of_its_places_on_request(ask: Ask, migrated: Path) -> None:
    (migrated / "many.py").write_text("import torch\n" + "torch.cuda.comm.broadcast(x, [0, 1])\n" * 40)
    (order,) = ask("what_is_left", project="out/proj_msft").data["orders"]
    assert order["total"] == 41 and len(order["places"]) == 5
    places, offset = [], 0
    while offset is not None:
        page = ask("what_is_left", project="out/proj_msft", order=order["id"], offset=offset).data
        places += page["orders"][0]["places"]
        offset = page["next_offset"]
    assert len({(place["path"], place["line"]) for place in places}) == len(places) == 41


def test_the_project_and_its_original_are_named_by_the_root(ask: Ask, migrated: Path) -> None:
    for name in ("out", "out/proj_msft"):
        left = ask("what_is_left", project=name)
        assert (left.data["project"], left.data["original"]) == ("out/proj_msft", "proj")
        assert "out/proj_msft" in left.text


def test_an_original_outside_of_the_roots_is_not_named(ask: Ask, migrated: Path) -> None:
    marker = migrated / ".gpu2ascend.json"
    marker.write_text(marker.read_text().replace('"source": "../../proj"', '"source": "../../../.."'))
    left = ask("what_is_left", project="out/proj_msft")
    assert left.data["original"] is None and left.data["total"] == 1


def test_an_order_that_there_is_not_says_which_there_are(ask: Ask, migrated: Path) -> None:
    answer = ask("what_is_left", project="out/proj_msft", order="NPU101-0")
    assert answer.failed and "NPU101-" in answer.text.partition("Orders:")[2]


def test_a_file_that_cannot_be_examined_is_named(ask: Ask, migrated: Path) -> None:
    (migrated / "old.py").write_text("print 'cuda'\n")
    data = ask("what_is_left", project="out/proj_msft").data
    assert [item["path"] for item in data["not_examined"]] == ["old.py"] and data["total_not_examined"] == 1


def test_an_answer_is_short_with_many_orders_and_files_that_were_not_read(ask: Ask, migrated: Path) -> None:
    for number in range(20):
        (migrated / f"{'long_name_' * 8}{number}.py").write_text("print 'cuda'\n")
    names = ("comm.broadcast", "comm.gather", "comm.scatter", "comm.reduce_add", "nvtx.mark", "cudart")
    lines = "".join(f"torch.cuda.{name}('{'x' * 300}', [{number}])\n" for number, name in enumerate(names))
    (migrated / "many.py").write_text("import torch\n" + lines)
    answer = ask("what_is_left", project="out/proj_msft", limit=20)
    assert answer.data["total"] >= 5 and answer.data["total_not_examined"] == 20
    assert tokens(answer.text) <= BUDGET and tokens(json.dumps(answer.data, ensure_ascii=False)) <= BUDGET
    assert answer.data["next_offset"] == len(answer.data["orders"]) > 0
