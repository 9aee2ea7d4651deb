"""What is pinned exists on the package index, and has what the tool writes and says.

Each wheel of torch_npu that some version pins is downloaded and read, never imported.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest

import gpu2ascend_rules
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.facts.api_support import registered_operators as tabled_operators
from gpu2ascend_rules.facts.names.npu_names import all_names, exists
from gpu2ascend_rules.facts.packages.pairs import PACKAGES as PAIR
from gpu2ascend_rules.facts.packages.pairs import Build, builds, pair_of
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from tests.realworld.packages import Package, wheel_of
from tools.support_tables.additions import additions
from tools.support_tables.collect.operators import custom_operators, registered_operators
from tools.support_tables.collect.wheel import Wheel

pytestmark = [pytest.mark.slow, pytest.mark.network]

PINNED = [version for version in SUPPORTED_VERSIONS if pair_of(version).torch_npu]
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")
YAML = (
    "torch_npu/csrc/aten/npu_native_functions.yaml",
    "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml",
)
SIMILAR = Path(gpu2ascend_rules.__file__).parent / "similar" / "parts"


def build(version: Version) -> Build:
    return next(item for item in builds() if item.torch_npu == pair_of(version).torch_npu)


def foreign(version: Version) -> tuple[str, ...]:
    """The options by which pip looks for the newest Python that the build is made for."""
    tags = [word for platform in PLATFORMS for word in ("--platform", platform)]
    return ("--python-version", build(version).pythons[-1], "--implementation", "cp", *tags)


@cache
def wheel(version: Version) -> Wheel:
    return Wheel(wheel_of(Package("torch_npu", pair_of(version).torch_npu, "", foreign(version))))


@cache
def offered(name: str, options: tuple[str, ...]) -> frozenset[str]:
    """The releases that the index has for a Python on these platforms, with no wheel downloaded."""
    command = [sys.executable, "-m", "pip", "index", "versions", name, "--only-binary=:all:", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    assert found, done.stderr
    return frozenset(found[1].split(", "))


@pytest.mark.parametrize("version", PINNED, ids=str)
def test_every_release_of_a_pair_is_on_the_index(version: Version) -> None:
    pair = pair_of(version)
    wanted = {name: release for name in PAIR if (release := pair.release_of(name))}
    found = {name: release in offered(name, foreign(version)) for name, release in wanted.items()}
    assert found == dict.fromkeys(wanted, True)
    assert "0.0" not in offered("torch", foreign(version))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("version", PINNED, ids=str)
def test_the_newest_build_is_pinned(version: Version) -> None:
    """Else the table of builds is to be made again: ``python -m tools.ground_tables``."""
    newest = wheel_of(Package("torch_npu", f"{version}.*", "", foreign(version)))
    assert newest.name.split("-")[1] == pair_of(version).torch_npu


@pytest.mark.one_in(4)
@pytest.mark.parametrize("version", PINNED, ids=str)
def test_every_name_of_the_table_is_in_the_pinned_wheel(version: Version) -> None:
    """But those that only native code shows, which have a source of their own."""
    by_hand = {name for item in additions() for name in accumulate(item.npu_name.split("."), "{}.{}".format)}
    custom = custom_operators(wheel(version))
    shown = {name for name in all_names(version) if wheel(version).kind_of(name) is not None}
    assert shown
    lacking = [
        name
        for name in all_names(version)
        if name not in shown | by_hand and name.removeprefix("torch_npu.") not in custom
    ]
    assert lacking == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("version", PINNED, ids=str)
def test_every_operator_of_the_table_is_registered_by_the_pinned_wheel(version: Version) -> None:
    registered = {name.partition(".")[0] for name in registered_operators(wheel(version))}
    assert set(tabled_operators(version)) == registered


@pytest.mark.one_in(4)
@pytest.mark.parametrize("version", PINNED, ids=str)
def test_every_argument_that_is_written_is_in_a_signature_of_the_pinned_wheel(version: Version) -> None:
    signatures = parameters(wheel(version))
    wrong = [
        (name, keywords)
        for name, keywords in written_calls()
        if exists(f"torch_npu.{name}", version)
        and not any(keywords <= known for known in signatures.get(name, ()))
    ]
    assert wrong == []


def test_calls_are_found_to_look_at() -> None:
    """The control: without a call nothing could be wrong."""
    assert {"npu_rms_norm", "npu_fusion_attention"} <= {name for name, _ in written_calls()}


def parameters(of: Wheel) -> dict[str, list[frozenset[str]]]:
    """The names of the parameters of each overload of the operators that only torch_npu has."""
    found: dict[str, list[frozenset[str]]] = {}
    for file in YAML:
        text = (of.read(file) or b"").decode()
        for match in re.finditer(r"func:\s*(?P<name>\w+)(?:\.\w+)?\((?P<parameters>.*)\)\s*->", text):
            names = re.findall(r"[\w\])?!]\s+(\w+)\s*(?:=|,|$)", match["parameters"])
            found.setdefault(match["name"], []).append(frozenset(names))
    return found


@cache
def written_calls() -> tuple[tuple[str, frozenset[str]], ...]:
    """The calls of torch_npu's operators that rules and equivalents write, with their keywords."""
    texts = [path.read_text("utf-8") for path in sorted(SIMILAR.glob("*.py"))]
    for rule in all_rules():
        texts += [
            text for item in rule.examples if not item.path for text in (item.after, item.unsafe) if text
        ]
    return tuple(sorted({call for text in texts for call in _calls(text)}, key=str))


def _calls(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    if "torch_npu.npu_" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and re.fullmatch(r"torch_npu\.npu_\w+", ast.unparse(node.func)):
            keywords = frozenset(item.arg for item in node.keywords if item.arg)
            yield ast.unparse(node.func).removeprefix("torch_npu."), keywords
