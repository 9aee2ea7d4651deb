"""Every JSON document has a schema in docs/schemas, and is as that says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import attrs
import jsonschema
import pytest

from gpu2ascend.project.report.result import Summary
from tests.schemas import PARTS, faults, names, schema, undescribed

from ..commands.test_compare import EVENT, trace
from ..conftest import STUCK, TRAIN, Run, make_project

SAMPLE = Path(__file__).parents[4] / "examples/shapes_classifier"
KERNEL = "__global__ void k(float* x) { x[0] = 1; }\nvoid go() { k<<<1, 2>>>(0); }\n"
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [STUCK]}
    ],
}
LOG = "x\nRuntimeError: NPU out of memory. Tried to allocate 2.00 GiB\nEI0006\n"
ALL_MODES = ("--mode", "third_party", "--mode", "torch_apis", "--mode", "dynamic_shape")
V = ("-v", "2.8.0")
CALLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("check", ("check", "proj", *V, "--output-format", "json")),
    ("check", ("check", "sample", *V, "--output-format", "json")),
    ("statistics", ("check", "sample", *V, "--statistics", "--output-format", "json")),
    ("analyze", ("analyze", "proj", *V, "--json")),
    ("analyze", ("analyze", "sample", *V, "--json")),
    ("analyze", ("analyze", "sample", *V, *ALL_MODES, "--json")),
    ("migrate", ("migrate", "proj", "out", *V, "--json")),
    ("migrate", ("migrate", "proj", *V, "--diff", "--json")),
    ("migrate", ("migrate", "sample", "out", *V, "--json")),
    ("survey", ("survey", ".", "--json")),
    ("doctor", ("doctor", "--json")),
    ("doctor-log", ("doctor", "--log", "train.log", "--json")),
    ("compare", ("compare", "a", "b", "--output-format", "json")),
    ("compare", ("compare", "a", "a", "--output-format", "json")),
    ("rules", ("rule", "--all", "--json")),
    ("options", ("options", "--json")),
    ("version", ("--version", "--json")),
    *(
        ("explain", ("explain", name, *V, "--json"))
        for name in (
            *("NPU101", "torch.cuda.empty_cache", "torch.nn.Conv2d", "torch.load", "torch.symeig", "nccl"),
            *("flash-attn", "flash_attn.flash_attn_func", "custom-rules", "A2", "EI0006", "fsdp", "NPU9"),
        )
    ),
    ("explain", ("explain", "torch.nn.Conv2d", "--target", "mindspore", "--json")),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a small project of every kind of finding, the sample, a log and two traces."""
    notebook = json.dumps(NOTEBOOK)
    files = {
        "train.py": TRAIN,
        "stuck.py": STUCK,
        "broken.py": "x = (\n",
        "k.cu": KERNEL,
        "n.ipynb": notebook,
    }
    make_project(tmp_path / "proj", files)
    shutil.copytree(SAMPLE, tmp_path / "sample")
    (tmp_path / "train.log").write_text(LOG, encoding="utf-8")
    trace(tmp_path / "a", EVENT)
    trace(tmp_path / "b", {**EVENT, "hash": "2", "statistics": {"mean": 3.0}})
    return tmp_path


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda part: " ".join(part)[:60])
def test_a_document_is_as_its_schema_says(
    place: Path, run: Run, name: str, arguments: tuple[str, ...]
) -> None:
    document = run(*arguments).json
    assert faults(name, document) == []
    entries = document if isinstance(document, list) else [document]
    assert entries and all(next(iter(entry.items())) == ("format", 1) for entry in entries)


def test_an_update_is_as_the_schema_says(place: Path, run: Run) -> None:
    assert run("migrate", "proj", "out", *V).code == 1
    (place / "proj/train.py").write_text(TRAIN + "print(x)\n", encoding="utf-8")
    updated = run("migrate", "proj", "out", *V, "--update", "--json").json
    assert updated["update"] is not None and faults("migrate", updated) == []


@pytest.mark.parametrize("name", names())
def test_each_is_a_schema_that_refuses_what_it_does_not_know(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert faults(name, {"format": 1, "never": 0}) and faults(name, [{"format": 1, "never": 0}])


@pytest.mark.parametrize("name", [*names(), "../work-orders"])
def test_each_property_says_what_it_is(name: str) -> None:
    assert list(undescribed(schema(name))) == []


def test_a_property_without_a_description_is_found_at_any_depth() -> None:
    said, silent = {"description": "Counts."}, {"type": "integer"}
    listed = {"items": {"properties": {"said": said, "silent": silent}}}
    nested = {"anyOf": [{"properties": {"properties": silent}}]}
    assert list(undescribed({"properties": {"a": {**said, **listed}, "b": {**said, **nested}}})) == [
        "/a/items/silent",
        "/b/anyOf/properties",
    ]


def test_the_counts_of_a_migration_are_all_described() -> None:
    fields = {field.name for field in attrs.fields(Summary)} | {"left_to_you"}
    assert set(schema("migrate")["properties"]["summary"]["properties"]) == fields


def test_the_reference_links_the_schema_of_each_document() -> None:
    text = (Path(__file__).parents[4] / "docs/cli.md").read_text(encoding="utf-8")
    assert all(f"(schemas/{name}.schema.json)" in text for name in set(names()) - PARTS)


def test_none_is_unused() -> None:
    assert {name for name, _ in CALLS} | {"verify"} | PARTS == set(names())
