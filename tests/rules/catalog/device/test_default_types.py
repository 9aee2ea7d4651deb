"""Sequences of default tensor types end in the device and the dtype that they end in on a GPU."""

from __future__ import annotations

import ast
import itertools
import re

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

DTYPES = {"FloatTensor": "float32", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16"}
TYPES = [f"torch.{device}{name}" for device in ("", "cuda.") for name in DTYPES]
WITH_DEFAULT_DEVICE = ("2.1.0", "2.5.1", "2.8.0", str(NEWEST))
WITHOUT = ("1.11.0", "2.0.1", "2.2.0")
WORKS_ANYWAY = frozenset({"torch.device"})
"""The class of ``tensor.device``: the lists of 2.0 and 2.2 have it among what is not supported."""


class Torch:
    """What a torch with a default device and a default dtype keeps of them; a CUDA type raises, as there."""

    def __init__(self) -> None:
        self.device, self.dtype = "cpu", "float32"
        self.float16, self.float32, self.bfloat16 = "float16", "float32", "bfloat16"

    def set_default_device(self, device: str) -> None:
        self.device = device

    def set_default_dtype(self, dtype: str) -> None:
        self.dtype = dtype

    def set_default_tensor_type(self, t: str) -> None:
        assert "cuda" not in t
        self.dtype = DTYPES[t.rpartition(".")[2]]


def ends_in(text: str, **names: object) -> tuple[str, str]:
    """The default device and dtype after a migrated program, by running it on :class:`Torch`."""
    torch = Torch()
    exec(re.sub(r"(?m)^\s*import .*\n", "", text), {"torch": torch, **names})
    return torch.device, torch.dtype


def meant(kind: str) -> tuple[str, str]:
    return ("npu" if "cuda" in kind else "cpu"), DTYPES[kind.rpartition(".")[2]]


@pytest.mark.parametrize("version", WITH_DEFAULT_DEVICE)
@pytest.mark.parametrize(("first", "last"), [*itertools.product(TYPES, TYPES)])
def test_two_types_end_in_the_last(first: str, last: str, version: str) -> None:
    text = (
        f"import torch\ntorch.set_default_tensor_type('{first}')\ntorch.set_default_tensor_type('{last}')\n"
    )
    assert ends_in(migrated(text, version)) == meant(last)


@pytest.mark.parametrize("last", TYPES)
def test_in_functions_and_on_one_line(last: str) -> None:
    text = (
        "import torch\ntorch.set_default_tensor_type('torch.cuda.HalfTensor')\ndef reset():\n"
        f"    x = 1; torch.set_default_tensor_type('{last}')  # again\n    return x\nreset()\n"
    )
    assert ends_in(migrated(text)) == meant(last)


@pytest.mark.parametrize(("first", "last"), [*itertools.product(TYPES, TYPES)])
@pytest.mark.parametrize("use", [True, False])
def test_a_choice_of_types_is_one_of_devices_and_dtypes(first: str, last: str, use: bool) -> None:
    text = f"import torch\ntorch.set_default_tensor_type('{first}' if use else '{last}')\n"
    expected = meant(first if use else last)
    assert ends_in(migrated(text), use=use) == expected


def test_a_condition_that_may_not_be_repeated_is_reported() -> None:
    given = "'torch.cuda.HalfTensor' if ask() else 'torch.FloatTensor'"
    text = f"import torch\ntorch.set_default_tensor_type({given})\n"
    assert migrated(text) == text
    assert [item.code for item in check(SourceFile(text), options_from({"version": "2.8.0"}))] == ["NPU211"]


def test_by_keyword_and_by_name() -> None:
    text = (
        "import torch\ntorch.set_default_tensor_type(t=torch.cuda.HalfTensor)\n"
        "torch.set_default_tensor_type(t=torch.FloatTensor)\n"
    )
    assert ends_in(migrated(text)) == ("cpu", "float32")


def test_a_default_dtype_that_is_set_by_itself_counts() -> None:
    text = (
        "import torch\ntorch.set_default_dtype(torch.float16)\n"
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')\n"
    )
    assert ends_in(migrated(text)) == ("npu", "float32")


class Project(Standalone):
    """A project whose other files set these default tensor types."""

    def __init__(self, *types: str) -> None:
        self.default_types = frozenset(types)


def test_types_of_other_files_count() -> None:
    cpu = SourceFile("import torch\ntorch.set_default_tensor_type('torch.FloatTensor')\n")
    options = options_from({"version": "2.8.0"})
    assert ends_in(apply_fixes(cpu, options, Project("cuda.HalfTensor")).text) == ("cpu", "float32")
    assert apply_fixes(cpu, options, Project("HalfTensor")).text == cpu.text
    device = SourceFile("import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n")
    assert "float32" in apply_fixes(device, options, Project("cuda.HalfTensor")).text
    assert "float32" not in apply_fixes(device, options, Project("cuda.FloatTensor")).text


@pytest.mark.parametrize(
    ("kind", "is_moved"), [("cuda.HalfTensor", True), ("HalfTensor", False), ("device", False)]
)
def test_what_the_constructor_makes_is_on_the_device_of_the_project(kind: str, is_moved: bool) -> None:
    source = SourceFile("import torch\nx = torch.Tensor([1.0])\ny = torch.Tensor([1.0]).npu()\n")
    text = apply_fixes(source, options_from({"version": "2.8.0", "select": ["NPU217"]}), Project(kind)).text
    moved = source.text.replace("([1.0])\ny", "([1.0]).to(torch.get_default_device())\ny")
    assert text == (moved if is_moved else source.text)


@pytest.mark.parametrize(
    ("after", "draws_on_cpu"),
    [
        ("    torch.set_default_tensor_type(torch.FloatTensor)\n", False),
        ("    torch.set_default_device('cpu')\n", False),
        ("    torch.set_default_tensor_type(before)\n", True),
        ("def reset():\n    torch.set_default_tensor_type(torch.FloatTensor)\n", True),
        ("", True),
    ],
)
def test_a_type_that_is_set_to_build_a_model_only_is_of_no_order(after: str, draws_on_cpu: bool) -> None:
    build = "def build():\n    torch.set_default_tensor_type(torch.cuda.HalfTensor)\n    net = Net()\n"
    start = "if __name__ == '__main__':\n    order = torch.utils.data.RandomSampler(data)\n"
    found = check(SourceFile(f"import torch\n{build}{after}{start}"), options_from({"version": "2.8.0"}))
    assert ("NPU218" in [item.code for item in found]) is draws_on_cpu


@pytest.mark.parametrize("version", WITHOUT)
@pytest.mark.parametrize("kind", [kind for kind in TYPES if "cuda" in kind])
def test_without_a_default_device_nothing_changes_by_itself(version: str, kind: str) -> None:
    call = "torch.set_default_tensor_type"
    text = f"import torch\n{call}('{kind}')\n{call}('torch.FloatTensor')\n"
    assert migrated(text, version) == text
    assert "set_default_device" not in migrated(text, version, unsafe_fixes=True)
    assert "NPU211" in [item.code for item in check(SourceFile(text), options_from({"version": version}))]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0.1", "2.2.0"])
@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_nothing_is_written_that_the_own_list_calls_unsupported(rule: Rule, version: str) -> None:
    options = options_from({"version": version, "unsafe_fixes": True})
    facts = Facts.load(options.require_version(), options.hardware)
    for example in (item for item in rule.examples if not item.path):
        after = apply_fixes(SourceFile(example.before), options).text
        written = _torch_names(after) - _torch_names(example.before)
        unsupported = {
            name for name in written - WORKS_ANYWAY if facts.status(name) is SupportStatus.UNSUPPORTED
        }
        assert not unsupported, after


def test_a_name_that_the_own_list_calls_unsupported_would_be_seen() -> None:
    written = _torch_names("import torch\nx = torch.set_default_device('npu')\n")
    facts = Facts.load(Version(2, 0, 1), Hardware.A2)
    assert written == {"torch.set_default_device"}
    assert facts.status("torch.set_default_device") is SupportStatus.UNSUPPORTED


def _torch_names(text: str) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("version", ["1.11.0", "2.8.0"])
@pytest.mark.parametrize(
    "given",
    [
        "torch.cuda.no_such",
        "'torch.cuda.no_such'",
        "*given, torch.cuda.HalfTensor",
        "kind=torch.cuda.HalfTensor",
        "torch.FloatTensor if a else torch.cuda.HalfTensor if b else torch.HalfTensor",
    ],
)
def test_a_type_that_the_call_does_not_show_plainly_is_reported(given: str, version: str) -> None:
    text = f"import torch\ntorch.set_default_tensor_type({given})\n"
    (finding,) = check(SourceFile(text), options_from({"version": version}))
    assert (finding.message.id, finding.fix) == ("NPU211.none", None)
    on_cpu = text.replace("torch.cuda", "torch")
    assert check(SourceFile(on_cpu), options_from({"version": version, "select": ["NPU211"]})) == ()
